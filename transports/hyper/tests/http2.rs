//! What comes and leaves over time on HTTP/2, over a pipe, by a client of `h2`.

use std::time::Duration;

use bytes::Bytes;
use h2::client::{ResponseFuture, SendRequest};
use h2::{Reason, RecvStream};
use http::{Method, Request, Response};
use pw_core::{Limits, Timeouts};
use pw_hyper::Config;

mod common;

use common::{Event, FILE, PATIENCE, PIECE, Served, serve};

/// A connection, and a client on it.
async fn client(config: Config) -> (Served, SendRequest<Bytes>) {
    let mut served = serve(1 << 20, config);
    let io = std::mem::replace(&mut served.client, tokio::io::duplex(1).0);
    let (client, connection) = h2::client::Builder::new()
        .handshake(io)
        .await
        .expect("the server answers");
    tokio::spawn(connection);
    (served, client.ready().await.expect("the connection stands"))
}

fn request(method: Method, path: &str) -> Request<()> {
    let request = Request::builder().method(method).uri(format!("http://localhost{path}"));
    request.body(()).expect("it is a request")
}

async fn ask(client: &mut SendRequest<Bytes>, method: Method, path: &str) -> Response<RecvStream> {
    let (response, _) = client
        .send_request(request(method, path), true)
        .expect("a stream can be opened");
    response.await.expect("there is an answer")
}

/// Content, and trailers, or why there are none.
async fn content(response: Response<RecvStream>) -> Result<(Vec<u8>, Option<http::HeaderMap>), h2::Error> {
    let mut body = response.into_body();
    let mut content = Vec::new();
    while let Some(data) = body.data().await {
        let data = data?;
        content.extend_from_slice(&data);
        body.flow_control().release_capacity(data.len())?;
    }
    Ok((content, body.trailers().await?))
}

#[tokio::test]
async fn streams_and_files_arrive_whole() {
    let (_served, mut client) = client(Config::default()).await;
    for (path, length) in [("/words", None), ("/sized", Some("9"))] {
        let response = ask(&mut client, Method::GET, path).await;
        let declared = response
            .headers()
            .get("content-length")
            .map(|value| value.to_str().unwrap());
        assert_eq!(declared, length, "{path}");
        assert_eq!(
            content(response).await.unwrap(),
            (b"somewords".to_vec(), None),
            "{path}"
        );
    }
    for path in ["/trailers", "/sized-trailers"] {
        let response = ask(&mut client, Method::GET, path).await;
        let (content, trailers) = content(response).await.unwrap();
        assert_eq!(content, b"some", "{path}");
        let trailers = trailers.expect("there are trailers");
        assert_eq!(
            (&trailers["x-digest"], trailers.len()),
            (&"1".parse().unwrap(), 1),
            "{path}"
        );
    }
    let file = std::fs::read(FILE).unwrap();
    let response = ask(&mut client, Method::GET, "/file").await;
    assert_eq!(response.headers()["content-length"], file.len().to_string());
    assert!(content(response).await.unwrap().0 == file);
}

#[tokio::test]
async fn head_asks_no_stream() {
    let (mut served, mut client) = client(Config::default()).await;
    for (path, length) in [("/words", None), ("/sized", Some("9")), ("/endless", None)] {
        let response = ask(&mut client, Method::HEAD, path).await;
        let declared = response
            .headers()
            .get("content-length")
            .map(|value| value.to_str().unwrap());
        assert_eq!(declared, length, "{path}");
        assert!(content(response).await.unwrap().0.is_empty());
        assert_eq!(served.event().await, Event::Dropped, "it was not asked before");
    }
}

#[tokio::test]
async fn what_breaks_off_is_reset_and_the_connection_stays() {
    let (_served, mut client) = client(Config::default()).await;
    for path in ["/broken", "/short", "/long"] {
        let (response, _) = client.send_request(request(Method::GET, path), true).unwrap();
        // What has not left by then never does, the head included.
        let error = match response.await {
            Ok(response) => content(response).await.expect_err("it is no whole answer"),
            Err(error) => error,
        };
        assert_eq!(error.reason(), Some(Reason::INTERNAL_ERROR), "{path}");
    }
    assert_eq!(ask(&mut client, Method::GET, "/").await.status(), 200);
}

#[tokio::test]
async fn a_stream_that_is_reset_is_dropped() {
    let (mut served, mut client) = client(Config::default()).await;
    let (response, mut stream) = client.send_request(request(Method::GET, "/waiting"), true).unwrap();
    let mut body = response.await.unwrap().into_body();
    assert_eq!(body.data().await.unwrap().unwrap(), "some");
    stream.send_reset(Reason::CANCEL);
    while served.event().await != Event::Dropped {}
}

/// A window that is full holds the stream up, and one that waits for us is not idle however long that takes.
#[tokio::test]
async fn a_client_is_given_what_it_has_room_for() {
    let timeouts = Timeouts {
        keep_alive: Duration::from_millis(100),
        write: Duration::from_millis(100),
        ..Timeouts::default()
    };
    let (mut served, mut client) = client(Config {
        timeouts,
        ..Config::default()
    })
    .await;
    let waiting = ask(&mut client, Method::GET, "/waiting").await;
    let mut endless = ask(&mut client, Method::GET, "/endless").await.into_body();
    let mut taken = 0;
    // The window of the connection is 64 KiB, and the other stream has some of it.
    while taken < 60_000 {
        taken += endless.data().await.unwrap().unwrap().len();
    }
    let mut asked = 0;
    while let Ok(event) = tokio::time::timeout(Duration::from_millis(300), served.events.recv()).await {
        asked += usize::from(event == Some(Event::Asked));
    }
    assert!(asked * PIECE < 4 * 65_535, "{asked}");
    drop(endless);
    let mut body = waiting.into_body();
    assert_eq!(body.data().await.unwrap().unwrap(), "some");
    assert_eq!(
        ask(&mut client, Method::GET, "/").await.status(),
        200,
        "it has not been sent away"
    );
}

/// A client that never opens its window is not waited for.
#[tokio::test]
async fn a_client_that_takes_nothing_is_cut() {
    let timeouts = Timeouts {
        keep_alive: Duration::from_millis(100),
        write: Duration::from_millis(100),
        ..Timeouts::default()
    };
    let (mut served, mut client) = client(Config {
        timeouts,
        ..Config::default()
    })
    .await;
    let _endless = ask(&mut client, Method::GET, "/endless").await;
    while served.event().await != Event::Dropped {}
    served.over().await;
}

#[tokio::test]
async fn pieces_of_a_body_are_taken_as_they_come() {
    let (mut served, mut client) = client(Config {
        limits: Limits {
            body: 9,
            ..Limits::default()
        },
        ..Config::default()
    })
    .await;
    let send = |client: &mut SendRequest<Bytes>| client.send_request(request(Method::POST, "/pieces"), false).unwrap();
    let (response, mut body) = send(&mut client);
    for (piece, last) in [("some", false), ("words", true)] {
        body.send_data(piece.into(), last).unwrap();
        assert_eq!(served.event().await, Event::Piece(piece.len()));
    }
    assert_eq!(content(response.await.unwrap()).await.unwrap().0, b"somewords");

    let (response, mut body) = send(&mut client);
    body.send_data("some".into(), false).unwrap();
    body.send_data("many words".into(), false).unwrap();
    assert_eq!(response.await.unwrap().status(), 413);
}

/// A request to `/trailing` with these trailers: its answer.
async fn trailing(
    client: &mut SendRequest<Bytes>,
    data: &'static str,
    trailers: &[(&'static str, &str)],
) -> (u16, String) {
    let (response, mut body) = client.send_request(request(Method::POST, "/trailing"), false).unwrap();
    if !data.is_empty() {
        body.send_data(data.into(), false).unwrap();
    }
    let mut map = http::HeaderMap::new();
    for (name, value) in trailers {
        map.append(*name, value.parse().unwrap());
    }
    body.send_trailers(map).unwrap();
    let response = response.await.unwrap();
    let status = response.status().as_u16();
    let content = content(response).await.unwrap().0;
    (status, String::from_utf8(content).unwrap())
}

#[tokio::test]
async fn trailers_of_a_request_are_told_at_its_end() {
    let limits = Limits {
        trailers: 100,
        trailer_fields: 3,
        ..Limits::default()
    };
    let (_served, mut client) = client(Config {
        limits,
        ..Config::default()
    })
    .await;
    for data in ["body", ""] {
        let told = trailing(&mut client, data, &[("b", "1"), ("x-sum", "2"), ("b", "3")]).await;
        assert_eq!(told, (200, "b=1;b=3;x-sum=2;".to_owned()), "{data}");
        let told = trailing(
            &mut client,
            data,
            &[("content-type", "a/b"), ("cookie", "a"), ("etag", "c")],
        )
        .await;
        assert_eq!(told, (200, "etag=c;".to_owned()), "{data}");
    }
    let many = trailing(&mut client, "body", &[("a", "1"), ("b", "1"), ("c", "1"), ("d", "1")]).await;
    assert_eq!(many.0, 431);
    let long = trailing(&mut client, "body", &[("a", &"b".repeat(96))]).await;
    assert_eq!(long.0, 431);
    let short = trailing(&mut client, "body", &[("a", &"b".repeat(95))]).await;
    assert_eq!(short.0, 200);
}

/// Opens a tunnel, or is told why not.
fn connect(
    client: &mut SendRequest<Bytes>,
    path: &str,
    protocol: &'static str,
) -> (ResponseFuture, h2::SendStream<Bytes>) {
    let mut request = request(Method::CONNECT, path);
    request
        .extensions_mut()
        .insert(h2::ext::Protocol::from_static(protocol));
    client.send_request(request, false).expect("a stream can be opened")
}

#[tokio::test]
async fn an_extended_connect_leaves_http() {
    let (mut served, mut client) = client(Config {
        timeouts: Timeouts {
            keep_alive: Duration::from_millis(50),
            write: Duration::from_millis(50),
            ..Timeouts::default()
        },
        ..Config::default()
    })
    .await;
    assert_eq!(ask(&mut client, Method::GET, "/").await.status(), 200);
    assert!(
        client.is_extended_connect_protocol_enabled(),
        "the settings came before"
    );
    let (response, mut send) = connect(&mut client, "/shout", "shout");
    let response = response.await.unwrap();
    assert_eq!(response.status(), 200);
    assert_eq!(response.headers()["server"], "2");
    assert!(!response.headers().contains_key("upgrade"));
    let mut receive = response.into_body();
    for (said, heard) in [("hello", "HELLO"), ("world", "WORLD")] {
        send.send_data(said.into(), false).unwrap();
        assert_eq!(receive.data().await.unwrap().unwrap(), heard);
        // No timeout of HTTP holds.
        let silence = tokio::time::timeout(Duration::from_millis(200), receive.data()).await;
        assert!(silence.is_err(), "{silence:?}");
    }
    served.stopping.begin();
    assert_eq!(receive.data().await.unwrap().unwrap(), "bye");
    while let Some(data) = receive.data().await {
        assert!(data.expect("it ends cleanly").is_empty());
    }
    assert_eq!(served.event().await, Event::Left);
}

#[tokio::test]
async fn a_client_that_goes_ends_what_it_was_upgraded_to() {
    let (mut served, mut client) = client(Config::default()).await;
    let (response, mut send) = connect(&mut client, "/shout", "shout");
    let _receive = response.await.unwrap();
    send.send_reset(Reason::CANCEL);
    assert_eq!(served.event().await, Event::Left);
    assert_eq!(ask(&mut client, Method::GET, "/").await.status(), 200);
}

#[tokio::test]
async fn what_is_not_upgraded_is_answered() {
    let (_served, mut client) = client(Config::default()).await;
    for (path, protocol, status) in [
        ("/nowhere", "shout", 404),
        ("/shout", "whisper", 400),
        // A success would open the tunnel.
        ("/", "shout", 501),
        ("/words", "shout", 501),
    ] {
        let (response, _send) = connect(&mut client, path, protocol);
        let response = response.await.unwrap();
        assert_eq!(response.status(), status, "{path}");
        let problem = content(response).await.unwrap().0;
        assert!(problem.starts_with(b"{\"type\":"), "{path}");
    }
    let response = ask(&mut client, Method::GET, "/panics").await;
    assert_eq!(response.status(), 400, "nothing was offered");
    let (response, _send) = connect(&mut client, "/panics", "shout");
    let response = response.await.unwrap();
    assert_eq!(response.status(), 200);
    let _ = content(response).await;
    assert_eq!(
        ask(&mut client, Method::GET, "/").await.status(),
        200,
        "one stream is lost"
    );
    let plain = Request::builder()
        .method(Method::CONNECT)
        .uri("localhost:80")
        .body(())
        .unwrap();
    let (response, _send) = client.send_request(plain, false).unwrap();
    assert_eq!(response.await.unwrap().status(), 501, "this is no tunnel");
}

/// As hyper has it (`ARCHITECTURE.md`): where this fails, hyper resets the stream alone, as it should, and the page is to be changed.
#[tokio::test]
async fn an_extended_connect_with_a_length_ends_its_connection() {
    let (served, mut client) = client(Config::default()).await;
    let mut request = request(Method::CONNECT, "/shout");
    request.extensions_mut().insert(h2::ext::Protocol::from_static("shout"));
    request
        .headers_mut()
        .insert(http::header::CONTENT_LENGTH, http::HeaderValue::from_static("5"));
    let (response, _send) = client.send_request(request, false).expect("a stream can be opened");
    assert!(response.await.is_err());
    tokio::time::timeout(PATIENCE, served.task)
        .await
        .expect("it ends")
        .expect("it does not panic");
}

#[tokio::test]
async fn a_connection_ends_with_the_last_that_left_http() {
    let (served, mut client) = client(Config::default()).await;
    let (response, _send) = connect(&mut client, "/shout", "shout");
    let receive = response.await.unwrap();
    drop((receive, _send, client));
    tokio::time::timeout(PATIENCE, served.over()).await.expect("it ends");
}
