//! Whose page it is that opens a WebSocket (RFC 6454 7, RFC 6455 10.2): browsers let every page open one to every server, cookies
//! and all, and say whose page it is in `Origin`.

/// Scheme, host and port.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Origin<'o> {
    scheme: &'o str,
    host: &'o str,
    port: Option<u16>,
}

impl<'o> Origin<'o> {
    /// `None` for what is no origin with a host, `null` among it.
    pub(crate) fn parse(origin: &'o [u8]) -> Option<Self> {
        let origin = std::str::from_utf8(origin).ok()?;
        let (scheme, authority) = origin.split_once("://")?;
        let (host, port) = authority_parts(authority)?;
        Some(Self { scheme, host, port })
    }

    /// Whether the authority of a request is this origin's. Its scheme can't be known: a proxy may have taken TLS off. A port
    /// that is not named is the scheme's.
    pub(crate) fn is_of(&self, authority: &str) -> bool {
        authority_parts(authority).is_some_and(|(host, port)| {
            let request = Origin {
                scheme: self.scheme,
                host,
                port,
            };
            *self == request
        })
    }

    fn port(&self) -> Option<u16> {
        let known = [("http", 80), ("https", 443)];
        let of_scheme = known
            .iter()
            .find(|(scheme, _)| self.scheme.eq_ignore_ascii_case(scheme));
        self.port.or(of_scheme.map(|(_, port)| *port))
    }
}

impl PartialEq for Origin<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.scheme.eq_ignore_ascii_case(other.scheme)
            && self.host.eq_ignore_ascii_case(other.host)
            && self.port() == other.port()
    }
}

fn authority_parts(authority: &str) -> Option<(&str, Option<u16>)> {
    // What is in brackets is an IPv6 address, whose colons are no port's.
    let after = authority.rfind(']').map_or(0, |at| at + 1);
    let (host, port) = match authority[after..].rfind(':') {
        None => (authority, None),
        Some(at) => {
            let (host, port) = authority.split_at(after + at);
            let port = &port[1..];
            // `host:` is `host` (RFC 3986 6.2.3).
            (
                host,
                if port.is_empty() {
                    None
                } else {
                    Some(port.parse().ok()?)
                },
            )
        }
    };
    let plain = |byte: u8| !matches!(byte, b'/' | b'?' | b'#' | b'@' | b' ');
    (!host.is_empty() && host.bytes().all(plain)).then_some((host, port))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_origin_is_of_a_host() {
        for (origin, host, expected) in [
            ("http://localhost", "localhost", true),
            ("https://Shop.Example", "shop.example", true),
            ("https://shop.example", "shop.example:443", true),
            ("http://shop.example", "shop.example:80", true),
            ("http://shop.example:80", "shop.example", true),
            ("http://localhost:8080", "localhost:8080", true),
            ("http://[::1]:8080", "[::1]:8080", true),
            ("http://[::1]", "[::1]", true),
            ("http://localhost:8080", "localhost", false),
            ("http://localhost", "localhost:8080", false),
            ("https://shop.example", "shop.example:80", false),
            ("http://evil.test", "localhost", false),
            ("http://localhost.evil.test", "localhost", false),
            ("http://localhost@evil.test", "localhost", false),
            ("http://evil.test/localhost", "localhost", false),
            ("http://localhost/", "localhost", false),
            ("http://localhost:x", "localhost", false),
            ("http://", "", false),
            ("null", "null", false),
            ("localhost", "localhost", false),
            ("", "localhost", false),
        ] {
            let found = Origin::parse(origin.as_bytes()).is_some_and(|origin| origin.is_of(host));
            assert_eq!(found, expected, "{origin} at {host}");
        }
    }
}
