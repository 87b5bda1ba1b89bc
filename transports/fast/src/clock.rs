//! A worker's coarse time: read when its ticker ticks, looked at by every request.

use std::cell::Cell;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use pw_h1::encode;

/// How coarse it is. Deadlines are seconds long: a tick late is early enough.
pub(crate) const TICK: Duration = Duration::from_millis(20);

/// A point in time, in milliseconds since the worker began.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Moment(u64);

impl Moment {
    /// A deadline that never comes.
    pub(crate) const NEVER: Self = Self(u64::MAX);

    /// This much later, at least.
    pub(crate) fn after(self, duration: Duration) -> Self {
        self.past(Delay::of(duration))
    }

    /// As [`after`](Self::after).
    pub(crate) fn past(self, delay: Delay) -> Self {
        Self(self.0.saturating_add(delay.0))
    }

    /// How long it has been since then.
    pub(crate) fn since(self, earlier: Self) -> Duration {
        Duration::from_millis(self.0.saturating_sub(earlier.0))
    }
}

/// A duration as moments count it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Delay(u64);

impl Delay {
    /// This long, at least.
    pub(crate) fn of(duration: Duration) -> Self {
        let millis = u64::try_from(duration.as_millis()).unwrap_or(u64::MAX);
        Self(millis.saturating_add(1))
    }
}

/// See the module.
#[derive(Debug)]
pub(crate) struct Clock {
    begun: Instant,
    now: Cell<Moment>,
    /// The second that `date` tells.
    second: Cell<u64>,
    date: Cell<[u8; 29]>,
}

impl Clock {
    /// A clock that has been read just now.
    pub(crate) fn new() -> Self {
        let clock = Self {
            begun: Instant::now(),
            now: Cell::new(Moment(0)),
            second: Cell::new(u64::MAX),
            date: Cell::new([0; 29]),
        };
        clock.tick();
        clock
    }

    /// Reads the time.
    pub(crate) fn tick(&self) {
        self.now.set(Moment(self.begun.elapsed().as_millis() as u64));
        let time = SystemTime::now();
        let second = time.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
        if self.second.replace(second) != second {
            self.date
                .set(encode::http_date(UNIX_EPOCH + Duration::from_secs(second)));
        }
    }

    /// Now, for what is counted from now on: a handler may have kept the thread since the last tick, and that is not the client's
    /// time.
    #[cold]
    pub(crate) fn read(&self) -> Moment {
        self.tick();
        self.now()
    }

    /// Now, or up to a tick ago. Longer, where a handler keeps the thread.
    pub(crate) fn now(&self) -> Moment {
        self.now.get()
    }

    /// The date as answers have it.
    pub(crate) fn date(&self) -> [u8; 29] {
        self.date.get()
    }
}
