//! What clients can cause as often as they like is logged at most once a second: they must not fill the log.

use std::error::Error;
use std::io;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// A second in which nothing more is told.
#[derive(Debug)]
pub struct Seldom(Mutex<Option<Instant>>);

impl Seldom {
    /// Nothing was told yet.
    pub const fn new() -> Self {
        Self(Mutex::new(None))
    }

    /// Whether nothing was told for a second; then something is.
    pub fn is_due(&self) -> bool {
        let mut told = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let due = told.is_none_or(|told| told.elapsed() >= Duration::from_secs(1));
        if due {
            *told = Some(Instant::now());
        }
        due
    }
}

impl Default for Seldom {
    fn default() -> Self {
        Self::new()
    }
}

/// Whether a cause is to be logged. Once there are no more descriptors every request that needs one says the same.
pub(crate) fn is_to_be_told(cause: &(dyn Error + Send + Sync + 'static)) -> bool {
    static EXHAUSTED: Seldom = Seldom::new();
    !is_exhausted(cause) || EXHAUSTED.is_due()
}

/// Whether no more files or sockets can be opened: by this process, or by anybody.
fn is_exhausted(cause: &(dyn Error + Send + Sync + 'static)) -> bool {
    /// The same on every Unix.
    const ENFILE: i32 = 23;
    const EMFILE: i32 = 24;
    let code = cause.downcast_ref::<io::Error>().and_then(io::Error::raw_os_error);
    cfg!(unix) && matches!(code, Some(ENFILE | EMFILE))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_clients_can_cause_is_told_once_a_second() {
        let seldom = Seldom::new();
        let told = (0..1000).filter(|_| seldom.is_due()).count();
        assert!((1..=2).contains(&told), "{told}");
    }

    #[test]
    fn causes_are_told_but_for_one_that_comes_in_masses() {
        let told = |code: i32| {
            let error = io::Error::from_raw_os_error(code);
            (0..1000).filter(|_| is_to_be_told(&error)).count()
        };
        assert!(told(23) + told(24) <= 2);
        assert_eq!(told(2), 1000);
    }
}
