//! How an item becomes bytes, in each format.

use pw_core::BoxError;
use serde::Serialize;

use crate::event::push_json;
use crate::piece::Piece;
use crate::{Event, Format};

/// Makes bytes of a stream's items.
pub(crate) trait Encode<T>: Send + 'static {
    /// Appends an item; nothing, if it fails.
    fn item(&mut self, item: T, piece: &mut Piece) -> Result<(), BoxError>;

    /// Appends what stands behind the last item.
    fn end(&mut self, piece: &mut Piece) {
        let _ = piece;
    }
}

/// Adds to the event of a value, which has its data already.
pub(crate) type Decorate<T> = Box<dyn FnMut(&T, Event) -> Event + Send>;

/// Values, in one of the formats.
pub(crate) struct Values<T> {
    format: Format,
    decorate: Option<Decorate<T>>,
    /// There was one before.
    some: bool,
}

impl<T> Values<T> {
    pub(crate) fn new(format: Format, decorate: Option<Decorate<T>>) -> Self {
        Self {
            format,
            decorate,
            some: false,
        }
    }
}

impl<T: Serialize + 'static, E: Into<BoxError> + 'static> Encode<Result<T, E>> for Values<T> {
    fn item(&mut self, item: Result<T, E>, piece: &mut Piece) -> Result<(), BoxError> {
        let value = item.map_err(Into::into)?;
        match (self.format, &mut self.decorate) {
            (Format::Events, Some(decorate)) => {
                let event = Event::new().json(&value)?;
                piece.push(decorate(&value, event).render().into_bytes());
            }
            (Format::Events, None) => {
                push_json(piece.buffer(), &value)?;
                piece.buffer().push(b'\n');
            }
            (Format::Lines, _) => push_line(piece.buffer(), &value)?,
            (Format::Array, _) => {
                let before = match std::mem::replace(&mut self.some, true) {
                    true => b',',
                    false => b'[',
                };
                push_value(piece.buffer(), Some(before), &value)?;
            }
        }
        Ok(())
    }

    fn end(&mut self, piece: &mut Piece) {
        if self.format == Format::Array {
            let end: &[u8] = if self.some { b"]" } else { b"[]" };
            piece.buffer().extend_from_slice(end);
        }
    }
}

fn push_line<T: Serialize>(out: &mut Vec<u8>, value: &T) -> Result<(), serde_json::Error> {
    let start = out.len();
    push_value(out, None, value)?;
    // Only JSON that was text before, a `RawValue`, has lines; between its tokens, where a space is as good.
    if memchr::memchr2(b'\r', b'\n', &out[start..]).is_some() {
        let ends = |byte: &&mut u8| matches!(**byte, b'\r' | b'\n');
        out[start..].iter_mut().filter(ends).for_each(|byte| *byte = b' ');
    }
    out.push(b'\n');
    Ok(())
}

fn push_value<T: Serialize>(out: &mut Vec<u8>, before: Option<u8>, value: &T) -> Result<(), serde_json::Error> {
    let start = out.len();
    out.extend(before);
    serde_json::to_writer(&mut *out, value).inspect_err(|_| out.truncate(start))
}
