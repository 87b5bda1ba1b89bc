//! What stands on the command line.

/// What is asked for.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Action {
    /// Write `src/generated`, or compare it.
    Generate {
        /// Compare only.
        check: bool,
    },
    /// List every route.
    Routes {
        /// As JSON.
        json: bool,
    },
    /// Say which route answers a request.
    Explain {
        /// Its method.
        method: String,
        /// Its raw path.
        path: String,
    },
    /// Say how it is used.
    Help,
}

/// A command line that was read.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Arguments {
    /// What to do.
    pub(crate) action: Action,
    /// With which packages; none: those that are found.
    pub(crate) packages: Vec<String>,
}

/// How it is used.
pub(crate) const HELP: &str = "\
Polywire's generator: reads the sources of an application and writes its route table and binders.

usage: cargo xtask <command>

  generate [-p PACKAGE] [--check]   write src/generated; --check: write nothing, print a diff, exit 1 if there is one
  routes [-p PACKAGE] [--json]      list every route
  explain METHOD PATH [-p PACKAGE]  say which route answers a request, and why
  help                              print this

Without -p: the package in the current directory if it has routes, else every member of the workspace that has some.
";

const COMMANDS: [&str; 4] = ["generate", "routes", "explain", "help"];

impl Arguments {
    /// Reads the arguments after the program's name.
    ///
    /// # Errors
    /// What is wrong with them, and a hint.
    pub(crate) fn parse(arguments: &[String]) -> Result<Self, String> {
        let mut arguments = arguments.iter().map(String::as_str);
        let Some(command) = arguments.next() else {
            return Err(format!("error: which command?\n\n{HELP}"));
        };
        if matches!(command, "-h" | "--help") {
            return Ok(Self {
                action: Action::Help,
                packages: Vec::new(),
            });
        }
        if !COMMANDS.contains(&command) {
            return Err(unknown("command", command, &COMMANDS));
        }
        let arguments: Vec<&str> = arguments.collect();
        if arguments.iter().any(|argument| matches!(*argument, "-h" | "--help")) {
            return Ok(Self {
                action: Action::Help,
                packages: Vec::new(),
            });
        }
        let arguments = arguments.into_iter();
        let mut rest = Rest::default();
        rest.read(command, arguments)?;
        let action = match command {
            "generate" => Action::Generate {
                check: rest.flag("--check"),
            },
            "routes" => Action::Routes {
                json: rest.flag("--json"),
            },
            "explain" => rest.request()?,
            _ => Action::Help,
        };
        let Some(extra) = rest.flags.first().or(rest.words.first()) else {
            return Ok(Self {
                action,
                packages: rest.packages,
            });
        };
        let hint = match pw_syntax::nearest(extra, &["--check", "--json", "--package"]) {
            Some(near) if near != *extra => format!("help: did you mean `{near}`?"),
            _ => HINT.to_owned(),
        };
        match action {
            Action::Help => Ok(Self {
                action,
                packages: rest.packages,
            }),
            _ => Err(format!("error: `{command}` takes no `{extra}`\n{hint}")),
        }
    }
}

const HINT: &str = "help: `cargo xtask help` says what there is";

/// Everything after the command.
#[derive(Default)]
struct Rest<'a> {
    packages: Vec<String>,
    flags: Vec<&'a str>,
    words: Vec<&'a str>,
}

impl<'a> Rest<'a> {
    fn read(&mut self, command: &str, mut arguments: impl Iterator<Item = &'a str>) -> Result<(), String> {
        while let Some(argument) = arguments.next() {
            let package = match argument {
                "-p" | "--package" => arguments.next(),
                _ => match argument
                    .strip_prefix("--package=")
                    .or_else(|| argument.strip_prefix("-p"))
                {
                    Some(package) => Some(package),
                    None if argument.starts_with('-') => {
                        self.flags.push(argument);
                        continue;
                    }
                    None => {
                        self.words.push(argument);
                        continue;
                    }
                },
            };
            match package.filter(|package| !package.is_empty() && !package.starts_with('-')) {
                Some(package) => self.packages.push(package.trim_start_matches('=').to_owned()),
                None => {
                    return Err(format!(
                        "error: `-p` needs the name of a package\nhelp: `cargo xtask {command} -p my-app`"
                    ));
                }
            }
        }
        Ok(())
    }

    /// Method and path; they are used up.
    fn request(&mut self) -> Result<Action, String> {
        let example = "help: `cargo xtask explain GET /users/42`";
        let [method, path, ..] = self.words[..] else {
            return Err(format!("error: `explain` needs a method and a path\n{example}"));
        };
        if path == "*" && method != "OPTIONS" {
            return Err("error: only `OPTIONS` may be about `*`, the server as a whole\nhelp: `cargo xtask explain OPTIONS '*'`".to_owned());
        }
        if !path.starts_with('/') && path != "*" {
            let hint = match path
                .split_once("://")
                .and_then(|(_, rest)| rest.find('/').map(|at| &rest[at..]))
            {
                Some(path) => format!("help: of a URL, write the path alone: `{path}`"),
                None => example.to_owned(),
            };
            return Err(format!("error: a path begins with `/`: `{path}` does not\n{hint}"));
        }
        if method.bytes().any(|byte| byte.is_ascii_lowercase()) {
            let hint = format!("help: `cargo xtask explain {} {path}`", method.to_ascii_uppercase());
            return Err(format!(
                "error: methods are case-sensitive: `{method}` is not `{}`\n{hint}",
                method.to_ascii_uppercase()
            ));
        }
        self.words.drain(..2);
        Ok(Action::Explain {
            method: method.to_owned(),
            path: path.to_owned(),
        })
    }

    /// Whether a flag was there; it is used up.
    fn flag(&mut self, name: &str) -> bool {
        let before = self.flags.len();
        self.flags.retain(|flag| *flag != name);
        self.flags.len() < before
    }
}

fn unknown(what: &str, name: &str, all: &[&str]) -> String {
    match pw_syntax::nearest(name, all) {
        Some(near) => format!("error: there is no {what} `{name}`\nhelp: did you mean `{near}`?"),
        None => format!("error: there is no {what} `{name}`\n{HINT}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<Arguments, String> {
        let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        Arguments::parse(&words)
    }

    #[test]
    fn packages_and_flags_stand_anywhere() {
        let expected = Arguments {
            action: Action::Generate { check: true },
            packages: vec!["a".to_owned(), "b".to_owned()],
        };
        for line in [
            "generate -p a --check --package=b",
            "generate --check -pa -p=b",
            "generate --package a -p b --check",
        ] {
            assert_eq!(parse(line).as_ref(), Ok(&expected), "{line}");
        }
        let request = Action::Explain {
            method: "GET".to_owned(),
            path: "/a".to_owned(),
        };
        assert_eq!(parse("explain GET -p a /a").unwrap().action, request);
        for line in ["--help", "generate --help", "explain -h", "routes -p a --help"] {
            assert_eq!(parse(line).unwrap().action, Action::Help, "{line}");
        }
    }

    #[test]
    fn mistakes_are_answered_with_a_hint() {
        for (line, hint) in [
            ("", "which command?"),
            ("genrate", "did you mean `generate`?"),
            ("generate --chek", "did you mean `--check`?"),
            ("generate --json", "`generate` takes no `--json`"),
            ("routes helloworld", "`routes` takes no `helloworld`"),
            ("generate -p", "`-p` needs the name of a package"),
            ("generate -p --check", "`-p` needs the name of a package"),
            ("explain GET", "needs a method and a path"),
            ("explain GET *", "only `OPTIONS` may be about `*`"),
            ("explain GET users", "a path begins with `/`"),
            ("explain GET http://x/users?a", "write the path alone: `/users?a`"),
            ("explain get /", "`cargo xtask explain GET /`"),
        ] {
            let message = parse(line).expect_err(line);
            assert!(message.contains(hint), "{line}: {message}");
        }
    }
}
