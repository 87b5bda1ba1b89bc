//! What a server does under attack, and when it dies: `cargo xtask faults` builds one for each transport and runs this on them.
//!
//! [`FAULTS`] is all there is to run, each a module that says what it does to the server; what it finds are rows of [`report`]. Servers are
//! processes ([`server`]) that are looked at through `/proc`, which only Linux has. Nothing here knows a transport: it is given
//! programs that answer as `examples/probe` does and take its arguments. Everything is bounded: a wait has a deadline, and a server
//! ends with the fault it was started for.

mod client;
mod descriptors;
mod flood;
mod honest;
mod lasting;
mod load;
mod report;
mod restart;
mod server;
mod shutdown;
mod slowloris;
mod socket;
mod storm;
mod unread;

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use report::{Row, Tally};
use server::Program;

const HELP: &str = "\
Attacks a server that runs examples/probe, and says what becomes of it.

    faults --server NAME=PATH [--server NAME=PATH].. [--short] [--only FAULT[,FAULT]]

Exit 0: every bound was kept; 1: one was not; 2: the run could not be done. Faults:

";

/// One way to hurt a server.
struct Fault {
    name: &'static str,
    about: &'static str,
    run: fn(&Program, Form) -> Result<Vec<Row>, String>,
}

const FAULTS: &[Fault] = &[
    Fault {
        name: "slowloris",
        about: "clients that send a byte now and then, beside honest ones",
        run: slowloris::run,
    },
    Fault {
        name: "unread",
        about: "clients that never read a large answer",
        run: unread::run,
    },
    Fault {
        name: "flood",
        about: "clients that send requests without end and never read",
        run: flood::run,
    },
    Fault {
        name: "lasting",
        about: "clients that vanish in the middle of files, downloads, events and WebSockets, or never read them",
        run: lasting::run,
    },
    Fault {
        name: "descriptors",
        about: "more clients than the process may have descriptors",
        run: descriptors::run,
    },
    Fault {
        name: "storm",
        about: "clients that connect and reset",
        run: storm::run,
    },
    Fault {
        name: "shutdown",
        about: "SIGTERM under load",
        run: shutdown::run,
    },
    Fault {
        name: "restart",
        about: "kill -9 under load, and a start on the same port",
        run: restart::run,
    },
];

/// How much of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// The figures a server is held to, with its default timeouts: minutes.
    Full,
    /// Fewer clients and shorter timeouts, for CI: about a minute.
    Short,
}

impl Form {
    /// One of two figures.
    fn pick<T>(self, full: T, short: T) -> T {
        match self {
            Self::Full => full,
            Self::Short => short,
        }
    }

    /// The arguments that set a server's timeouts to these. The full form asks whether they are what it has by default.
    fn timeouts(self, timeouts: &[(&str, Duration)]) -> Vec<String> {
        let timeouts = if self == Self::Full { &[] } else { timeouts };
        timeouts
            .iter()
            .flat_map(|(name, time)| [(*name).to_owned(), time.as_secs().to_string()])
            .collect()
    }
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments
        .iter()
        .any(|argument| argument == "-h" || argument == "--help")
    {
        print!("{HELP}");
        for fault in FAULTS {
            println!("  {:12} {}", fault.name, fault.about);
        }
        return ExitCode::SUCCESS;
    }
    let options = match Options::parse(arguments.into_iter()).and_then(Options::checked) {
        Ok(options) => options,
        Err(wrong) => {
            eprintln!("error: {wrong}");
            return ExitCode::from(2);
        }
    };
    match options.run() {
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    }
}

struct Options {
    programs: Vec<Program>,
    form: Form,
    only: Option<Vec<String>>,
}

impl Options {
    fn parse(mut arguments: impl Iterator<Item = String>) -> Result<Self, String> {
        let mut options = Self {
            programs: Vec::new(),
            form: Form::Full,
            only: None,
        };
        while let Some(argument) = arguments.next() {
            let mut value = || arguments.next().ok_or_else(|| format!("`{argument}` needs a value"));
            match &*argument {
                "--short" => options.form = Form::Short,
                "--only" => options.only = Some(value()?.split(',').map(str::to_owned).collect()),
                "--server" => {
                    let value = value()?;
                    let (name, path) = value
                        .split_once('=')
                        .ok_or_else(|| format!("`--server` needs NAME=PATH, not `{value}`"))?;
                    options.programs.push(Program {
                        name: name.to_owned(),
                        path: PathBuf::from(path),
                    });
                }
                _ => return Err(format!("unknown argument `{argument}`; --help shows all")),
            }
        }
        Ok(options)
    }

    /// With something to run, and a machine to run it on.
    fn checked(self) -> Result<Self, String> {
        if self.programs.is_empty() {
            return Err("`--server` is needed".to_owned());
        }
        let unknown = self
            .only
            .iter()
            .flatten()
            .find(|name| FAULTS.iter().all(|fault| fault.name != **name));
        if let Some(unknown) = unknown {
            return Err(format!("there is no fault `{unknown}`; --help shows all"));
        }
        server::check_own_limit()?;
        Ok(self)
    }

    /// Runs it all; whether every bound was kept.
    fn run(&self) -> bool {
        let mut tally = Tally::default();
        for program in &self.programs {
            for fault in FAULTS {
                if self
                    .only
                    .as_ref()
                    .is_some_and(|only| only.iter().all(|name| name != fault.name))
                {
                    continue;
                }
                tally.title(&program.name, fault.name, fault.about);
                tally.print((fault.run)(program, self.form));
            }
        }
        tally.print_total()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(line: &str) -> Result<Options, String> {
        Options::parse(line.split(' ').map(str::to_owned))
    }

    #[test]
    fn servers_have_names() {
        let options = parsed("--server a=/bin/a --short --server b=/x=y --only storm,flood").unwrap();
        let servers: Vec<_> = options
            .programs
            .iter()
            .map(|program| (&*program.name, &*program.path))
            .collect();
        assert_eq!(servers, [("a", "/bin/a".as_ref()), ("b", "/x=y".as_ref())]);
        assert_eq!(options.form, Form::Short);
        assert_eq!(options.only.unwrap(), ["storm", "flood"]);
    }

    #[test]
    fn what_can_not_be_run_is_refused() {
        for (line, wanted) in [
            ("--short", "`--server` is needed"),
            ("--server a", "`--server` needs NAME=PATH, not `a`"),
            ("--server a=b --only rain", "there is no fault `rain`; --help shows all"),
            ("--long", "unknown argument `--long`; --help shows all"),
        ] {
            assert_eq!(parsed(line).and_then(Options::checked).err().unwrap(), wanted);
        }
    }

    #[test]
    fn the_full_form_leaves_timeouts_alone() {
        let timeouts = [("--head-timeout", Duration::from_secs(2))];
        assert_eq!(Form::Short.timeouts(&timeouts), ["--head-timeout", "2"]);
        assert!(Form::Full.timeouts(&timeouts).is_empty());
    }
}
