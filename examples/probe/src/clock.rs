//! A clock that all clients of `/events` hear.

use std::sync::LazyLock;
use std::thread;
use std::time::Duration;

use futures_core::Stream;
use polywire::streams::{Broadcast, Event, Lagged, Rendered};

/// From one event to the next.
const TICK: Duration = Duration::from_secs(1);

/// How far a client may be behind, in events.
const BEHIND: usize = 16;

/// What it tells from now on.
pub(crate) fn listen() -> impl Stream<Item = Result<Rendered, Lagged>> + Send + use<> {
    static CLOCK: LazyLock<Broadcast<Rendered>> = LazyLock::new(|| {
        let clock = Broadcast::new(BEHIND);
        let ticking = clock.clone();
        thread::spawn(move || {
            for second in 1u64.. {
                thread::sleep(TICK);
                ticking.send(Event::new().id(second).name("tick").data(second.to_string()).render());
            }
        });
        clock
    });
    CLOCK.subscribe()
}
