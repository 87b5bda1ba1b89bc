//! Which layer of a request a function belongs to: by the file it is in, and for some by its name.

use super::frames::Frame;

/// What a request goes through.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Layer {
    Parse,
    Route,
    Bind,
    Chain,
    Handler,
    Serialise,
    Encode,
    Io,
    Client,
    Other,
}

/// All of them, in the order a request meets them, and what each is.
pub(super) const LAYERS: &[(Layer, &str)] = &[
    (Layer::Parse, "the head is read and judged, and so is a body's framing"),
    (Layer::Route, "the route is found"),
    (Layer::Bind, "what the handler takes is made of head and body"),
    (Layer::Chain, "middlewares"),
    (Layer::Handler, "the handler"),
    (Layer::Serialise, "its answer becomes bytes"),
    (Layer::Encode, "the reply, its head, and what waits to be sent"),
    (Layer::Io, "connection, buffers, timers, tasks, and the pipe"),
    (Layer::Client, "who asks, and the runtime under both"),
    (Layer::Other, "what has no place"),
];

/// Of our own code: the start of a path, a part of the function's name or nothing, the layer. The first that fits.
const OURS: &[(&str, &str, Layer)] = &[
    ("examples/probe/examples/pipe/chain.rs", "around", Layer::Chain),
    ("examples/probe/examples/pipe/chain.rs", "", Layer::Bind),
    ("examples/probe/examples/pipe/", "", Layer::Client),
    ("examples/probe/src/generated/", "", Layer::Bind),
    ("examples/probe/src/", "deserialize", Layer::Bind),
    ("examples/probe/src/", "Deserialize", Layer::Bind),
    ("examples/probe/src/", "serialize", Layer::Serialise),
    ("examples/probe/src/", "Serialize", Layer::Serialise),
    ("examples/probe/src/", "", Layer::Handler),
    ("transports/h1/src/encode.rs", "", Layer::Encode),
    ("transports/h1/src/refusal.rs", "", Layer::Encode),
    ("transports/h1/src/", "", Layer::Parse),
    ("transports/fast/src/batch.rs", "batch::parse", Layer::Parse),
    ("transports/fast/src/batch.rs", "batch::route", Layer::Route),
    ("transports/fast/src/batch.rs", "batch::put", Layer::Encode),
    ("transports/fast/src/output.rs", "", Layer::Encode),
    ("transports/hyper/src/exchange.rs", "exchange::route", Layer::Route),
    ("transports/hyper/src/exchange.rs", "", Layer::Bind),
    ("transports/hyper/src/input.rs", "", Layer::Parse),
    ("transports/hyper/src/output.rs", "", Layer::Encode),
    ("transports/", "", Layer::Io),
    ("runtime/core/src/route", "", Layer::Route),
    ("runtime/core/src/head.rs", "find_route", Layer::Route),
    ("runtime/core/src/head.rs", "::param", Layer::Bind),
    ("runtime/core/src/head.rs", "", Layer::Parse),
    ("runtime/core/src/middleware.rs", "", Layer::Chain),
    ("runtime/core/src/recover.rs", "", Layer::Chain),
    ("runtime/core/src/request_id.rs", "", Layer::Chain),
    ("runtime/core/src/json.rs", "from_body", Layer::Bind),
    ("runtime/core/src/json.rs", "check", Layer::Bind),
    ("runtime/core/src/json.rs", "is_json", Layer::Bind),
    ("runtime/core/src/json.rs", "", Layer::Serialise),
    ("runtime/core/src/reply.rs", "", Layer::Encode),
    ("runtime/core/src/respond.rs", "", Layer::Encode),
    ("runtime/core/src/field.rs", "", Layer::Encode),
    ("runtime/core/src/problem", "", Layer::Encode),
    ("runtime/core/src/wipe.rs", "", Layer::Io),
    ("runtime/core/src/", "", Layer::Bind),
    ("", "", Layer::Other),
];

/// Of hyper, which is inlined into lines of ours that only drive it: parts of a function's name, the layer.
const HYPER: &[(&str, &str, Layer)] = &[
    ("hyper::proto::h1::role", "parse", Layer::Parse),
    ("hyper::proto::h1::role", "", Layer::Encode),
    ("hyper::proto::h1::conn", "write_head", Layer::Encode),
    ("hyper::proto::h1::conn", "read_head", Layer::Parse),
];

/// Of what others wrote and no line of ours was found around: a part of the function's name, the layer. The first that fits.
const OTHERS: &[(&str, Layer)] = &[
    ("serde_json::de", Layer::Bind),
    ("serde_json::read", Layer::Bind),
    ("serde_json", Layer::Serialise),
    ("itoa", Layer::Serialise),
    ("askama", Layer::Handler),
    ("httparse", Layer::Parse),
    ("parse", Layer::Parse),
    ("encode", Layer::Encode),
    ("hyper", Layer::Io),
    ("tokio", Layer::Io),
    ("bytes::", Layer::Io),
    // Where there is no line.
    ("pw_core::head::HeadBuffer::param", Layer::Bind),
    ("pw_h1", Layer::Parse),
    ("pw_fast", Layer::Io),
    ("pw_hyper", Layer::Io),
];

/// The layer of an instruction with these frames, the innermost first, and the function it is shown under. `root` is the folder
/// our own code is in.
pub(super) fn layer(frames: &[Frame], root: &str) -> (Layer, String) {
    let own = frames.iter().find_map(|frame| {
        let file = frame.file.strip_prefix(root)?.trim_start_matches('/');
        // A target folder may be in there, with what build scripts wrote.
        (!file.starts_with("target/")).then_some((frame, file))
    });
    let mut inside = frames.iter().take_while(|frame| !frame.file.starts_with(root));
    let hyper = inside.find_map(|frame| {
        let mut rules = HYPER.iter();
        let rule = rules.find(|(place, part, _)| frame.function.contains(place) && frame.function.contains(part))?;
        Some((rule.2, short(&frame.function)))
    });
    if let Some(found) = hyper {
        return found;
    }
    if let Some((frame, file)) = own {
        let mut rules = OURS.iter();
        let rule = rules.find(|(start, part, _)| file.starts_with(start) && frame.function.contains(part));
        let layer = rule.map_or(Layer::Other, |(_, _, layer)| *layer);
        return (layer, format!("{}  {file}", short(&frame.function)));
    }
    // The outermost is a function with code of its own.
    let Some(frame) = frames.last() else {
        return (Layer::Other, "??".to_owned());
    };
    let rule = OTHERS.iter().find(|(part, _)| frame.function.contains(part));
    let layer = rule.map_or(Layer::Other, |(_, layer)| *layer);
    (layer, short(&frame.function))
}

/// A function's path without the types that it was made for: `pw_fast::batch::run::{closure#0}`.
fn short(function: &str) -> String {
    let mut name = String::new();
    let (mut depth, mut last) = (0, ' ');
    for (at, char) in function.char_indices() {
        // What a path begins with, as in `<Json<T> as Respond>::respond`, says whose function it is.
        let generic = at > 0 && last != ' ' && last != '<' || depth > 0;
        match char {
            '<' if generic => depth += 1,
            '>' if depth > 0 => depth -= 1,
            _ if depth == 0 => name.push(char),
            _ => {}
        }
        last = char;
    }
    name.replace("::::", "::")
}

impl Layer {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Parse => "parse",
            Self::Route => "route",
            Self::Bind => "bind",
            Self::Chain => "chain",
            Self::Handler => "handler",
            Self::Serialise => "serialise",
            Self::Encode => "encode",
            Self::Io => "I/O",
            Self::Client => "client",
            Self::Other => "other",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(frames: &[(&str, &str)]) -> (Layer, String) {
        let frames: Vec<_> = frames
            .iter()
            .map(|(function, file)| Frame {
                function: (*function).to_owned(),
                file: (*file).to_owned(),
            })
            .collect();
        layer(&frames, "/w")
    }

    #[test]
    fn the_innermost_of_our_own_frames_decides() {
        let (layer, name) = of(&[
            ("core::num::parse", "/rustc/core/num.rs"),
            (
                "<u64 as pw_core::path::FromParam>::from_param",
                "/w/runtime/core/src/path.rs",
            ),
            (
                "pw_fast::batch::run<probe::Routes>::{closure#0}",
                "/w/transports/fast/src/batch.rs",
            ),
        ]);
        assert_eq!(layer, Layer::Bind);
        assert_eq!(
            name,
            "<u64 as pw_core::path::FromParam>::from_param  runtime/core/src/path.rs"
        );
        let batch = "/w/transports/fast/src/batch.rs";
        assert_eq!(of(&[("pw_fast::batch::route", batch)]).0, Layer::Route);
        assert_eq!(of(&[("pw_fast::batch::run<A>::{closure#0}", batch)]).0, Layer::Io);
        let user = "/w/examples/probe/src/lib.rs";
        assert_eq!(
            of(&[("<probe::User as serde::Serialize>::serialize", user)]).0,
            Layer::Serialise
        );
        assert_eq!(of(&[("probe::show_user::{closure#0}", user)]).0, Layer::Handler);
    }

    #[test]
    fn what_hyper_does_inside_a_line_of_ours_is_told_apart() {
        let http1 = ("pw_hyper::http1::serve", "/w/transports/hyper/src/http1.rs");
        let role = "<hyper::proto::h1::role::Server as hyper::proto::h1::Http1Transaction>";
        let parse = format!("{role}::parse");
        assert_eq!(of(&[(&parse, "/registry/role.rs"), http1]).0, Layer::Parse);
        let encode = format!("{role}::encode");
        assert_eq!(
            of(&[("core::copy", "/rustc/a.rs"), (&encode, "/registry/role.rs"), http1]).0,
            Layer::Encode
        );
        assert_eq!(
            of(&[("hyper::proto::h1::io::flush", "/registry/io.rs"), http1]).0,
            Layer::Io
        );
    }

    #[test]
    fn others_functions_are_told_by_their_names() {
        let json = [
            ("core::slice::copy", "/rustc/slice.rs"),
            ("serde_json::ser::format", "/registry/ser.rs"),
        ];
        assert_eq!(of(&json).0, Layer::Serialise);
        assert_eq!(of(&[("??", "??")]), (Layer::Other, "??".to_owned()));
        assert_eq!(of(&[]), (Layer::Other, "??".to_owned()));
    }

    #[test]
    fn names_are_without_what_they_were_made_for() {
        let name = "pw_fast::batch::run::<probe::generated::Routes<A, B>>::{closure#0}";
        assert_eq!(short(name), "pw_fast::batch::run::{closure#0}");
        assert_eq!(short("<Json<T> as Respond>::respond"), "<Json as Respond>::respond");
    }

    #[test]
    fn every_layer_is_shown() {
        let shown: Vec<_> = LAYERS.iter().map(|(layer, _)| layer).collect();
        assert!(OURS.iter().all(|(_, _, layer)| shown.contains(&layer)));
        assert!(OTHERS.iter().all(|(_, layer)| shown.contains(&layer)));
    }
}
