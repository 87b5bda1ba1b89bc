//! `cargo run --release -p probe --example pipe -- N [PATH]`: N requests through a pipe in memory, one after the other, on
//! one thread.
//!
//! For counting instructions (`valgrind --tool=callgrind`): the transport, the chain and the handler run as they ship, and
//! no kernel is in the figure. The difference of two runs with different N, divided by the difference of N, is one
//! request's. Both ends are tasks, as they are in `examples/peers/pipe`, so that the runtime need not park between them.

use std::sync::Arc;

use polywire::testing;

mod client;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let count: u32 = arguments
        .next()
        .map_or(1000, |n| n.parse().expect("the first argument is a number of requests"));
    let path = arguments.next().unwrap_or_else(|| "/users/42".to_owned());
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build_local(tokio::runtime::LocalOptions::default())
        .expect("one thread is enough");
    runtime.block_on(async {
        let (io, server) = tokio::io::duplex(64 * 1024);
        tokio::task::spawn_local(testing::serve(server, Arc::new(probe::generated::Routes::new())));
        let mut client = client::Client::new(io, &client::get(&path));
        let asking = tokio::task::spawn_local(async move {
            for _ in 0..count {
                client.exchange().await;
            }
            client
        });
        let client = asking.await.expect("every answer is as it should be");
        println!("{count} answers of {} bytes", client.answer().len());
    });
}
