//! `cargo run --release -p probe --example pipe -- N [PATH]`: N requests through a pipe in memory, one after the other, on
//! one thread.
//!
//! ```text
//! pipe N [PATH] [--case NAME] [--chain NAME] [--threads T]
//! ```
//!
//! For counting instructions (`valgrind --tool=callgrind`): the transport, the chain and the handler run as they ship, and
//! no kernel is in the figure. The difference of two runs with different N, divided by the difference of N, is one
//! request's. Both ends are tasks, as they are in `examples/peers/pipe`, so that the runtime need not park between them.
//! `cargo xtask bench` does all of it, and reads what is printed here.
//!
//! Cases are in `case.rs`, chains other than the probe's in `chain.rs`. With `--threads`, as many threads each have a runtime
//! and a connection of their own, and ask N times at once.

use std::sync::{Arc, Barrier};
use std::time::{Duration, Instant};

use polywire::{Application, testing};
use probe::generated::Routes;

mod case;
mod chain;
mod client;

const USAGE: &str = "usage: pipe N [PATH] [--case static|param|query|post|html|missing] [--chain default|none|one|three] \
                     [--threads T], where another chain than the default goes with the case param";

fn main() {
    let asked = Asked::parse(std::env::args().skip(1)).unwrap_or_else(|| {
        eprintln!("{USAGE}");
        std::process::exit(1);
    });
    let (run, future) = match asked.chain.as_str() {
        "none" => (
            asked.run(chain::Unchained::new()),
            chain::future_size!(chain::Unchained),
        ),
        "one" => (asked.run(chain::One::new()), chain::future_size!(chain::One)),
        "three" => (asked.run(chain::Three::new()), chain::future_size!(chain::Three)),
        _ => (asked.run(Routes::new()), chain::future_size!(Routes)),
    };
    println!("{} answers of {} bytes", asked.count, run.length);
    println!(
        "{:.1} ns each",
        run.time.as_secs_f64() * 1e9 / f64::from(asked.count.max(1))
    );
    println!("{future} bytes of future");
}

/// What the command line says.
struct Asked {
    count: u32,
    request: String,
    chain: String,
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
    fn parse(mut arguments: impl Iterator<Item = String>) -> Option<Self> {
        let mut asked = Self {
            count: 1000,
            request: client::get(case::PARAM),
            chain: "default".to_owned(),
            threads: 1,
        };
        let mut case = "param".to_owned();
        let mut place = 0;
        while let Some(argument) = arguments.next() {
            match &*argument {
                "--case" => {
                    case = arguments.next()?;
                    asked.request = case::request(&case)?;
                }
                "--chain" => asked.chain = arguments.next()?,
                "--threads" => asked.threads = arguments.next()?.parse().ok().filter(|threads| *threads > 0)?,
                _ if place == 0 => (asked.count, place) = (argument.parse().ok()?, 1),
                path if place == 1 && path.starts_with('/') => (asked.request, place) = (client::get(path), 2),
                _ => return None,
            }
        }
        let known = match &*asked.chain {
            "default" => true,
            "none" | "one" | "three" => case == "param",
            _ => false,
        };
        known.then_some(asked)
    }

    fn run<R: Application>(&self, routes: R) -> Run {
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
