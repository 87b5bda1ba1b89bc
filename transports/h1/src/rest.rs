//! What is left of a body when its exchange is over, and whether the connection outlives it.

use pw_core::{Limits, Version};

/// What is left of a body when its exchange is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rest {
    /// It was read, or there was none.
    Nothing,
    /// Nobody touched it. Its length in bytes, if the head declares it.
    Unread(Option<u64>),
    /// It was read in part, or can't be read: the connection is out of step.
    Broken,
}

impl Rest {
    /// Whether the connection must close after the answer. If not, what is unread is dropped, up to [`Limits::drain`] bytes, before
    /// the next head.
    pub fn closes(self, version: Version, expects_continue: bool, limits: &Limits) -> bool {
        match self {
            Self::Nothing => false,
            // Without 100 the client may send the body or leave it out: what comes next can't be told apart.
            Self::Unread(_) if expects_continue => true,
            // It has no chunks, so hyper can't be told that the body has ended; and one behaviour is worth more than a connection.
            Self::Unread(_) if version == Version::Http10 => true,
            Self::Unread(Some(length)) => length > limits.drain as u64,
            Self::Unread(None) => false,
            Self::Broken => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_connection_outlives_what_can_be_dropped() {
        let limits = Limits::default();
        let closes = |rest: Rest| rest.closes(Version::Http11, false, &limits);
        assert!(!closes(Rest::Nothing) && closes(Rest::Broken));
        assert!(!closes(Rest::Unread(None)) && !closes(Rest::Unread(Some(256 << 10))));
        assert!(closes(Rest::Unread(Some((256 << 10) + 1))));
        assert!(Rest::Unread(Some(1)).closes(Version::Http11, true, &limits));
        assert!(Rest::Unread(Some(1)).closes(Version::Http10, false, &limits));
        assert!(!Rest::Nothing.closes(Version::Http10, true, &limits));
    }
}
