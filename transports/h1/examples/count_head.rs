//! Parses one head N times, for counting instructions. The difference of two runs is what N heads cost:
//!
//!     cargo build --release -p pw-h1 --example count_head
//!     valgrind --tool=callgrind --callgrind-out-file=/dev/null target/release/examples/count_head 10000
//!     valgrind --tool=callgrind --callgrind-out-file=/dev/null target/release/examples/count_head 20000

use std::hint::black_box;

use pw_core::{HeadBuffer, Limits};
use pw_h1::HeadParser;

const HEAD: &[u8] =
    b"GET /users/42 HTTP/1.1\r\nHost: 127.0.0.1:8080\r\nUser-Agent: bench/1.0\r\nAccept: */*\r\nConnection: keep-alive\r\n\r\n";

fn main() {
    let rounds: usize = std::env::args()
        .nth(1)
        .and_then(|text| text.parse().ok())
        .unwrap_or(10_000);
    let (mut parser, mut head, limits) = (HeadParser::default(), HeadBuffer::default(), Limits::default());
    for _ in 0..rounds {
        let verdict = parser.parse(black_box(HEAD), &limits, &mut head);
        assert!(matches!(black_box(&verdict), Ok(Some(_))));
    }
    println!("{rounds} heads of {} bytes, {} fields", HEAD.len(), head.field_count());
}
