//! `cargo run --release -p probe --example chains -- none|one|three|default N`: what `examples/pipe` does, for `GET /users/42`
//! with these chains. Prints how large the future of a request is, besides.
//!
//! To be compared with each other, and not with `pipe`, which has one application alone.

use probe::generated::Routes;

#[path = "../pipe/asked.rs"]
mod asked;
#[path = "../pipe/case.rs"]
mod case;
mod chain;
#[path = "../pipe/client.rs"]
mod client;

use chain::{One, Three, Unchained, future_size};

fn main() {
    let mut arguments = std::env::args().skip(1);
    let chain = arguments.next().unwrap_or_default();
    let Some(asked) = asked::Asked::parse(arguments) else {
        return usage();
    };
    let future = match &*chain {
        "none" => {
            asked.run(Unchained::new());
            future_size!(Unchained)
        }
        "one" => {
            asked.run(One::new());
            future_size!(One)
        }
        "three" => {
            asked.run(Three::new());
            future_size!(Three)
        }
        "default" => {
            asked.run(Routes::new());
            future_size!(Routes)
        }
        _ => return usage(),
    };
    println!("{future} bytes of future");
}

fn usage() {
    eprintln!("usage: chains none|one|three|default N [--threads T]");
    std::process::exit(1);
}
