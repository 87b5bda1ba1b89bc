//! What a file is sent as: its representations, with all that can be prepared of an answer before there is a request.
//!
//! It must not know where they come from (`load.rs`, `embedded.rs`) or what a client asks of them (`answer.rs`).

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use http::header::{
    ACCEPT_RANGES, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_TYPE, ETAG, LAST_MODIFIED, VARY, X_CONTENT_TYPE_OPTIONS,
};
use pw_core::{FieldValue, InvalidFieldValue, OpenFile, Reply};

use crate::coding::Coding;
use crate::condition::Validators;

/// A file, and the same in other codings.
#[derive(Debug)]
pub(crate) struct Resource {
    pub(crate) original: Representation,
    /// Coded ones, each with its coding and length, as `coding::pick` takes them; and the representations at the same places.
    pub(crate) codings: Vec<(Coding, u64)>,
    pub(crate) coded: Vec<Representation>,
    /// Whether the client's `Accept-Encoding` plays a part.
    pub(crate) negotiated: bool,
}

impl Resource {
    /// The original, or the coded one at a place.
    pub(crate) fn representation(&self, at: Option<usize>) -> &Representation {
        at.map_or(&self.original, |at| &self.coded[at])
    }

    pub(crate) fn representations(&self) -> impl Iterator<Item = &Representation> {
        [&self.original].into_iter().chain(&self.coded)
    }
}

/// The bytes of a representation.
#[derive(Debug)]
pub(crate) enum Store {
    Memory(Bytes),
    File(Arc<OpenFile>),
}

/// What a representation is made of.
pub(crate) struct Parts<'a> {
    pub(crate) store: Store,
    pub(crate) media_type: String,
    pub(crate) coding: Option<Coding>,
    /// Without its quotes.
    pub(crate) tag: String,
    pub(crate) modified: Option<SystemTime>,
    pub(crate) cache_control: &'a str,
    pub(crate) negotiated: bool,
}

/// One of them.
#[derive(Debug)]
pub(crate) struct Representation {
    pub(crate) store: Store,
    pub(crate) length: u64,
    pub(crate) media_type: String,
    pub(crate) coding: Option<Coding>,
    /// With its quotes.
    tag: String,
    modified: Option<SystemTime>,
    /// The fields of a whole answer: first what says how to read it, then what else belongs to content, then what goes with 304,
    /// too.
    lines: Vec<u8>,
    reading: usize,
    content: usize,
}

impl Representation {
    /// # Errors
    /// One of the texts can't be a field's value.
    pub(crate) fn new(parts: Parts<'_>) -> Result<Self, InvalidFieldValue> {
        let length = match &parts.store {
            Store::Memory(bytes) => bytes.len() as u64,
            Store::File(file) => file.length(),
        };
        let tag = format!("\"{}\"", parts.tag);
        let modified = parts.modified.and_then(whole_seconds);
        let mut reply = Reply::default();
        reply.insert(CONTENT_TYPE, FieldValue::new(&parts.media_type)?);
        if let Some(coding) = parts.coding {
            reply.insert(CONTENT_ENCODING, FieldValue::from_static(coding.name()));
        }
        let reading = reply.field_lines().len();
        reply.insert(X_CONTENT_TYPE_OPTIONS, FieldValue::from_static("nosniff"));
        reply.insert(ACCEPT_RANGES, FieldValue::from_static("bytes"));
        if let Some(modified) = modified {
            let date = httpdate::fmt_http_date(modified);
            reply.insert(LAST_MODIFIED, FieldValue::new(&date)?);
        }
        let content = reply.field_lines().len();
        reply.insert(ETAG, FieldValue::new(&tag)?);
        reply.insert(CACHE_CONTROL, FieldValue::new(parts.cache_control)?);
        if parts.negotiated {
            reply.insert(VARY, FieldValue::from_static("accept-encoding"));
        }
        Ok(Self {
            store: parts.store,
            length,
            media_type: parts.media_type,
            coding: parts.coding,
            tag,
            modified,
            lines: reply.field_lines().to_vec(),
            reading,
            content,
        })
    }

    pub(crate) fn validators(&self) -> Validators<'_> {
        Validators {
            tag: self.tag.as_bytes(),
            modified: self.modified,
        }
    }

    /// The fields of the whole, or of one part.
    pub(crate) fn lines(&self) -> &[u8] {
        &self.lines
    }

    /// The fields of several parts, which say each how they are read.
    pub(crate) fn lines_of_parts(&self) -> &[u8] {
        &self.lines[self.reading..]
    }

    /// The fields of 304 (RFC 9110 15.4.5).
    pub(crate) fn lines_unmodified(&self) -> &[u8] {
        &self.lines[self.content..]
    }
}

/// In whole seconds, as a date has them; `None` for what no date says.
fn whole_seconds(time: SystemTime) -> Option<SystemTime> {
    const YEAR_10000: u64 = 253_402_300_800;
    let seconds = time.duration_since(SystemTime::UNIX_EPOCH).ok()?.as_secs();
    (seconds < YEAR_10000).then(|| SystemTime::UNIX_EPOCH + Duration::from_secs(seconds))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_that_no_date_can_say_are_left_out() {
        let at = |seconds: u64| SystemTime::UNIX_EPOCH + Duration::from_millis(seconds * 1000 + 999);
        assert_eq!(whole_seconds(at(7)), Some(at(7) - Duration::from_millis(999)));
        assert_eq!(whole_seconds(SystemTime::UNIX_EPOCH - Duration::from_secs(1)), None);
        assert_eq!(whole_seconds(at(253_402_300_800)), None);
        assert!(whole_seconds(at(253_402_300_799)).is_some());
    }
}
