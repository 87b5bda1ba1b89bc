//! Heap allocations per request, counted: both sides of the pipe run on this thread, and the client makes none.

use std::sync::Arc;

use polywire::testing;

#[path = "../examples/pipe/client.rs"]
mod client;

const REQUESTS: u64 = 1000;

#[test]
fn an_answer_costs_no_allocation() {
    for (path, content) in [
        ("/ping", r#"{"ok":true}"#),
        ("/users/42", r#"{"id":42,"name":"ann"}"#),
        ("/search?q=kyrux&page=3", r#"{"q":"kyrux","page":3}"#),
        ("/search?q=a%20b&page=3", r#"{"q":"a b","page":3}"#),
    ] {
        let each = allocations(&client::get(path), content);
        assert!(each < 0.01, "{each} allocations for each {path}");
    }
}

#[test]
fn a_body_costs_what_its_transport_takes_for_it() {
    let body = "b".repeat(1024);
    let fields = client::FIELDS;
    let request = format!(
        "POST /echo HTTP/1.1\r\n{fields}Content-Length: {}\r\n\r\n{body}",
        body.len()
    );
    let each = allocations(&request, &body);
    // hyper makes a channel for each body, and hands it on in frames, which are memory of their own.
    let expected = std::cell::Cell::new(4.0);
    polywire::if_fast! { expected.set(0.0); }
    assert_eq!(each, expected.get());
}

/// A file that is kept open, small enough to be kept in memory and not.
#[test]
fn a_static_file_costs_what_its_transport_takes_for_it() {
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("static");
    std::fs::create_dir_all(&folder).unwrap();
    assert!(probe::FOLDER.set(polywire::files::Files::at(&folder).unwrap()).is_ok());
    // hyper reads a file that is not small on a thread that may wait, piece by piece.
    let expected = std::cell::Cell::new([0.0, f64::INFINITY]);
    polywire::if_fast! { expected.set([0.0, 0.0]); }
    for (size, expected) in [9_700, 40_000].into_iter().zip(expected.get()) {
        let name = size.to_string();
        let content = "f".repeat(size);
        std::fs::write(folder.join(&name), &content).unwrap();
        let each = allocations(&client::get(&format!("/static/{name}")), &content);
        assert!(each <= expected, "{each} allocations for each of {size} bytes");
    }
}

#[test]
fn an_allocation_is_counted() {
    let counted = allocation_counter::measure(|| drop(std::hint::black_box(vec![0; 100])));
    assert_eq!(counted.count_total, 1);
}

/// Allocations per request once the connection is warm, the default chain included.
fn allocations(request: &str, content: &str) -> f64 {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build_local(tokio::runtime::LocalOptions::default())
        .unwrap();
    let mut client = runtime.block_on(async {
        let (io, server) = tokio::io::duplex(64 * 1024);
        tokio::task::spawn_local(testing::serve(server, Arc::new(probe::generated::Routes::new())));
        let mut client = client::Client::new(io, request);
        for _ in 0..100 {
            client.exchange().await;
        }
        client
    });
    let answer = client.answer();
    assert!(answer.ends_with(content.as_bytes()), "{}", answer.escape_ascii());
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
