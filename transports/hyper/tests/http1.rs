//! What comes and leaves over time on HTTP/1, over a pipe.

use std::time::Duration;

use pw_hyper::Config;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

mod common;

use common::{Event, FILE, PATIENCE, PIECE, Served, serve};

fn get(path: &str) -> String {
    format!("GET {path} HTTP/1.1\r\nhost: localhost\r\n\r\n")
}

impl Served {
    async fn send(&mut self, bytes: impl AsRef<[u8]>) {
        self.client
            .write_all(bytes.as_ref())
            .await
            .expect("the connection stands");
    }

    /// What comes up to and with this.
    async fn until(&mut self, last: &str) -> String {
        let mut come = Vec::new();
        while !come.ends_with(last.as_bytes()) {
            let byte = tokio::time::timeout(PATIENCE, self.client.read_u8()).await;
            match byte.expect("more comes in time") {
                Ok(byte) => come.push(byte),
                Err(_) => panic!("the connection has ended behind {}", come.escape_ascii()),
            }
        }
        String::from_utf8_lossy(&come).into_owned()
    }

    /// All that comes.
    async fn rest(&mut self) -> Vec<u8> {
        let mut come = Vec::new();
        let rest = tokio::time::timeout(PATIENCE, self.client.read_to_end(&mut come)).await;
        rest.expect("it ends in time").expect("a pipe has no errors");
        come
    }
}

#[tokio::test]
async fn the_head_leaves_with_what_is_there_at_once() {
    let mut served = serve(1 << 16, Config::default());
    served.send(get("/waiting")).await;
    let mut come = [0; 1000];
    let count = served.client.read(&mut come).await.unwrap();
    assert!(
        come[..count].ends_with(b"\r\n\r\n4\r\nsome\r\n"),
        "{}",
        come[..count].escape_ascii()
    );
}

/// Empty pieces would end the chunks, and what a stream of a length gives beyond it would be the next answer.
#[tokio::test]
async fn answers_are_told_apart() {
    let mut served = serve(1 << 16, Config::default());
    for _ in 0..2 {
        served.send([get("/words"), get("/sized"), get("/")].concat()).await;
        served.until("4\r\nsome\r\n5\r\nwords\r\n0\r\n\r\n").await;
        served.until("\r\n\r\nsomewords").await;
        served.until("\r\n\r\nok").await;
    }
    served.send(get("/words").replace("GET", "HEAD")).await;
    served.until("\r\n\r\n").await;
    served.send(get("/")).await;
    served.until("\r\n\r\nok").await;
}

#[tokio::test]
async fn trailers_come_to_who_takes_them() {
    // However little of them is taken at once.
    for room in [1, 7, 1 << 16] {
        let mut served = serve(room, Config::default());
        served
            .send(get("/trailers").replace("\r\n\r\n", "\r\nte: gzip, Trailers\r\nconnection: te\r\n\r\n"))
            .await;
        served.until("4\r\nsome\r\n0\r\nx-digest: 1\r\n\r\n").await;
        served.send(get("/trailers")).await;
        served.until("4\r\nsome\r\n0\r\n\r\n").await;
        served.send(get("/sized-trailers")).await;
        served.until("\r\n\r\nsome").await;
        served.send(get("/")).await;
        served.until("\r\n\r\nok").await;
    }
}

#[tokio::test]
async fn what_breaks_off_has_no_end() {
    for path in ["/broken", "/short", "/long"] {
        let mut served = serve(1 << 16, Config::default());
        served.send(get(path) + &get("/")).await;
        let come = String::from_utf8(served.rest().await).unwrap();
        let whole = come.ends_with("0\r\n\r\n") || come.ends_with("ok") || come.ends_with("\r\n\r\nsome");
        assert!(!whole && !come.contains("secret"), "{path} {come}");
        served.over().await;
    }
}

/// hyper would throw away what it holds.
#[tokio::test]
async fn what_a_stream_gave_before_it_broke_off_arrives_at_a_slow_client() {
    let mut served = serve(512, Config::default());
    served.send(get("/broken-late")).await;
    let come = served.rest().await;
    let chunk = ["BB8\r\n", &"x".repeat(3000), "\r\n"].concat();
    assert!(come.ends_with(chunk.repeat(20).as_bytes()), "{}", come.len());
    served.over().await;
}

#[tokio::test]
async fn a_stream_is_held_up_by_what_its_client_does_not_take() {
    let mut served = serve(1024, Config::default());
    served.send(get("/endless")).await;
    served.until("\r\n\r\n").await;
    let mut asked = 0;
    while let Ok(event) = tokio::time::timeout(Duration::from_millis(300), served.events.recv()).await {
        assert_eq!(event, Some(Event::Asked));
        asked += 1;
    }
    assert!(asked * PIECE < 64 * 1024, "{asked}");
    drop(std::mem::replace(&mut served.client, tokio::io::duplex(1).0));
    assert_eq!(served.event().await, Event::Dropped);
}

/// A client that has gone is noticed while nothing is sent, whatever it has sent before.
#[tokio::test]
async fn a_stream_goes_with_its_client() {
    let unread =
        "POST /waiting HTTP/1.1\r\nhost: localhost\r\ncontent-length: 10000\r\n\r\n".to_owned() + &"x".repeat(10_000);
    let cut = "POST /waiting HTTP/1.1\r\nhost: localhost\r\ncontent-length: 10000\r\n\r\nsome".to_owned();
    for request in [get("/waiting"), get("/waiting") + &get("/"), unread, cut] {
        let mut served = serve(1 << 16, Config::default());
        served.send(&request).await;
        served.until("4\r\nsome\r\n").await;
        served.client.shutdown().await.unwrap();
        while served.event().await != Event::Dropped {}
        served.over().await;
    }
}

#[tokio::test]
async fn a_file_arrives_whole() {
    for room in [100, 1 << 20] {
        let mut served = serve(room, Config::default());
        served
            .send(get("/file").replace("\r\n\r\n", "\r\nconnection: close\r\n\r\n"))
            .await;
        let come = served.rest().await;
        let file = std::fs::read(FILE).unwrap();
        let (head, content) = come.split_at(come.len() - file.len());
        assert!(content == file && head.ends_with(b"\r\n\r\n"));
    }
}

#[tokio::test]
async fn pieces_of_a_body_are_taken_as_they_come() {
    let mut served = serve(1 << 16, Config::default());
    served
        .send("POST /pieces HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: chunked\r\n\r\n")
        .await;
    for piece in ["some", "words"] {
        served.send(format!("{:x}\r\n{piece}\r\n", piece.len())).await;
        assert_eq!(served.event().await, Event::Piece(piece.len()));
    }
    served.send("0\r\n\r\n").await;
    served.until("\r\n\r\nsomewords").await;
    served.send(get("/")).await;
    served.until("\r\n\r\nok").await;
}

const UPGRADE: &str = "\r\nconnection: upgrade\r\nupgrade: shout\r\n\r\n";

#[tokio::test]
async fn a_connection_leaves_http() {
    let mut served = serve(1 << 16, Config::default());
    served
        .send(get("/") + &get("/shout").replace("\r\n\r\n", UPGRADE) + "ahead")
        .await;
    served.until("\r\n\r\nok").await;
    let head = served.until("\r\n\r\n").await;
    assert!(
        head.starts_with(
            "HTTP/1.1 101 Switching Protocols\r\nupgrade: shout\r\nserver: 1\r\nconnection: upgrade\r\ndate: "
        ),
        "{head}"
    );
    served.until("AHEAD").await;
    served.send("more").await;
    served.until("MORE").await;
    served.stopping.begin();
    assert_eq!(served.rest().await, b"bye");
    assert_eq!(served.event().await, Event::Left);
    served.over().await;
}

/// What is left of a body could not be told from what the other protocol begins with.
#[tokio::test]
async fn a_request_with_a_body_stays_http() {
    let mut served = serve(1 << 16, Config::default());
    served
        .send(
            get("/shout").replace(
                "\r\n\r\n",
                "\r\ncontent-length: 4\r\nconnection: upgrade\r\nupgrade: shout\r\n\r\n",
            ) + "body",
        )
        .await;
    let come = String::from_utf8(served.rest().await).unwrap();
    assert!(
        come.starts_with("HTTP/1.1 400 ") && come.contains("connection: close\r\n"),
        "{come}"
    );
}

#[tokio::test]
async fn a_panic_ends_what_was_upgraded_alone() {
    let mut served = serve(1 << 16, Config::default());
    served.send(get("/panics").replace("\r\n\r\n", UPGRADE)).await;
    served.until("\r\n\r\n").await;
    assert!(served.rest().await.is_empty());
    assert!(served.task.await.is_err_and(|error| error.is_panic()));
}
