//! The command line: which arguments are Polywire's own, and which are the application's.
//!
//! Ours are few, and everything else is left alone, values included. What they mean: `app.rs`.

use std::ffi::{OsStr, OsString};

/// The program's arguments without those that set Polywire up (`--listen ADDR`, `--listen=ADDR`), for the application to
/// read as it likes. Like [`std::env::args_os`], the first is the program's name.
///
/// `--help` and `-h` stay: an application that reads its arguments before it makes its [`App`](crate::App) may answer
/// them itself, and `App` answers them otherwise. After `--` nothing is Polywire's.
///
/// ```
/// // prog --listen 127.0.0.1:9000 --static public   =>   prog --static public
/// let folder = polywire::args().skip_while(|argument| argument != "--static").nth(1);
/// # assert_eq!(folder, None);
/// ```
pub fn args() -> impl Iterator<Item = OsString> {
    split(std::env::args_os()).1.into_iter()
}

/// What the command line says to Polywire.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Own {
    /// The value of the last `--listen`; `Some(None)` if it had none.
    pub(crate) listen: Option<Option<OsString>>,
    pub(crate) help: bool,
}

/// Polywire's own arguments, and the rest. The first argument is the program.
pub(crate) fn split(arguments: impl Iterator<Item = OsString>) -> (Own, Vec<OsString>) {
    let mut arguments = arguments;
    let mut own = Own::default();
    let mut rest: Vec<OsString> = arguments.next().into_iter().collect();
    while let Some(argument) = arguments.next() {
        if argument == "--" {
            rest.push(argument);
            rest.extend(arguments);
            break;
        }
        if argument == "--listen" {
            own.listen = Some(arguments.next());
        } else if let Some(value) = value_of(&argument, "--listen=") {
            own.listen = Some(Some(value.to_owned()));
        } else {
            own.help |= argument == "--help" || argument == "-h";
            rest.push(argument);
        }
    }
    (own, rest)
}

fn value_of<'a>(argument: &'a OsStr, prefix: &str) -> Option<&'a OsStr> {
    // An address is text: an argument that is not is somebody else's.
    argument.to_str()?.strip_prefix(prefix).map(OsStr::new)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(line: &str) -> (Own, String) {
        let (own, rest) = split(line.split(' ').map(OsString::from));
        (own, rest.join(OsStr::new(" ")).into_string().unwrap())
    }

    fn listen(value: &str) -> Own {
        Own {
            listen: Some(Some(value.into())),
            help: false,
        }
    }

    #[test]
    fn ours_are_taken_and_the_rest_is_left() {
        assert_eq!(
            parsed("p --listen a --static dir x"),
            (listen("a"), "p --static dir x".into())
        );
        assert_eq!(parsed("p x --listen=a -v"), (listen("a"), "p x -v".into()));
        assert_eq!(parsed("p --listen a --listen b"), (listen("b"), "p".into()));
        assert_eq!(parsed("p --listener a"), (Own::default(), "p --listener a".into()));
    }

    #[test]
    fn a_program_named_like_an_option_is_a_program() {
        assert_eq!(parsed("--help"), (Own::default(), "--help".into()));
    }

    #[test]
    fn nothing_is_ours_after_two_dashes() {
        assert_eq!(
            parsed("p -- --listen a -h"),
            (Own::default(), "p -- --listen a -h".into())
        );
    }

    #[test]
    fn a_missing_value_is_seen() {
        assert_eq!(parsed("p --listen").0.listen, Some(None));
        assert_eq!(parsed("p --listen=").0.listen, Some(Some("".into())));
    }

    #[test]
    fn help_is_answered_here_and_shown_to_the_application() {
        for line in ["p --help", "p x -h"] {
            let (own, rest) = parsed(line);
            assert!(own.help);
            assert_eq!(rest, line);
        }
    }
}
