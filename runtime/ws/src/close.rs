//! Why a WebSocket is closed: the codes of RFC 6455 7.4.

use std::fmt;

use tungstenite::protocol::frame::coding;

/// The code of a close frame. It is always one that may be on the wire.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct CloseCode(u16);

impl CloseCode {
    /// 1000: done.
    pub const NORMAL: Self = Self(1000);
    /// 1001: the server is going down, or the client looks elsewhere.
    pub const AWAY: Self = Self(1001);
    /// 1002: the other side broke the protocol.
    pub const PROTOCOL: Self = Self(1002);
    /// 1003: a kind of message that this side does not take, such as binary where text is spoken.
    pub const UNSUPPORTED: Self = Self(1003);
    /// 1007: a message that does not hold what its kind says, such as text that is not UTF-8.
    pub const INVALID: Self = Self(1007);
    /// 1008: against the rules of the application.
    pub const POLICY: Self = Self(1008);
    /// 1009: a message above the limit.
    pub const TOO_BIG: Self = Self(1009);
    /// 1011: the server failed.
    pub const ERROR: Self = Self(1011);
    /// 1012: the server restarts; come back in a while.
    pub const RESTART: Self = Self(1012);
    /// 1013: the server has too much to do; try another, or later.
    pub const TRY_AGAIN: Self = Self(1013);

    /// A code by its number: one that is registered for the wire, or 3000 to 4999. The application's own are 4000 to 4999.
    pub fn new(code: u16) -> Option<Self> {
        // 1014, bad gateway, was registered later than tungstenite's list.
        (code == 1014 || coding::CloseCode::from(code).is_allowed()).then_some(Self(code))
    }

    /// The number.
    pub const fn as_u16(self) -> u16 {
        self.0
    }
}

impl fmt::Display for CloseCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Debug for CloseCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "CloseCode({})", self.0)
    }
}

/// How the client said good-bye.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Close {
    /// Its code, if it gave one.
    pub code: Option<CloseCode>,
    /// Its reason; mostly empty. It is the client's text: not to be trusted.
    pub reason: Box<str>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_those_that_may_be_on_the_wire() {
        let allowed: Vec<u16> = (0..=u16::MAX).filter(|code| CloseCode::new(*code).is_some()).collect();
        let expected: Vec<u16> = (1000..=1003).chain(1007..=1014).chain(3000..=4999).collect();
        assert_eq!(allowed, expected);
    }
}
