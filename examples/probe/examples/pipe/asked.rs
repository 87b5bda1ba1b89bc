//! The command line of these examples, and the requests it asks for.
//!
//! Both ends are tasks, as they are in `examples/peers/pipe`, so that the runtime need not park between them. With `--threads`, as
//! many threads each have a runtime and a connection of their own, and ask at once.

use std::sync::{Arc, Barrier};
use std::time::{Duration, Instant};

use polywire::{Application, testing};

use crate::{case, client};

/// What the command line says.
pub(crate) struct Asked {
    count: u32,
    request: String,
    threads: usize,
}

/// What came of it.
struct Run {
    /// Of an answer.
    length: usize,
    /// For all of them; of the slowest thread.
    time: Duration,
}

impl Asked {
    /// `N [PATH] [--case CASE] [--threads T]`. `None`: it is something else.
    pub(crate) fn parse(mut arguments: impl Iterator<Item = String>) -> Option<Self> {
        let mut asked = Self {
            count: 1000,
            request: client::get(case::PARAM),
            threads: 1,
        };
        let mut place = 0;
        while let Some(argument) = arguments.next() {
            match &*argument {
                "--case" => asked.request = case::request(&arguments.next()?)?,
                "--threads" => asked.threads = arguments.next()?.parse().ok().filter(|threads| *threads > 0)?,
                _ if place == 0 => (asked.count, place) = (argument.parse().ok()?, 1),
                path if place == 1 && path.starts_with('/') => (asked.request, place) = (client::get(path), 2),
                _ => return None,
            }
        }
        Some(asked)
    }

    /// Asks, and prints how long that took.
    pub(crate) fn run<R: Application>(&self, routes: R) {
        let run = self.on_threads(routes);
        println!("{} answers of {} bytes", self.count, run.length);
        println!(
            "{:.1} ns each",
            run.time.as_secs_f64() * 1e9 / f64::from(self.count.max(1))
        );
    }

    fn on_threads<R: Application>(&self, routes: R) -> Run {
        let routes = Arc::new(routes);
        if self.threads == 1 {
            return self.ask(routes, &Barrier::new(1));
        }
        let start = Barrier::new(self.threads);
        std::thread::scope(|scope| {
            let threads: Vec<_> = (0..self.threads)
                .map(|_| scope.spawn(|| self.ask(routes.clone(), &start)))
                .collect();
            let runs = threads
                .into_iter()
                .map(|thread| thread.join().expect("every answer is as it should be"));
            runs.max_by_key(|run| run.time).expect("there is a thread")
        })
    }

    /// One connection on a runtime of its own, from `start` on.
    fn ask<R: Application>(&self, routes: Arc<R>, start: &Barrier) -> Run {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build_local(tokio::runtime::LocalOptions::default())
            .expect("one thread is enough");
        runtime.block_on(async {
            let (io, server) = tokio::io::duplex(64 * 1024);
            tokio::task::spawn_local(testing::serve(server, routes));
            let mut client = client::Client::new(io, &self.request);
            let count = self.count;
            start.wait();
            let begun = Instant::now();
            let asking = tokio::task::spawn_local(async move {
                for _ in 0..count {
                    client.exchange().await;
                }
                client
            });
            let client = asking.await.expect("every answer is as it should be");
            Run {
                length: client.answer().len(),
                time: begun.elapsed(),
            }
        })
    }
}
