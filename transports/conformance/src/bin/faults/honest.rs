//! Clients that do all right, and how long each of their requests took.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crate::client::Client;
use crate::report::{self, Row};
use crate::server::lock;

/// What 99 of a hundred of their requests may take at most, whatever is done to the server: that they are served, not how well.
const SERVED: Duration = Duration::from_secs(1);

/// Clients on connections of their own, each of which asks, waits for the answer, pauses and asks again.
pub(crate) struct Honest {
    shared: Arc<Shared>,
    threads: Vec<JoinHandle<()>>,
}

#[derive(Default)]
struct Shared {
    stop: AtomicBool,
    samples: Mutex<Vec<Sample>>,
    failures: Mutex<Vec<String>>,
}

#[derive(Clone, Copy)]
struct Sample {
    ended: Instant,
    took: Duration,
}

impl Honest {
    /// Has them begin.
    pub(crate) fn start(address: SocketAddr, count: u32, pause: Duration) -> Self {
        let shared = Arc::new(Shared::default());
        let threads = (0..count)
            .map(|at| {
                let shared = shared.clone();
                // Spread over the pause, so that they don't come all at once.
                let first = pause * at / count;
                std::thread::spawn(move || shared.run(address, u64::from(at), first, pause))
            })
            .collect();
        Self { shared, threads }
    }

    /// Lets them be for this long, and gives what those took that ended in it, the fastest first.
    pub(crate) fn during(&self, length: Duration) -> Vec<Duration> {
        let begun = Instant::now();
        std::thread::sleep(length);
        self.since(begun)
    }

    /// What those took that ended since then, the fastest first.
    pub(crate) fn since(&self, begun: Instant) -> Vec<Duration> {
        let samples = lock(&self.shared.samples);
        let mut times: Vec<Duration> = samples
            .iter()
            .filter(|sample| sample.ended >= begun)
            .map(|sample| sample.took)
            .collect();
        times.sort_unstable();
        times
    }

    /// Has them end, and tells of them: how many requests there were, none of which may fail, and how long they took.
    pub(crate) fn rows(self) -> Vec<Row> {
        self.shared.stop.store(true, Ordering::Relaxed);
        for thread in self.threads {
            if thread.join().is_err() {
                lock(&self.shared.failures).push("a client panicked".to_owned());
            }
        }
        let mut times: Vec<Duration> = lock(&self.shared.samples).iter().map(|sample| sample.took).collect();
        times.sort_unstable();
        let slowest = times.last().map_or_else(String::new, |time| report::duration(*time));
        vec![
            Row::none(
                format!("others' requests that failed, of {}", times.len()),
                &lock(&self.shared.failures),
            ),
            Row::told("others' slowest answer", slowest),
            Row::within("others' p99", percentile(&times, 99), SERVED),
        ]
    }
}

impl Shared {
    fn run(&self, address: SocketAddr, id: u64, first: Duration, pause: Duration) {
        let (path, content) = (format!("/users/{id}"), format!(r#"{{"id":{id},"name":"ann"}}"#));
        std::thread::sleep(first);
        while !self.stop.load(Ordering::Relaxed) {
            let mut client = match Client::connect(address) {
                Ok(client) => client,
                Err(why) => {
                    lock(&self.failures).push(format!("connecting: {why}"));
                    return;
                }
            };
            while !self.stop.load(Ordering::Relaxed) {
                let begun = Instant::now();
                let asked = client.ask(&path, content.as_bytes());
                let ended = Instant::now();
                let took = ended - begun;
                lock(&self.samples).push(Sample { ended, took });
                if let Err(failure) = asked {
                    lock(&self.failures).push(failure.to_string());
                    break;
                }
                std::thread::sleep(pause);
            }
        }
    }
}

/// The time that this share of them is no slower than; they are sorted. Zero if there is none.
pub(crate) fn percentile(sorted: &[Duration], percent: usize) -> Duration {
    let last = sorted.len().saturating_sub(1);
    sorted.get(last * percent / 100).copied().unwrap_or_default()
}

/// The one in the middle.
pub(crate) fn median(times: &[Duration]) -> Duration {
    let mut sorted = times.to_vec();
    sorted.sort_unstable();
    percentile(&sorted, 50)
}

/// All of them, as one figure after another.
pub(crate) fn list(times: &[Duration]) -> String {
    let texts: Vec<String> = times.iter().map(|time| report::duration(*time)).collect();
    texts.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_of_what_there_is() {
        let times: Vec<Duration> = (1..=200).map(Duration::from_millis).collect();
        assert_eq!(percentile(&times, 99), Duration::from_millis(198));
        assert_eq!(percentile(&times[..1], 99), Duration::from_millis(1));
        assert_eq!(percentile(&[], 99), Duration::ZERO);
        assert_eq!(median(&[times[4], times[0], times[2]]), times[2]);
    }
}
