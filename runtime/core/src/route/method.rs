//! Methods as the table sees them: those every server knows by number, the application's own by name, and the set of
//! those a path allows. It knows nothing of paths.

use std::fmt;

/// The most methods an application may use beyond RFC 9110's eight and PATCH.
pub const MAX_METHODS: usize = u64::BITS as usize - KNOWN.len();

/// RFC 9110's methods and PATCH, sorted. Any other gets 501 unless a route has it.
pub(super) const KNOWN: [&str; 9] = [
    "CONNECT", "DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT", "TRACE",
];

pub(super) const GET: usize = 2;
pub(super) const HEAD: usize = 3;
const OPTIONS: usize = 4;

/// The method's place in [`KNOWN`], or its length if it is none of them. A match on bytes: on text it would compare one
/// name after the other.
pub(super) const fn number(method: &[u8]) -> usize {
    match method {
        b"CONNECT" => 0,
        b"DELETE" => 1,
        b"GET" => GET,
        b"HEAD" => HEAD,
        b"OPTIONS" => OPTIONS,
        b"PATCH" => 5,
        b"POST" => 6,
        b"PUT" => 7,
        b"TRACE" => 8,
        _ => KNOWN.len(),
    }
}

/// The method a request has.
#[derive(Clone, Copy)]
pub(super) struct Wanted<'a> {
    number: usize,
    name: &'a [u8],
}

impl<'a> Wanted<'a> {
    #[inline]
    pub(super) fn new(name: &'a [u8]) -> Self {
        Self {
            number: number(name),
            name,
        }
    }

    pub(super) fn number(&self) -> usize {
        self.number
    }

    pub(super) fn name(&self) -> &'a [u8] {
        self.name
    }

    pub(super) fn is_known(&self) -> bool {
        self.number < KNOWN.len()
    }

    pub(super) fn is_options(&self) -> bool {
        self.number == OPTIONS
    }
}

/// The methods a path allows; displayed, it is the value of an `Allow` field (RFC 9110 10.2.1): those every server
/// knows in alphabetical order, then the application's own. `HEAD` is there where `GET` is, and `OPTIONS` always.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Allow {
    bits: u64,
    own: &'static [&'static str],
}

impl Allow {
    /// None yet. `own` are the application's own methods.
    pub(super) fn new(own: &'static [&'static str]) -> Self {
        Self { bits: 0, own }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.bits == 0
    }

    pub(super) fn add(&mut self, method: &str) {
        self.bits |= 1 << OPTIONS;
        match number(method.as_bytes()) {
            GET => self.bits |= 1 << GET | 1 << HEAD,
            known if known < KNOWN.len() => self.bits |= 1 << known,
            _ => {
                if let Some(at) = self.own.iter().position(|own| *own == method) {
                    self.bits |= 1 << (KNOWN.len() + at);
                }
            }
        }
    }

    /// The methods' names.
    pub fn methods(&self) -> impl Iterator<Item = &'static str> {
        let bits = self.bits;
        let names = KNOWN.iter().chain(self.own).enumerate();
        names
            .filter(move |(at, _)| bits & (1 << at) != 0)
            .map(|(_, name)| *name)
    }
}

impl fmt::Display for Allow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, method) in self.methods().enumerate() {
            f.write_str(if at == 0 { "" } else { ", " })?;
            f.write_str(method)?;
        }
        Ok(())
    }
}

impl fmt::Debug for Allow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Allow({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_places_in_the_list() {
        for (at, name) in KNOWN.iter().enumerate() {
            assert_eq!(number(name.as_bytes()), at);
        }
        for other in ["", "get", "GETS", "PURGE"] {
            assert_eq!(number(other.as_bytes()), KNOWN.len(), "{other}");
        }
        assert!(KNOWN.is_sorted());
    }

    #[test]
    fn allow_names_each_method_once() {
        let mut allow = Allow::new(&["LINK", "PURGE"]);
        assert!(allow.is_empty());
        for method in ["PURGE", "POST", "GET", "GET"] {
            allow.add(method);
        }
        assert_eq!(allow.to_string(), "GET, HEAD, OPTIONS, POST, PURGE");
    }
}
