//! The server's time, once a second, the same for all who listen.

use std::time::{Duration, SystemTime};

use polywire::Respond;
use polywire::streams::{Broadcast, Event, Events, Rendered};
use tokio::time::{MissedTickBehavior, interval};

/// How many ticks a client may be behind. One that is further is dropped, and its browser connects again.
const BEHIND: usize = 4;

pub(crate) struct Clock(Broadcast<Rendered>);

impl Clock {
    /// Starts it, on the runtime it is called in. It ticks for as long as that lasts.
    pub(crate) fn start() -> Self {
        let ticks = Broadcast::new(BEHIND);
        tokio::spawn(tick(ticks.clone()));
        Self(ticks)
    }

    /// What it tells from now on.
    pub(crate) fn listen(&self) -> impl Respond + use<> {
        Events::new(self.0.subscribe())
    }
}

/// Milliseconds since 1970, which a page shows as its reader writes the time.
async fn tick(ticks: Broadcast<Rendered>) {
    let mut seconds = interval(Duration::from_secs(1));
    seconds.set_missed_tick_behavior(MissedTickBehavior::Skip);
    loop {
        seconds.tick().await;
        let now = SystemTime::UNIX_EPOCH.elapsed().unwrap_or_default();
        ticks.send(Event::new().name("tick").data(now.as_millis().to_string()));
    }
}
