//! Field (header) values that are valid by type. Names are [`http::HeaderName`], which is valid by type too.
//!
//! A value holds no CR, LF, NUL or other control byte but tab (RFC 9110 5.5), checked when it is made, so that writing
//! an answer never has to look again.

use std::fmt;

/// A checked field value, borrowed from whoever has it; the reply copies it.
///
/// ```
/// use pw_core::FieldValue;
/// assert!(FieldValue::new("text/plain").is_ok());
/// assert!(FieldValue::new("a\r\nset-cookie: b").is_err());
/// ```
#[derive(Clone, Copy)]
pub struct FieldValue<'a>(Repr<'a>);

#[derive(Clone, Copy)]
enum Repr<'a> {
    Bytes(&'a [u8]),
    Number(itoa::Buffer, u64),
}

impl<'a> FieldValue<'a> {
    /// Checks a value.
    ///
    /// # Errors
    /// The value holds a control byte other than tab, or leading or trailing white space, which a recipient would
    /// drop.
    pub const fn new(value: &'a str) -> Result<Self, InvalidFieldValue> {
        Self::from_bytes(value.as_bytes())
    }

    /// Checks a value of any bytes. Bytes above 0x7f are allowed (obs-text) and mean nothing by themselves.
    ///
    /// # Errors
    /// As [`FieldValue::new`].
    pub const fn from_bytes(value: &'a [u8]) -> Result<Self, InvalidFieldValue> {
        let mut i = 0;
        while i < value.len() {
            if !is_field_byte(value[i]) {
                return Err(InvalidFieldValue(()));
            }
            i += 1;
        }
        if let (Some(b' ' | b'\t'), _) | (_, Some(b' ' | b'\t')) = (value.first(), value.last()) {
            return Err(InvalidFieldValue(()));
        }
        Ok(Self(Repr::Bytes(value)))
    }

    /// A value known when the program is written.
    ///
    /// # Panics
    /// The value is not valid; in a constant, that is a build error.
    pub const fn from_static(value: &'static str) -> FieldValue<'static> {
        match FieldValue::new(value) {
            Ok(value) => value,
            Err(_) => panic!("a field value must not hold control bytes, or white space at its ends"),
        }
    }

    /// Calls `then` with the bytes.
    pub(crate) fn with_bytes<R>(self, then: impl FnOnce(&[u8]) -> R) -> R {
        match self.0 {
            Repr::Bytes(bytes) => then(bytes),
            Repr::Number(mut buffer, number) => then(buffer.format(number).as_bytes()),
        }
    }
}

/// Whether a byte may stand in a field value (RFC 9110 5.5).
pub const fn is_field_byte(byte: u8) -> bool {
    byte == b'\t' || (byte >= b' ' && byte != 0x7f)
}

impl From<u64> for FieldValue<'_> {
    fn from(number: u64) -> Self {
        Self(Repr::Number(itoa::Buffer::new(), number))
    }
}

impl<'a> From<&'a http::HeaderValue> for FieldValue<'a> {
    fn from(value: &'a http::HeaderValue) -> Self {
        Self(Repr::Bytes(value.as_bytes()))
    }
}

impl fmt::Debug for FieldValue<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.with_bytes(|bytes| fmt::Debug::fmt(&bytes.escape_ascii().to_string(), f))
    }
}

/// A field value that would break the message it stands in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InvalidFieldValue(());

impl fmt::Display for InvalidFieldValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a field value must not hold control bytes, or white space at its ends")
    }
}

impl std::error::Error for InvalidFieldValue {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_bytes_and_outer_white_space_are_refused() {
        for bad in ["a\rb", "a\nb", "a\0b", "\u{7f}", " a", "a ", "\ta", "a\t"] {
            assert!(FieldValue::new(bad).is_err(), "{bad:?}");
        }
        for good in ["", "a", "a b", "a\tb", "caf\u{e9}"] {
            assert!(FieldValue::new(good).is_ok(), "{good:?}");
        }
        assert_eq!(FieldValue::from(42).with_bytes(<[u8]>::to_vec), b"42");
    }
}
