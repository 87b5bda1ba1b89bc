//! The content codings there are.

/// A content coding (RFC 9110 8.4.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Coding {
    /// `zstd` (RFC 8878) at level 3: about as small as the others, several times as fast.
    #[cfg(feature = "zstd")]
    Zstd,
    /// `br` (RFC 7932) at quality 2: smaller than `gzip`, at about half its speed.
    Br,
    /// `gzip` (RFC 1952) at level 2: what every client knows.
    Gzip,
}

impl Coding {
    /// All there are, best first.
    pub const ALL: &[Self] = &[
        #[cfg(feature = "zstd")]
        Self::Zstd,
        Self::Br,
        Self::Gzip,
    ];

    /// Its name in `content-encoding`.
    pub const fn name(self) -> &'static str {
        match self {
            #[cfg(feature = "zstd")]
            Self::Zstd => "zstd",
            Self::Br => "br",
            Self::Gzip => "gzip",
        }
    }

    /// Whether it is what a client calls so. `x-gzip` is an old name of `gzip` (RFC 9110 8.4.1.3).
    pub(crate) fn is_called(self, name: &[u8]) -> bool {
        let name = match name.get(..2) {
            Some(x) if x.eq_ignore_ascii_case(b"x-") && self == Self::Gzip => &name[2..],
            _ => name,
        };
        name.eq_ignore_ascii_case(self.name().as_bytes())
    }
}
