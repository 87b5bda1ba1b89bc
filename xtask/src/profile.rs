//! `cargo xtask profile`: where the instructions of a request go, by layer.
//!
//! Builds the probe's `pipe` example with line tables, has callgrind count each instruction of a run of N and of one of 2N requests
//! (`profile/callgrind.rs`), and asks `addr2line` for the frames of each, inlined ones and all (`profile/frames.rs`). The innermost
//! frame in our own code says whose an instruction is (`profile/layer.rs`): what a crate of others does inside a line of ours is that
//! line's.

mod callgrind;
mod frames;
mod layer;

use std::collections::{BTreeMap, HashMap};

use self::callgrind::Counts;
use self::frames::Frame;
use self::layer::{LAYERS, Layer, layer};
use crate::bench::answerer::{self, CASES, build};

const HELP: &str = "\
Counts where the instructions of a request go, and prints them by layer.

    cargo xtask profile [--transport NAME] [--case CASE]

  --transport NAME  on this transport (default: fast)
  --case CASE       static, param, query, post, html or missing (default: param)

It needs valgrind and addr2line (binutils).";

/// Of how many requests the difference is taken.
const REQUESTS: u32 = 2000;
/// How many functions of a layer are shown, if they take as many instructions.
const DEAREST: usize = 8;
const LEAST: f64 = 5.0;

/// Runs it.
pub(crate) fn run(arguments: &[String]) -> Result<(), String> {
    let Some(options) = Options::parse(arguments)? else {
        println!("{HELP}");
        return Ok(());
    };
    let transports = answerer::transports()?;
    if !transports.contains(&options.transport) {
        return Err(format!(
            "the probe has no transport `{}`: it has {}",
            options.transport,
            transports.join(", ")
        ));
    }
    let root = answerer::workspace()?;
    let target = answerer::target()?.join("profile");
    // A folder of its own: a build with line tables is no other build's.
    let built = build(
        &root.join("Cargo.toml"),
        &[
            "--package",
            "probe",
            "--example",
            "pipe",
            "--features",
            &format!("transport-{}", options.transport),
            "--target-dir",
            &target.to_string_lossy(),
        ],
        "pipe",
        &[("CARGO_PROFILE_RELEASE_DEBUG", "1")],
    )?;

    let command = |count: u32| {
        let arguments = ["--case".to_owned(), options.case.clone()];
        let mut command = vec![built.clone().into_os_string(), count.to_string().into()];
        command.extend(arguments.map(std::ffi::OsString::from));
        command
    };
    eprintln!("counting {REQUESTS} requests, and twice as many");
    let once = Counts::of(&command(REQUESTS), &built)?;
    let twice = Counts::of(&command(2 * REQUESTS), &built)?;
    let each = once.until(&twice, REQUESTS);
    let frames = frames::ask(&built, each.code.keys().chain(each.called.keys()).copied())?;
    let found = attribute(&each, &frames, &root.to_string_lossy());
    print!("{}", text(&options, &found));
    println!(
        "\nWhere the machine lets perf count, times and not instructions:\n  perf record -g {0} 2000000 --case {1} && perf report",
        built.display(),
        options.case
    );
    Ok(())
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Options {
    transport: String,
    case: String,
}

impl Options {
    /// `None`: help is wanted.
    fn parse(arguments: &[String]) -> Result<Option<Self>, String> {
        let mut options = Self {
            transport: "fast".to_owned(),
            case: "param".to_owned(),
        };
        let mut arguments = arguments.iter();
        while let Some(argument) = arguments.next() {
            let mut value = || {
                arguments
                    .next()
                    .cloned()
                    .ok_or_else(|| format!("`{argument}` needs a value"))
            };
            match argument.as_str() {
                "-h" | "--help" => return Ok(None),
                "--transport" => options.transport = value()?,
                "--case" => options.case = value()?,
                other => return Err(format!("`profile` takes no `{other}`: `cargo xtask profile --help`")),
            }
        }
        match CASES.contains(&options.case.as_str()) {
            true => Ok(Some(options)),
            false => Err(format!(
                "no case is called `{}`: there are {}",
                options.case,
                CASES.join(", ")
            )),
        }
    }
}

/// Instructions of a request by layer and function.
type Found = BTreeMap<Layer, HashMap<String, f64>>;

/// Whose each instruction is. What libraries of the system did is for who called them.
fn attribute(counts: &Counts, frames: &HashMap<u64, Vec<Frame>>, root: &str) -> Found {
    let mut found = Found::new();
    let mut add = |address: u64, instructions: f64, what: &str| {
        let none = Vec::new();
        let (layer, function) = layer(frames.get(&address).unwrap_or(&none), root);
        *found.entry(layer).or_default().entry(function + what).or_default() += instructions;
    };
    for (address, instructions) in &counts.code {
        add(*address, *instructions, "");
    }
    for (address, called) in &counts.called {
        for (function, instructions) in called {
            add(*address, *instructions, &format!(" ({function})"));
        }
    }
    found
}

fn text(options: &Options, found: &Found) -> String {
    let sum = |layer: &Layer| found.get(layer).into_iter().flat_map(HashMap::values).sum::<f64>();
    let total: f64 = LAYERS.iter().map(|(layer, _)| sum(layer)).sum();
    let mut text = format!(
        "instructions of a request, case {} on {}, client and pipe included\n\n",
        options.case, options.transport
    );
    for (layer, about) in LAYERS {
        let part = sum(layer);
        text += &format!(
            "{:10}{part:>8.0}{:>7.1} %  {about}\n",
            layer.name(),
            part * 100.0 / total
        );
    }
    text += &format!("{:10}{total:>8.0}\n", "all");
    for (layer, _) in LAYERS {
        let mut functions: Vec<_> = found.get(layer).into_iter().flatten().collect();
        functions.sort_by(|a, b| b.1.total_cmp(a.1).then(a.0.cmp(b.0)));
        let shown = functions.iter().filter(|(_, part)| **part >= LEAST).take(DEAREST);
        for (at, (function, part)) in shown.enumerate() {
            if at == 0 {
                text += &format!("\n{}\n", layer.name());
            }
            text += &format!("{part:>8.0}  {function}\n");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options() {
        let parsed = |line: &str| Options::parse(&line.split_whitespace().map(str::to_owned).collect::<Vec<_>>());
        let options = parsed("--transport hyper --case html").unwrap().unwrap();
        assert_eq!((&*options.transport, &*options.case), ("hyper", "html"));
        assert_eq!(parsed("--help"), Ok(None));
        assert!(parsed("--case").is_err() && parsed("--case none").is_err() && parsed("-x").is_err());
    }

    #[test]
    fn what_a_library_did_is_for_its_caller() {
        let frame = |function: &str, file: &str| Frame {
            function: function.to_owned(),
            file: file.to_owned(),
        };
        let frames = HashMap::from([
            (1, vec![frame("pw_h1::head::parse", "/w/transports/h1/src/head.rs")]),
            (2, vec![frame("tokio::io::poll", "/registry/tokio/src/io.rs")]),
        ]);
        let counts = Counts {
            code: HashMap::from([(1, 10.0), (2, 5.0), (3, 1.0)]),
            called: HashMap::from([(1, HashMap::from([("memcpy".to_owned(), 7.0)]))]),
        };
        let found = attribute(&counts, &frames, "/w");
        let sums: Vec<_> = found
            .iter()
            .map(|(layer, all)| (*layer, all.values().sum::<f64>()))
            .collect();
        assert_eq!(sums, [(Layer::Parse, 17.0), (Layer::Io, 5.0), (Layer::Other, 1.0)]);
        assert!(
            found[&Layer::Parse].keys().any(|name| name.ends_with(" (memcpy)")),
            "{found:?}"
        );
    }
}
