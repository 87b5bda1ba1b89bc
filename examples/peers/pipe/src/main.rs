//! `null-pipe N`: a server that parses nothing and answers with the same bytes, N times. What is left is the cost of the
//! client, the pipe and the runtime.

use std::process::ExitCode;

use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream};

const ANSWER: &[u8] = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 22\r\n\
    date: Thu, 01 Jan 1970 00:00:00 GMT\r\n\r\n{\"id\":42,\"name\":\"ann\"}";

fn main() -> ExitCode {
    let Some(Ok(requests)) = std::env::args().nth(1).map(|n| n.parse()) else {
        eprintln!("usage: null-pipe N");
        return ExitCode::FAILURE;
    };
    pipe::run(requests, serve);
    ExitCode::SUCCESS
}

async fn serve(mut pipe: DuplexStream) {
    let mut request = vec![0; 8 * 1024];
    while let Ok(1..) = pipe.read(&mut request).await {
        if pipe.write_all(ANSWER).await.is_err() {
            return;
        }
    }
}
