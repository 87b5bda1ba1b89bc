//! `bare N`: the least that answers `GET /users/{id}` by hand, N times: httparse, a match on the path, serde_json, into buffers
//! that are there already. It has no limits, no framing but the head's end, and a date that stands still.

use std::process::ExitCode;

use serde::Serialize;
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream};

const HEAD: &[u8] =
    b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ndate: Thu, 01 Jan 1970 00:00:00 GMT\r\ncontent-length: ";
const REFUSAL: &[u8] = b"HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n";
const FIELDS: usize = 16;

fn main() -> ExitCode {
    let Some(Ok(requests)) = std::env::args().nth(1).map(|n| n.parse()) else {
        eprintln!("usage: bare N");
        return ExitCode::FAILURE;
    };
    pipe::run(requests, serve);
    ExitCode::SUCCESS
}

async fn serve(mut pipe: DuplexStream) {
    let (mut input, mut filled) = (vec![0; 8 * 1024], 0);
    let (mut output, mut content) = (Vec::new(), Vec::new());
    while let Ok(more @ 1..) = pipe.read(&mut input[filled..]).await {
        filled += more;
        output.clear();
        let Some(read) = answer(&input[..filled], &mut output, &mut content) else {
            continue;
        };
        input.copy_within(read..filled, 0);
        filled -= read;
        if pipe.write_all(&output).await.is_err() {
            return;
        }
    }
}

#[derive(Serialize)]
struct User {
    id: u64,
    name: &'static str,
}

/// Answers one request, and says how long that was. `None`: it is not whole.
fn answer(input: &[u8], output: &mut Vec<u8>, content: &mut Vec<u8>) -> Option<usize> {
    let mut fields = [httparse::EMPTY_HEADER; FIELDS];
    let mut request = httparse::Request::new(&mut fields);
    let read = match request.parse(input) {
        Ok(httparse::Status::Complete(read)) => read,
        Ok(httparse::Status::Partial) => return None,
        // What follows can't be understood either.
        Err(_) => {
            output.extend_from_slice(REFUSAL);
            return Some(input.len());
        }
    };
    let id = request.path.and_then(|path| path.strip_prefix("/users/")?.parse().ok());
    match (request.method, id) {
        (Some("GET"), Some(id)) => {
            content.clear();
            serde_json::to_writer(&mut *content, &User { id, name: "ann" }).expect("a number and a text are JSON");
            output.extend_from_slice(HEAD);
            output.extend_from_slice(itoa::Buffer::new().format(content.len()).as_bytes());
            output.extend_from_slice(b"\r\n\r\n");
            output.extend_from_slice(content);
        }
        _ => output.extend_from_slice(REFUSAL),
    }
    Some(read)
}
