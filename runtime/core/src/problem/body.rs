//! What goes wrong with a body while it is read, in the same words on every transport.

use super::{Problem, kind};

impl Problem {
    /// 413: the body is longer than the `limit` bytes it may have.
    pub fn body_too_large(limit: usize) -> Self {
        Self::of(&kind::CONTENT_TOO_LARGE).detail(format!("the body may have at most {limit} bytes"))
    }

    /// 408: the rest of the body did not come in time.
    pub fn body_too_slow() -> Self {
        Self::of(&kind::REQUEST_TIMEOUT).detail("the body came too slowly")
    }

    /// 400: the client went, or shut its side, within the body.
    pub fn body_cut_short() -> Self {
        Self::of(&kind::INVALID_BODY).detail("the body was cut short")
    }
}
