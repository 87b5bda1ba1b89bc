//! The corpus on the command line: `cargo run -p pw-conformance -- --port N`. What it can do stands in [`HELP`]; the work
//! is in the library.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::process::ExitCode;
use std::time::Duration;

use pw_conformance::case::{self, Case, Level, Selection};
use pw_conformance::exchange::Patience;
use pw_conformance::run::{self, NotRun};

const HELP: &str = "\
Runs raw HTTP/1.1 cases against a server.

    conformance --port N [--host 127.0.0.1] [--cases FILE] [--only area[,area]] [--skip area[,area]]
                [--id glob[,glob]] [--level must|should|hardening] [--slow] [--json FILE]
                [--timeout 3] [--quiet 0.35] [--jobs 16] [-v|--verbose] [--list]

Each case has its own connection. Exit 0: no `must` check failed; 1: at least one did, or the server stopped
answering; 2: the run could not be done. The format of a case stands in transports/conformance/README.md.
";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    if args.iter().any(|arg| arg == "-h" || arg == "--help") {
        print!("{HELP}");
        return ExitCode::SUCCESS;
    }
    match Options::parse(args).and_then(|options| options.run()) {
        Ok(code) => code,
        Err(why) => {
            eprintln!("{why}");
            ExitCode::from(2)
        }
    }
}

struct Options {
    host: IpAddr,
    port: Option<u16>,
    cases: Option<String>,
    selection: Selection,
    json: Option<String>,
    patience: Patience,
    jobs: usize,
    verbose: bool,
    list: bool,
}

impl Options {
    fn parse(args: Vec<String>) -> Result<Self, String> {
        let mut options = Self {
            host: Ipv4Addr::LOCALHOST.into(),
            port: None,
            cases: None,
            selection: Selection::default(),
            json: None,
            patience: Patience::default(),
            jobs: 16,
            verbose: false,
            list: false,
        };
        let mut args = args.into_iter();
        while let Some(arg) = args.next() {
            let (name, inline) = match arg.split_once('=') {
                Some((name, value)) if name.starts_with("--") => (name.to_owned(), Some(value.to_owned())),
                _ => (arg, None),
            };
            let mut value = || {
                inline
                    .clone()
                    .or_else(|| args.next())
                    .ok_or_else(|| format!("{name} needs a value"))
            };
            match name.as_str() {
                "--host" => options.host = parsed(&name, &value()?)?,
                "--port" => options.port = Some(parsed(&name, &value()?)?),
                "--cases" => options.cases = Some(value()?),
                "--only" => options.selection.only = Some(list(&value()?)),
                "--skip" => options.selection.skip = list(&value()?),
                "--id" => options.selection.ids = Some(list(&value()?)),
                "--level" => options.selection.level = Some(level(&value()?)?),
                "--json" => options.json = Some(value()?),
                "--timeout" => options.patience.timeout = seconds(&name, &value()?)?,
                "--quiet" => options.patience.quiet = seconds(&name, &value()?)?,
                "--jobs" => options.jobs = parsed(&name, &value()?)?,
                "--slow" => options.selection.slow = true,
                "-v" | "--verbose" => options.verbose = true,
                "--list" => options.list = true,
                _ => return Err(format!("unknown option {name}; --help shows all")),
            }
        }
        Ok(options)
    }

    fn run(&self) -> Result<ExitCode, String> {
        let cases = match &self.cases {
            Some(file) => case::parse(&std::fs::read_to_string(file).map_err(|why| format!("{file}: {why}"))?)?,
            None => case::all()?,
        };
        let chosen: Vec<&Case> = cases.iter().filter(|case| self.selection.takes(case)).collect();
        if self.list {
            for case in chosen {
                println!("{:<34} {:<11} {:<9} {}", case.id, case.area, case.level, case.why);
            }
            return Ok(ExitCode::SUCCESS);
        }
        let server = SocketAddr::new(self.host, self.port.ok_or("--port is needed")?);
        let report = run::run(&chosen, server, self.patience, self.jobs).map_err(|why| match why {
            NotRun::NoCase => "no case chosen".to_owned(),
            NotRun::NoAnswer => format!("GET / on {server} is not answered with 200"),
        })?;
        print!("{}", report.text(self.verbose));
        if let Some(file) = &self.json {
            std::fs::write(file, report.json(server)).map_err(|why| format!("{file}: {why}"))?;
        }
        Ok(ExitCode::from(u8::from(!report.is_good())))
    }
}

fn list(text: &str) -> Vec<String> {
    text.split(',').map(str::to_owned).collect()
}

fn level(text: &str) -> Result<Level, String> {
    Level::ALL
        .into_iter()
        .find(|level| level.as_str() == text)
        .ok_or_else(|| format!("--level is must, should or hardening, not {text}"))
}

fn parsed<T: std::str::FromStr>(name: &str, text: &str) -> Result<T, String> {
    text.parse().map_err(|_| format!("{name} can't be {text}"))
}

fn seconds(name: &str, text: &str) -> Result<Duration, String> {
    let number: f64 = parsed(name, text)?;
    Duration::try_from_secs_f64(number).map_err(|_| format!("{name} can't be {text}"))
}
