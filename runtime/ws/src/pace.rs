//! How fast a client may send what leads to nothing: pings, pongs, pieces without content, messages that nobody receives.
//!
//! They are a few bytes each, and the work for one is soon worth more than what it cost to send. Who sends more than so many in a second
//! is not read from for the rest of it. Nothing is lost by that, and nobody closed: answering the newest ping alone (RFC 6455 5.5.3) would
//! leave the work of reading the others, and Autobahn's case 2.10 wants an answer to each.

use std::time::Duration;

use tokio::time::Instant;

/// The most in a [`SECOND`].
const MOST: u32 = 1000;

const SECOND: Duration = Duration::from_secs(1);

/// How many have come, and when the first of them did.
pub(crate) struct Pace {
    count: u32,
    since: Instant,
}

impl Pace {
    pub(crate) fn new(now: Instant) -> Self {
        Self { count: 0, since: now }
    }

    /// One more has come.
    pub(crate) fn count(&mut self, now: Instant) {
        if self.count == 0 {
            self.since = now;
        }
        self.count += 1;
    }

    /// Until when there were enough. It may be over already: then there may be more once it was [renewed](Self::renew).
    pub(crate) fn until(&self) -> Option<Instant> {
        (self.count >= MOST).then(|| self.since + SECOND)
    }

    /// Begins to count anew if the time has come. Whether it has.
    pub(crate) fn renew(&mut self, now: Instant) -> bool {
        let due = self.until().is_some_and(|until| until <= now);
        if due {
            self.count = 0;
        }
        due
    }
}
