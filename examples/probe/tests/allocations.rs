//! Heap allocations per request, counted: both sides of the pipe run on this thread, and the client makes none.

use std::sync::Arc;

use polywire::testing;

#[path = "../examples/pipe/client.rs"]
mod client;

const REQUESTS: u64 = 1000;

#[test]
fn a_static_answer_costs_at_most_five_allocations() {
    let each = allocations("/ping", br#"{"ok":true}"#);
    assert!(each <= 5.0, "{each} allocations for each /ping");
}

#[test]
fn a_parameter_and_json_cost_at_most_seven_allocations() {
    let each = allocations("/users/42", br#"{"id":42,"name":"ann"}"#);
    assert!(each <= 7.0, "{each} allocations for each /users/42");
}

#[test]
fn an_allocation_is_counted() {
    let counted = allocation_counter::measure(|| drop(std::hint::black_box(vec![0; 100])));
    assert_eq!(counted.count_total, 1);
}

/// Allocations per request once the connection is warm, the default chain included.
fn allocations(path: &str, content: &[u8]) -> f64 {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let mut client = runtime.block_on(async {
        let (io, server) = tokio::io::duplex(64 * 1024);
        tokio::spawn(testing::serve(server, Arc::new(probe::generated::Routes::new())));
        let mut client = client::Client::new(io, path);
        for _ in 0..100 {
            client.exchange().await;
        }
        client
    });
    assert!(client.answer().ends_with(content), "{}", client.answer().escape_ascii());
    let counted = allocation_counter::measure(|| {
        runtime.block_on(async {
            for _ in 0..REQUESTS {
                client.exchange().await;
            }
        });
    });
    // What is made once a second (the date) or once for all is no request's.
    (counted.count_total as f64 / REQUESTS as f64 * 100.0).round() / 100.0
}
