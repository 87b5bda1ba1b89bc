//! Where the server listens: one address out of four places, and what to say when it is wrong.

use std::ffi::OsString;
use std::fmt;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::panic::Location;

/// The environment variable that names the address.
pub(crate) const VARIABLE: &str = "POLYWIRE_LISTEN";

const EXAMPLE: &str = "give an IP address and a port, such as 127.0.0.1:8080, or 0.0.0.0:8080 for every interface";

/// An address named in the code.
#[derive(Clone, Debug)]
pub(crate) struct InCode {
    pub(crate) address: String,
    pub(crate) place: &'static Location<'static>,
}

/// The address to listen on: the command line's over the environment's over the code's over 127.0.0.1:8080. An empty
/// variable is no variable.
pub(crate) fn address(
    argument: Option<Option<OsString>>,
    variable: Option<OsString>,
    code: Option<InCode>,
) -> Result<SocketAddr, WrongAddress> {
    let (source, text) = match (argument, variable.filter(|value| !value.is_empty()), code) {
        (Some(Some(value)), _, _) => (Source::Argument, value),
        (Some(None), _, _) => return Err(WrongAddress(Source::Argument, None)),
        (None, Some(value), _) => (Source::Variable, value),
        (None, None, Some(code)) => (Source::Code(code.place), code.address.into()),
        (None, None, None) => return Ok((Ipv4Addr::LOCALHOST, 8080).into()),
    };
    let parsed = text.to_str().and_then(|text| text.parse().ok());
    parsed.ok_or(WrongAddress(source, Some(text)))
}

#[derive(Debug)]
enum Source {
    Argument,
    Variable,
    Code(&'static Location<'static>),
}

/// Text that is no address, and where it came from.
#[derive(Debug)]
pub(crate) struct WrongAddress(Source, Option<OsString>);

impl fmt::Display for WrongAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(text) = &self.1 else {
            return write!(f, "`--listen` on the command line needs an address: {EXAMPLE}");
        };
        match self.0 {
            Source::Argument => write!(f, "`--listen` on the command line")?,
            Source::Variable => write!(f, "`{VARIABLE}` in the environment")?,
            Source::Code(place) => write!(f, "`listen(..)` at {}:{}", place.file(), place.line())?,
        }
        write!(f, " is {text:?}, which is no address to listen on: {EXAMPLE}")
    }
}

/// Why an address could not be bound, in one line.
pub(crate) fn cannot_bind(address: SocketAddr, error: &io::Error) -> String {
    let remedy = match error.kind() {
        io::ErrorKind::AddrInUse => {
            "another process listens there; stop it, or choose another port with `--listen` (port 0 takes any free one)"
        }
        io::ErrorKind::AddrNotAvailable => "this machine has no such address; 0.0.0.0 stands for all it has",
        io::ErrorKind::PermissionDenied => "ports below 1024 need a privilege; choose another with `--listen`",
        _ => "choose another with `--listen`",
    };
    format!("can't listen on {address}: {error}: {remedy}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn in_code(address: &str) -> Option<InCode> {
        Some(InCode {
            address: address.to_owned(),
            place: Location::caller(),
        })
    }

    #[test]
    fn the_command_line_goes_before_the_environment_before_the_code() {
        let argument = || Some(Some(OsString::from("127.0.0.1:1")));
        let variable = || Some(OsString::from("127.0.0.1:2"));
        let port = |a, v, c| address(a, v, c).unwrap().port();
        assert_eq!(port(argument(), variable(), in_code("[::1]:3")), 1);
        assert_eq!(port(None, variable(), in_code("[::1]:3")), 2);
        assert_eq!(port(None, Some("".into()), in_code("[::1]:3")), 3);
        assert_eq!(address(None, None, None).unwrap().to_string(), "127.0.0.1:8080");
    }

    #[test]
    fn a_wrong_address_says_where_it_came_from() {
        let said = |a: Option<Option<&str>>, v: Option<&str>, c| {
            let argument = a.map(|a| a.map(OsString::from));
            address(argument, v.map(OsString::from), c).unwrap_err().to_string()
        };
        assert_eq!(
            said(Some(Some("8080")), Some("127.0.0.1:1"), None),
            "`--listen` on the command line is \"8080\", which is no address to listen on: \
             give an IP address and a port, such as 127.0.0.1:8080, or 0.0.0.0:8080 for every interface"
        );
        assert!(said(Some(None), None, None).starts_with("`--listen` on the command line needs an address: give "));
        assert!(said(None, Some("a\nb"), None).starts_with("`POLYWIRE_LISTEN` in the environment is \"a\\nb\", which"));
        let code = said(None, None, in_code("localhost:80"));
        assert!(
            code.starts_with("`listen(..)` at ") && code.contains("listen.rs:"),
            "{code}"
        );
    }

    #[test]
    fn every_message_is_one_line() {
        for kind in [io::ErrorKind::AddrInUse, io::ErrorKind::Other] {
            let said = cannot_bind(([127, 0, 0, 1], 80).into(), &kind.into());
            assert!(
                said.starts_with("can't listen on 127.0.0.1:80: ") && !said.contains('\n'),
                "{said}"
            );
        }
    }
}
