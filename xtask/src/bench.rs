//! `cargo xtask bench`: what Polywire claims, measured beside its peers.
//!
//! A layer measures one thing and gives tables; what a table is stands in `run.rs`, and how it is shown in `report.rs`. Layers
//! know nothing of each other: `--only` takes any of them, in any order.

pub(crate) mod answerer;
mod answers;
mod baseline;
mod build;
mod client;
mod files;
mod lasting;
mod load;
mod loopback;
mod machine;
mod memory;
mod nginx;
mod pipe;
mod process;
mod report;
mod rounds;
mod routing;
mod run;
mod servers;
mod size;
pub(crate) mod valgrind;

use std::collections::BTreeSet;

use cargo_metadata::MetadataCommand;

use self::report::Report;
use self::run::{Machine, Run, Table};

const HELP: &str = "\
Measures Polywire on each transport beside services written by hand on others, and writes what it found.

    cargo xtask bench [--quick] [--only LAYER[,LAYER]] [--servers NAME[,NAME]] [--out FOLDER]
    cargo xtask bench --again [--out FOLDER]
    cargo xtask bench --check [--write REASON]

  --quick           fewer rounds, shorter ones, and the layers that take no load: under 3 minutes
  --only LAYER      these layers; without it, all
  --servers NAME    these servers and the base; without it, all that are installed
  --out FOLDER      where results go (default: xtask/bench/results, and into the README)
  --again           measure nothing: write page and README again, of latest.json
  --check           count instructions, allocations and bytes, and fail above xtask/bench/baseline.json by 3 %
  --write REASON    with --check: make what is counted the baseline, and say why

It writes latest.json, latest.html and a dated copy. With --only, tables that weren't measured stay, each with the machine and the
commit it was measured on. With --quick or --servers it writes trial.json and trial.html, and nothing else.

Layers:
";

/// What is measured together.
struct Layer {
    name: &'static str,
    about: &'static str,
    /// Whether `--quick` has it.
    quick: bool,
    measure: fn(&Options) -> Result<Vec<Table>, String>,
}

const LAYERS: &[Layer] = &[
    Layer {
        name: "pipe",
        about: "no socket: instructions, allocations and time of a request",
        quick: true,
        measure: pipe::pipe,
    },
    Layer {
        name: "loopback",
        about: "wrk on sockets of this machine: CPU per request, latencies",
        quick: true,
        measure: loopback::loopback,
    },
    Layer {
        name: "ab",
        about: "the same under ab, as other projects publish it",
        quick: false,
        measure: loopback::ab,
    },
    Layer {
        name: "waiting",
        about: "requests that wait for a millisecond",
        quick: false,
        measure: loopback::waiting,
    },
    Layer {
        name: "files",
        about: "9.7 kB and 2.1 MB out of memory",
        quick: false,
        measure: files::files,
    },
    Layer {
        name: "static",
        about: "the same out of a folder, beside nginx",
        quick: false,
        measure: files::of_a_folder,
    },
    Layer {
        name: "memory",
        about: "at rest, under load, with 10,000 connections",
        quick: false,
        measure: memory::memory,
    },
    Layer {
        name: "lasting",
        about: "10,000 clients of events, 5,000 WebSockets",
        quick: false,
        measure: lasting::lasting,
    },
    Layer {
        name: "startup",
        about: "from start to first answer",
        quick: false,
        measure: memory::startup,
    },
    Layer {
        name: "routing",
        about: "instructions of a lookup over 5 to 3,000 routes, beside matchit",
        quick: true,
        measure: routing::routing,
    },
    Layer {
        name: "size",
        about: "how large binaries are",
        quick: false,
        measure: size::size,
    },
    Layer {
        name: "build",
        about: "how long building takes, clean and after a change",
        quick: false,
        measure: build::build,
    },
];

/// What was asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Options {
    /// Fewer and shorter rounds.
    pub(crate) quick: bool,
    /// Of the layers, and of the servers, these. Empty: all.
    pub(crate) only: BTreeSet<String>,
    pub(crate) servers: BTreeSet<String>,
    pub(crate) out: Option<String>,
    /// Writes what was measured before.
    pub(crate) again: bool,
    pub(crate) check: bool,
    /// Why the baseline changes.
    pub(crate) write: Option<String>,
}

/// Runs it.
pub(crate) fn run(arguments: &[String]) -> Result<(), String> {
    let Some(options) = Options::parse(arguments)? else {
        print!("{HELP}");
        for layer in LAYERS {
            println!("  {:9} {}", layer.name, layer.about);
        }
        return Ok(());
    };
    match options.check {
        true => baseline::check(options.write.as_deref()),
        false => measure(&options, arguments),
    }
}

/// Runs the layers, and writes what they give. One that fails is told of in the end, and keeps none of the others from being written.
fn measure(options: &Options, arguments: &[String]) -> Result<(), String> {
    let metadata = MetadataCommand::new()
        .no_deps()
        .exec()
        .map_err(|error| error.to_string())?;
    let root = metadata.workspace_root.as_std_path();
    let report = Report::new(root, options)?;
    if options.again {
        println!("{}", report.write_again()?.display());
        return Ok(());
    }
    // Before layers run: a commit made meanwhile is not what they have built.
    let machine = Machine::here(root);
    let (mut tables, mut failures) = (Vec::new(), Vec::new());
    for layer in LAYERS.iter().filter(|layer| options.wants(layer)) {
        eprintln!("{}: {}", layer.name, layer.about);
        match (layer.measure)(options) {
            Ok(measured) => {
                measured.iter().for_each(|table| println!("{}", report::print(table)));
                tables.extend(measured);
            }
            Err(failure) => failures.push(format!("{}: {failure}", layer.name)),
        }
    }
    if !tables.is_empty() {
        let run = Run {
            machine,
            command: ["cargo xtask bench".to_owned(), arguments.join(" ")]
                .join(" ")
                .trim_end()
                .to_owned(),
            versions: machine::versions(root),
            tables,
        };
        println!("{}", report.write(run)?.display());
    }
    match failures.is_empty() {
        true => Ok(()),
        false => Err(failures.join("\n       ")),
    }
}

impl Options {
    /// `None`: help is wanted.
    fn parse(arguments: &[String]) -> Result<Option<Self>, String> {
        let mut options = Self::default();
        let mut arguments = arguments.iter();
        while let Some(argument) = arguments.next() {
            let mut value = || {
                arguments
                    .next()
                    .cloned()
                    .ok_or_else(|| format!("`{argument}` needs a value: see `cargo xtask bench --help`"))
            };
            match argument.as_str() {
                "--help" | "-h" => return Ok(None),
                "--quick" => options.quick = true,
                "--only" => options.only = names(&value()?),
                "--servers" => options.servers = names(&value()?),
                "--out" => options.out = Some(value()?),
                "--again" => options.again = true,
                "--check" => options.check = true,
                "--write" => options.write = Some(value()?),
                _ => return Err(format!("`{argument}` is nothing known: see `cargo xtask bench --help`")),
            }
        }
        if let Some(unknown) = options
            .only
            .iter()
            .find(|name| !LAYERS.iter().any(|layer| layer.name == **name))
        {
            let known: Vec<&str> = LAYERS.iter().map(|layer| layer.name).collect();
            return Err(format!(
                "no layer is called `{unknown}`: there are {}",
                known.join(", ")
            ));
        }
        match options.write.is_some() && !options.check {
            true => Err("`--write` goes with `--check`".to_owned()),
            false => Ok(Some(options)),
        }
    }

    fn wants(&self, layer: &Layer) -> bool {
        match self.only.is_empty() {
            true => layer.quick || !self.quick,
            false => self.only.contains(layer.name),
        }
    }
}

fn names(list: &str) -> BTreeSet<String> {
    list.split(',').map(str::to_owned).collect()
}
