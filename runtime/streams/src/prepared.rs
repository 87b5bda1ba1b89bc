//! A value that was serialised before.

use std::sync::Arc;

use serde::{Serialize, Serializer};
use serde_json::value::{RawValue, to_raw_value};

/// A value as JSON, serialised once for any number of clients, whatever format each takes: what a [`Broadcast`](crate::Broadcast) of
/// [`Typed`](crate::Typed) answers holds. Cloning it copies nothing.
///
/// It serialises as the value did, in `serde_json` only.
#[derive(Clone, Debug)]
pub struct Prepared(Arc<RawValue>);

impl Prepared {
    /// Of a value.
    ///
    /// # Errors
    /// The value can't be serialised.
    pub fn new<T: Serialize + ?Sized>(value: &T) -> Result<Self, serde_json::Error> {
        Ok(Self(to_raw_value(value)?.into()))
    }

    /// The JSON.
    pub fn text(&self) -> &str {
        self.0.get()
    }
}

impl Serialize for Prepared {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.as_ref().serialize(serializer)
    }
}
