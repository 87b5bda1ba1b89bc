//! Which content coding a client gets (RFC 9110 12.5.3): a pure function of the lines of `Accept-Encoding` and what there is.

use pw_core::weight::thousandths;

/// A content coding that files may lie beside their originals in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Coding {
    Zstd,
    Brotli,
    Gzip,
}

impl Coding {
    /// Those that are looked for.
    pub(crate) const ALL: [Self; 3] = [Self::Zstd, Self::Brotli, Self::Gzip];

    /// Its name in fields.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Zstd => "zstd",
            Self::Brotli => "br",
            Self::Gzip => "gzip",
        }
    }

    /// What a file's name ends with.
    pub(crate) fn suffix(self) -> &'static str {
        match self {
            Self::Zstd => ".zst",
            Self::Brotli => ".br",
            Self::Gzip => ".gz",
        }
    }

    fn is(self, name: &[u8]) -> bool {
        // `x-gzip` is the same as `gzip` (RFC 9110 8.4.1.3).
        name.eq_ignore_ascii_case(self.name().as_bytes())
            || (self == Self::Gzip && name.eq_ignore_ascii_case(b"x-gzip"))
    }
}

/// A weight in thousandths.
type Weight = u16;

/// Picks from what there is, by the field's lines: the place of a coded one in `coded`, which holds the coding and the length of each; `Some(None)` for
/// the original; `None` if the client takes nothing of it.
///
/// The highest weight wins, and the shortest of those with the same. An original that is not spoken of is taken, after all that is: also
/// where the field is absent, and any coding may be sent. A client that does not speak of them may not know them.
pub(crate) fn pick<'a>(
    accept: impl Iterator<Item = &'a [u8]> + Clone,
    original: u64,
    coded: &[(Coding, u64)],
) -> Option<Option<usize>> {
    let any = weight(&accept, |name| name == b"*");
    let identity = weight(&accept, |name| name.eq_ignore_ascii_case(b"identity"));
    let identity = (identity.or(any.filter(|any| *any == 0)), original);
    let coded = coded.iter().enumerate().map(|(at, (coding, length))| {
        let weight = weight(&accept, |name| coding.is(name)).or(any).unwrap_or(0);
        (weight, *length, Some(at))
    });
    // Unspoken of, it is worth less than any that is spoken of, and still something.
    let original = match identity {
        (Some(weight), length) => (weight * 2, length, None),
        (None, length) => (1, length, None),
    };
    coded
        .map(|(weight, length, at)| (weight * 2, length, at))
        .chain([original])
        .filter(|(weight, ..)| *weight > 0)
        .max_by_key(|&(weight, length, _)| (weight, std::cmp::Reverse(length)))
        .map(|(.., at)| at)
}

/// The weight of the first element whose coding `is` the one in question.
fn weight<'a>(accept: &(impl Iterator<Item = &'a [u8]> + Clone), is: impl Fn(&[u8]) -> bool) -> Option<Weight> {
    let mut elements = accept.clone().flat_map(|line| line.split(|byte| *byte == b','));
    elements.find_map(|element| {
        let mut parts = element.splitn(2, |byte| *byte == b';').map(<[u8]>::trim_ascii);
        if !is(parts.next()?) {
            return None;
        }
        match parts.next() {
            None => Some(1000),
            Some([b'q' | b'Q', b'=', value @ ..]) => thousandths(value),
            Some(_) => None,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: &[(Coding, u64)] = &[(Coding::Zstd, 31), (Coding::Brotli, 30), (Coding::Gzip, 40)];

    /// What comes of it in words: `-` for nothing.
    fn picked(accept: Option<&str>, coded: &[(Coding, u64)]) -> &'static str {
        picked_of(accept.as_slice(), coded)
    }

    fn picked_of(lines: &[&str], coded: &[(Coding, u64)]) -> &'static str {
        match pick(lines.iter().map(|line| line.as_bytes()), 100, coded) {
            None => "-",
            Some(None) => "identity",
            Some(Some(at)) => coded[at].0.name(),
        }
    }

    #[test]
    fn the_weight_decides_and_then_the_length() {
        assert_eq!(picked(None, ALL), "identity");
        let table = [
            ("gzip", "gzip"),
            ("x-gzip", "gzip"),
            ("GZip", "gzip"),
            ("gzip, deflate, br, zstd", "br"),
            ("gzip, zstd", "zstd"),
            ("gzip, deflate", "gzip"),
            ("gzip;q=1.0, br;q=0.5", "gzip"),
            ("gzip;q=0.999, br;q=0.99", "gzip"),
            ("br;q=0.001", "br"),
            ("br ; q=0.8 , gzip ;q=0.9", "gzip"),
            ("*", "br"),
            ("*;q=0.5, gzip;q=0", "br"),
            ("*;q=0, gzip", "gzip"),
            ("*;q=0, gzip;q=0.1", "gzip"),
            ("br;q=0, *", "zstd"),
            ("identity", "identity"),
            ("identity;q=1, gzip;q=0.5", "identity"),
            ("identity;q=0.5, gzip;q=1", "gzip"),
            ("identity, gzip", "gzip"),
            ("deflate", "identity"),
            ("", "identity"),
            (",,", "identity"),
            ("gzip;q=0", "identity"),
            ("identity;q=0", "-"),
            ("*;q=0", "-"),
            ("*;q=0, identity", "identity"),
            ("identity;q=0, deflate", "-"),
            ("identity;q=0, br;q=0.1", "br"),
            ("identity;q=0, *", "br"),
            ("gzip;q=0, br;q=0, zstd;q=0", "identity"),
            // Malformed weights: the element does not count.
            ("gzip;q=2", "identity"),
            ("gzip;q=1.001", "identity"),
            ("gzip;q=0.1234", "identity"),
            ("gzip;q=", "identity"),
            ("gzip;q=-1", "identity"),
            ("gzip;level=9", "identity"),
            ("identity;q=x", "identity"),
            ("gzip;q=2, br", "br"),
            ("gzip;Q=0.5", "gzip"),
            ("gzip;q=1.", "gzip"),
        ];
        for (accept, expected) in table {
            assert_eq!(picked(Some(accept), ALL), expected, "{accept}");
        }
    }

    #[test]
    fn several_lines_are_one_list() {
        assert_eq!(picked_of(&["deflate", "gzip"], ALL), "gzip");
        assert_eq!(picked_of(&["gzip;q=0.5", "", "br;q=0.4, identity;q=0"], ALL), "gzip");
    }

    #[test]
    fn only_what_is_there_is_picked() {
        assert_eq!(picked(Some("br, gzip"), &[]), "identity");
        assert_eq!(picked(Some("br, gzip"), &[(Coding::Gzip, 40)]), "gzip");
        assert_eq!(picked(Some("br, identity;q=0"), &[(Coding::Gzip, 40)]), "-");
        assert_eq!(picked(Some("*"), &[]), "identity");
    }
}
