//! What an idle socket holds on the heap: its task, its timer, what its halves share; no buffer, whatever it sent and received before.

use crate::support::{Client, echo, frame, open_with};
use allocation_counter::measure;
use pw_core::Stopping;
use pw_ws::WebSocket;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

const SOCKETS: usize = 100;

/// The room of the pipe that stands for the connection.
const PIPE: usize = 256;

/// The most that one may hold, of the 4 KiB that a whole connection may; the rest is its transport's.
const MOST: i64 = 1600;

fn open() -> Client {
    open_with(WebSocket::options(), PIPE, b"", echo)
}

/// Sends a message and waits for its echo.
async fn exchange(client: &mut Client, length: usize) {
    let message = frame(0x82, &vec![1; length]);
    let (mut read, mut write) = tokio::io::split(&mut client.stream);
    // The mask is left out.
    let mut answer = vec![0; message.len() - 4];
    let (sent, received) = tokio::join!(write.write_all(&message), read.read_exact(&mut answer));
    sent.expect("the socket reads");
    received.expect("the socket writes");
}

#[test]
fn an_idle_socket_holds_no_buffer() {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()
        .expect("a runtime can be built");
    let rounds = |clients: &mut Vec<Client>, lengths: &[usize]| {
        runtime.block_on(async {
            clients.extend((clients.len()..SOCKETS).map(|_| open()));
            for client in clients {
                for length in lengths {
                    exchange(client, *length).await;
                }
            }
        });
    };
    // What is allocated once and for all, by runtime and test.
    rounds(&mut Vec::with_capacity(SOCKETS), &[1]);

    // Not the socket's: the pipe, its buffers at the size they come to, and the news of the server's end, one for all elsewhere.
    let beside = measure(|| {
        runtime.block_on(async {
            for _ in 0..SOCKETS {
                let mut pipe = tokio::io::duplex(PIPE);
                pipe.0.write_all(&[0; PIPE]).await.expect("there is room");
                pipe.1.write_all(&[0; PIPE]).await.expect("there is room");
                std::mem::forget((pipe, Stopping::default()));
            }
        });
    });
    let mut clients = Vec::with_capacity(SOCKETS);
    let opened = measure(|| rounds(&mut clients, &[1, 1]));
    let used = measure(|| rounds(&mut clients, &[5, 5_000, 60_000, 1]));
    let each = (opened.bytes_current - beside.bytes_current) / SOCKETS as i64;
    let more = used.bytes_current / SOCKETS as i64;
    println!("an idle socket holds {each} bytes, and {more} more once it was used");
    assert!((1..=MOST).contains(&each), "{each} bytes");
    // The pipe doubles its buffers when they are read from and written to in turns.
    assert!(more <= 4 * PIPE as i64, "{more} bytes more once it was used");
}
