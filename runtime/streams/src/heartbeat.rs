//! A sign of life after silence, so that whoever is between keeps the connection, and a client that has gone is noticed.

use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use pin_project_lite::pin_project;
use tokio::time::{Instant, Sleep, sleep_until};

/// How long server-sent events may be silent before a comment is sent, unless the handler says otherwise: 15 s.
pub const HEARTBEAT: Duration = Duration::from_secs(15);

pin_project! {
    /// Due when nothing was sent for a while.
    ///
    /// One timer for each client, and what is sent does not touch it: when it has run out it looks when that was. So ten thousand
    /// clients that get an event a second move ten thousand timers in 15 s, not in one.
    #[derive(Debug)]
    pub(crate) struct Heartbeat {
        period: Option<Duration>,
        sent: Option<Instant>,
        #[pin]
        timer: Option<Sleep>,
    }
}

impl Heartbeat {
    /// After each such time of silence; never without one.
    pub(crate) fn new(period: Option<Duration>) -> Self {
        Self {
            period,
            sent: None,
            timer: None,
        }
    }

    /// Something was sent.
    pub(crate) fn sent(self: Pin<&mut Self>) {
        let this = self.project();
        if this.period.is_some() {
            *this.sent = Some(Instant::now());
        }
    }

    /// Whether it is due. It stays so until something was sent.
    pub(crate) fn poll_due(self: Pin<&mut Self>, task: &mut Context<'_>) -> Poll<()> {
        let mut this = self.project();
        let Some(period) = *this.period else {
            return Poll::Pending;
        };
        // Silence begins with the first look, where nothing was ever sent.
        let due = *this.sent.get_or_insert_with(Instant::now) + period;
        if this.timer.is_none() {
            this.timer.set(Some(sleep_until(due)));
        }
        let mut timer = this.timer.as_pin_mut().expect("it was set");
        loop {
            ready!(timer.as_mut().poll(task));
            if Instant::now() >= due {
                return Poll::Ready(());
            }
            timer.as_mut().reset(due);
        }
    }
}
