//! `cargo run --release -p probe --example pipe -- N [PATH] [--case CASE] [--threads T]`: N requests through a pipe in memory, one
//! after the other, on one thread.
//!
//! For counting instructions (`valgrind --tool=callgrind`): the transport, the chain and the handler run as they ship, and
//! no kernel is in the figure. The difference of two runs with different N, divided by the difference of N, is one
//! request's. `cargo xtask bench` does all of it, and reads what is printed here. What is asked for is in `case.rs`.
//!
//! It has one application, as programs do: with more, what they share is no longer inlined into each, and a request takes
//! a tenth more. Other chains are in `examples/chains`.

use probe::generated::Routes;

mod asked;
mod case;
mod client;

fn main() {
    let Some(asked) = asked::Asked::parse(std::env::args().skip(1)) else {
        eprintln!("usage: pipe N [PATH] [--case static|param|query|post|html|missing] [--threads T]");
        std::process::exit(1);
    };
    asked.run(Routes::new());
}
