//! The limits and timeouts of every transport, with their defaults: safe on the open internet.

use std::time::Duration;

/// How much of anything one client may make the server hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of a request target: 8 KiB. Above: 414.
    pub target: usize,
    /// Bytes of a whole head: 16 KiB, at most 64 KiB. Above: 431.
    pub head: usize,
    /// Fields of a head: 100. Above: 431.
    pub fields: usize,
    /// Bytes of a request body, where the route sets no limit of its own: 1 MiB. Above: 413.
    pub body: usize,
    /// Bytes of chunked framing beyond the body itself: 16 KiB. Above: 400.
    pub chunk_overhead: usize,
    /// Bytes of a trailer section: 8 KiB. Above: 431.
    pub trailers: usize,
    /// Fields of a trailer section: 50. Above: 431.
    pub trailer_fields: usize,
    /// Bytes of a body nobody read that are drained after the answer to keep the connection: 256 KiB. Above: it closes.
    pub drain: usize,
    /// Bytes of answers to pipelined requests that wait for the client to read: 256 KiB. Above: reading stops.
    pub output: usize,
    /// Connections at once. `None`: the process's descriptor limit less 64. Above: new ones wait in the accept queue.
    pub connections: Option<usize>,
    /// Streams at once on an HTTP/2 connection: 100.
    pub http2_streams: u32,
}

impl Limits {
    /// The most [`head`](Self::head) may be set to; an application that asks for more gets this.
    pub const MAX_HEAD: usize = 64 * 1024;
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            target: 8 * 1024,
            head: 16 * 1024,
            fields: 100,
            body: 1024 * 1024,
            chunk_overhead: 16 * 1024,
            trailers: 8 * 1024,
            trailer_fields: 50,
            drain: 256 * 1024,
            output: 256 * 1024,
            connections: None,
            http2_streams: 100,
        }
    }
}

/// How long a client may take.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Timeouts {
    /// From the connection to its first byte: 10 s. Then it closes.
    pub first_byte: Duration,
    /// From the first byte of a head to its end: 10 s. Then 408 and it closes. On HTTP/2 this bounds preface and SETTINGS.
    pub head: Duration,
    /// From an answer to the next request: 60 s. Then it closes.
    pub keep_alive: Duration,
    /// Without a byte of an expected body: 30 s. Then 408 and it closes.
    pub body: Duration,
    /// Bytes per second a body must come in at once [`body`](Self::body) has passed: 1 KiB. Then as above.
    pub body_rate: u64,
    /// Without a byte of an answer taken by the client: 30 s. Then the connection is aborted.
    pub write: Duration,
    /// After a refusal or the last answer, for the client to read it before the connection goes: 2 s.
    pub linger: Duration,
    /// From the first signal to the end of the process, for what is in flight: 30 s.
    pub shutdown: Duration,
}

impl Timeouts {
    /// When a body comes too slowly, counted from when it was first waited for: a pause of [`body`](Self::body) after its `last`
    /// byte, or fewer bytes `received` than [`body_rate`](Self::body_rate) asks for by then.
    pub fn body_due(&self, last: Duration, received: u64) -> Duration {
        let earned = Duration::from_secs_f64(received as f64 / self.body_rate.max(1) as f64);
        self.body.saturating_add(last.min(earned))
    }
}

impl Default for Timeouts {
    fn default() -> Self {
        Self {
            first_byte: Duration::from_secs(10),
            head: Duration::from_secs(10),
            keep_alive: Duration::from_secs(60),
            body: Duration::from_secs(30),
            body_rate: 1024,
            write: Duration::from_secs(30),
            linger: Duration::from_secs(2),
            shutdown: Duration::from_secs(30),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_body_is_due_by_its_last_byte_and_by_its_rate() {
        let timeouts = Timeouts::default();
        let due = |last, received| timeouts.body_due(Duration::from_secs(last), received).as_secs();
        assert_eq!(due(0, 0), 30, "nothing has come");
        assert_eq!(due(5, 1 << 20), 35, "it came fast, then paused");
        assert_eq!(due(29, 100), 30, "a byte now and then is too slow");
        assert_eq!(
            due(60, 40 << 10),
            70,
            "it has been as fast as it must be, for 40 seconds"
        );
    }
}
