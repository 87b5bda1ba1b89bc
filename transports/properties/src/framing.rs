//! Framing: what `Content-Length`, `Transfer-Encoding`, `Connection`, `Expect`, `Upgrade` and `Host` say together, beside a second
//! decision made the plain way from the same lines (RFC 9112 6.3, 9.3; RFC 9110 10.1.1).

use pw_conformance::draw::Draw;
use pw_core::{HeadBuffer, Limits, Version};
use pw_h1::{Framing, HeadParser};

/// What decides, in the case it is sent in, and values about it.
const NAMES: [&str; 12] = [
    "X-Other",
    "Host",
    "Content-Length",
    "Transfer-Encoding",
    "Connection",
    "Expect",
    "Upgrade",
    "content-length",
    "TRANSFER-ENCODING",
    "cOnNeCtIoN",
    "Content-Lengthy",
    "Content_Length",
];

/// Pieces that values consist of.
const PIECES: [&str; 31] = [
    "",
    "0",
    "1",
    "5",
    "42",
    "00",
    "07",
    "999999999999999999",
    "9999999999999999999",
    "+",
    "-",
    "chunked",
    "Chunked",
    "gzip",
    "identity",
    "close",
    "CLOSE",
    "keep-alive",
    "upgrade",
    "100-continue",
    "100-Continue",
    ",",
    ", ",
    " ",
    "\t",
    ";",
    "\"",
    "x",
    "websocket",
    "a:80",
    "\u{e9}",
];

/// Values of `Host`, and whether they are one.
const HOSTS: [(&str, bool); 8] = [
    ("localhost", true),
    ("a.test:8080", true),
    ("[::1]:80", true),
    ("", false),
    ("a b", false),
    ("a:b", false),
    ("user@a", false),
    ("a, a", false),
];

/// What was decided.
#[derive(Debug, PartialEq, Eq)]
struct Decision {
    framing: Framing,
    keep_alive: bool,
    expect_continue: bool,
    upgrade: bool,
}

/// A field line.
struct Line {
    name: &'static str,
    value: String,
    /// For `Host`: whether it is one.
    is_host: bool,
}

/// Checks the property of a head that is drawn: well-formed but for what its fields say.
///
/// # Panics
/// It does not hold.
pub fn check(draw: &mut Draw<'_>) {
    let version = if draw.once_in(3) {
        Version::Http10
    } else {
        Version::Http11
    };
    let mut lines = Vec::new();
    if !draw.once_in(4) {
        lines.push(Line {
            name: "Host",
            value: "localhost".into(),
            is_host: true,
        });
    }
    for _ in 0..draw.below(6) {
        let name = *draw.pick(&NAMES);
        let (value, is_host) = if name == "Host" {
            let (value, is_host) = *draw.pick(&HOSTS);
            (value.to_owned(), is_host)
        } else {
            (value(draw), false)
        };
        let at = draw.below(lines.len() + 1);
        lines.insert(at, Line { name, value, is_host });
    }
    let number = match version {
        Version::Http10 => "1.0",
        _ => "1.1",
    };
    let mut head = format!("POST / HTTP/{number}\r\n");
    for line in &lines {
        let (before, after) = (*draw.pick(&[" ", "", "\t "]), *draw.pick(&["", " ", " \t"]));
        head += &format!("{}:{before}{}{after}\r\n", line.name, line.value);
    }
    head += "\r\n";
    let bytes = pw_conformance::text::latin1(&head);

    let parsed = HeadParser::default().parse(&bytes, &Limits::default(), &mut HeadBuffer::default());
    let decided = match parsed {
        Ok(verdict) => {
            let verdict = verdict.unwrap_or_else(|| panic!("the head is whole: {head:?}"));
            Ok(Decision {
                framing: verdict.framing,
                keep_alive: verdict.keep_alive,
                expect_continue: verdict.expect_continue,
                upgrade: verdict.upgrade,
            })
        }
        Err(refusal) => Err(refusal.kind.status().as_u16()),
    };
    assert_eq!(decided, reference(version == Version::Http10, &lines), "{head:?}");
}

fn value(draw: &mut Draw<'_>) -> String {
    if draw.once_in(3) {
        // Good ones, which would be rare.
        return (*draw.pick(&[
            "5",
            "0",
            "chunked",
            "close",
            "keep-alive",
            "100-continue",
            "keep-alive, upgrade",
        ]))
        .to_owned();
    }
    let pieces: String = (0..draw.below(4)).map(|_| *draw.pick(&PIECES)).collect();
    pieces.trim_matches([' ', '\t']).to_owned()
}

/// The same, decided once all lines are there.
fn reference(old: bool, lines: &[Line]) -> Result<Decision, u16> {
    // The first line that is wrong decides what the client is told.
    let (mut hosts, mut lengths, mut codings) = (0, Vec::new(), 0);
    let (mut expects, mut options, mut upgrade) = (false, Vec::new(), false);
    for Line { name, value, is_host } in lines {
        match &*name.to_ascii_lowercase() {
            "host" => {
                hosts += 1;
                if hosts > 1 || !is_host {
                    return Err(400);
                }
            }
            "content-length" => {
                let plain = !value.is_empty() && value.chars().all(|digit| digit.is_ascii_digit());
                let short = value.len() <= 18 && (value == "0" || !value.starts_with('0'));
                if !lengths.is_empty() || !plain || !short {
                    return Err(400);
                }
                lengths.push(value.parse::<u64>().map_err(|_| 400_u16)?);
            }
            "transfer-encoding" => {
                codings += 1;
                if codings > 1 {
                    return Err(400);
                }
                check_codings(value)?;
            }
            "expect" => {
                if !value.eq_ignore_ascii_case("100-continue") {
                    return Err(417);
                }
                expects = true;
            }
            "connection" => {
                options.extend(
                    value
                        .split(',')
                        .map(|option| option.trim_matches([' ', '\t']).to_ascii_lowercase()),
                );
            }
            "upgrade" => upgrade = true,
            _ => {}
        }
    }
    let chunked = codings > 0;
    if chunked && (old || !lengths.is_empty()) || hosts == 0 && !old {
        return Err(400);
    }
    let framing = match lengths.first() {
        _ if chunked => Framing::Chunked,
        Some(length) => Framing::Length(*length),
        None => Framing::None,
    };
    let has_body = !matches!(framing, Framing::None | Framing::Length(0));
    let says = |option: &str| options.iter().any(|said| said == option);
    Ok(Decision {
        framing,
        keep_alive: !says("close") && (!old || says("keep-alive")),
        expect_continue: expects && has_body && !old,
        upgrade: upgrade && says("upgrade") && !old,
    })
}

/// 501 for codings that could be and are not known here, 400 for what is no list of codings, or does not end in the one `chunked`.
fn check_codings(value: &str) -> Result<(), u16> {
    let codings: Vec<&str> = value
        .split(',')
        .map(|coding| coding.trim_matches([' ', '\t']))
        .collect();
    let is_chunked = |coding: &&&str| coding.eq_ignore_ascii_case("chunked");
    let is_token = |coding: &str| {
        !coding.is_empty()
            && coding
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte))
    };
    if !codings.iter().all(|coding| is_token(coding)) {
        return Err(400);
    }
    match (codings.len(), codings.iter().filter(is_chunked).count()) {
        (1, 1) => Ok(()),
        (1, 0) => Err(501),
        (all, chunked) if chunked < all && is_chunked(&codings.last().expect("there are some")) => Err(501),
        _ => Err(400),
    }
}
