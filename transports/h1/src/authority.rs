//! The grammar of an authority: `uri-host [ ":" port ]` (RFC 9110 7.2, RFC 3986 3.2), without user information.

use std::net::Ipv6Addr;

use crate::class::{HEX, REG_NAME, is, span};

/// Bytes of a host: as many as the DNS has room for.
const MAX_HOST: usize = 255;

/// Whether this is a host that is not empty, and perhaps a port of at most 65535. An empty port is allowed.
pub fn is_valid(authority: &[u8]) -> bool {
    let end = match authority.first() {
        Some(b'[') => literal_end(authority),
        _ => name_end(authority),
    };
    match end {
        None | Some(0) => false,
        Some(end) if end > MAX_HOST => false,
        Some(end) => match authority[end..].split_first() {
            None => true,
            Some((b':', port)) => is_port(port),
            Some(_) => false,
        },
    }
}

/// Where a registered name or an IPv4 address ends.
fn name_end(authority: &[u8]) -> Option<usize> {
    let mut at = 0;
    loop {
        at = span(authority, at, REG_NAME);
        if authority.get(at) != Some(&b'%') {
            return Some(at);
        }
        let escape = authority.get(at + 1..at + 3)?;
        if !(is(escape[0], HEX) && is(escape[1], HEX)) {
            return None;
        }
        at += 3;
    }
}

/// Where an IP literal ends, if it is one.
#[cold]
#[inline(never)]
fn literal_end(authority: &[u8]) -> Option<usize> {
    let close = memchr::memchr(b']', authority)?;
    let inner = &authority[1..close];
    let valid = match inner.first() {
        Some(b'v' | b'V') => is_future(&inner[1..]),
        _ => std::str::from_utf8(inner).is_ok_and(|text| text.parse::<Ipv6Addr>().is_ok()),
    };
    valid.then_some(close + 1)
}

/// `1*HEXDIG "." 1*( unreserved / sub-delims / ":" )`, what follows the `v` of an IPvFuture.
fn is_future(text: &[u8]) -> bool {
    let dot = span(text, 0, HEX);
    let address = text.get(dot + 1..).unwrap_or_default();
    dot > 0
        && text.get(dot) == Some(&b'.')
        && !address.is_empty()
        && address.iter().all(|&b| b == b':' || is(b, REG_NAME))
}

fn is_port(digits: &[u8]) -> bool {
    let mut port = 0u32;
    for &digit in digits {
        if !digit.is_ascii_digit() {
            return false;
        }
        port = port * 10 + u32::from(digit - b'0');
        if port > 65535 {
            return false;
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_and_ports_by_their_grammar() {
        for good in [
            "localhost",
            "LOCALHOST",
            "localhost:8080",
            "localhost:",
            "localhost:0",
            "localhost:65535",
            "a.b-c_d~e",
            "7.test",
            "127.0.0.1",
            "127.0.0.1:80",
            "[::1]",
            "[::1]:80",
            "[::1]:",
            "[2001:db8::a:1]",
            "[::ffff:1.2.3.4]",
            "[v1.a:b]",
            "[vF.x]:1",
            "a%20b",
            "%41",
            "a!$&'()*+,;=b",
            "xn--bcher-kva.example",
            "localhost:00080",
        ] {
            assert!(is_valid(good.as_bytes()), "{good}");
        }
        for bad in [
            "",
            ":",
            ":80",
            "localhost:80:80",
            "localhost:abc",
            "localhost:-1",
            "localhost:+1",
            "localhost:65536",
            "localhost:98777",
            "localhost:4294967376",
            "localhost: 80",
            "user@localhost",
            "user:pw@localhost",
            "a b",
            "localhost, other",
            "local\\host",
            "local/host",
            "localhost?a",
            "localhost#a",
            "\"localhost\"",
            "<script>",
            "a^b",
            "a|b",
            "a`b",
            "{a}",
            "a%zz",
            "a%4",
            "a%",
            "::1",
            "[]",
            "[::1",
            "::1]",
            "[::1]x",
            "[zz]",
            "[::1%25eth0]",
            "[127.0.0.1]",
            "[v.a]",
            "[v1.]",
            "[v1a]",
            "[vg.a]",
            "[:::1]",
            "[1:2:3:4:5:6:7:8:9]",
            "[::1]80",
            "a[b]",
            "caf\u{e9}",
            "a\u{0}",
        ] {
            assert!(!is_valid(bad.as_bytes()), "{bad}");
        }
        assert!(!is_valid(b"\xfflocalhost"));
        assert!(is_valid("a".repeat(255).as_bytes()));
        assert!(!is_valid("a".repeat(256).as_bytes()));
    }
}
