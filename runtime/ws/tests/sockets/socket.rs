//! What a handler is promised: typed messages, halves, the ways a socket ends, and its timers.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::support::{Client, echo, echo_client, open, open_with};
use pw_core::Problem;
use pw_ws::{CloseCode, ErrorKind, Message, WebSocket};
use serde::{Deserialize, Serialize};
use tokio::sync::{broadcast, oneshot};
use tokio::time::{Instant, advance, sleep, timeout};

#[derive(Deserialize)]
struct Question {
    a: i64,
    b: i64,
}

#[derive(Debug, Serialize)]
struct Answer {
    sum: i64,
}

async fn sums(mut socket: WebSocket<Question, Answer>) -> Result<(), Problem> {
    while let Some(Question { a, b }) = socket.receive().await? {
        socket.send(&Answer { sum: a + b }).await?;
    }
    Ok(())
}

#[tokio::test]
async fn typed_messages_are_json() {
    let mut client = open(WebSocket::options(), sums);
    client.send(1, br#"{"a":20,"b":22}"#).await;
    assert_eq!(client.receive().await, (1, br#"{"sum":42}"#.to_vec()));
    for (opcode, payload, code) in [(1, "{\"a\":", 1007), (1, "7", 1007), (2, "{\"a\":1,\"b\":2}", 1003)] {
        let mut client = open(WebSocket::options(), sums);
        client.send(opcode, payload.as_bytes()).await;
        assert_eq!(client.close_code().await, code, "{payload}");
        client.send(8, &code.to_be_bytes()).await;
        client.end().await;
    }
}

/// Opens a socket whose handler says how it ended.
fn told<H>(handler: impl FnOnce(WebSocket) -> H + Send + 'static) -> (Client, oneshot::Receiver<H::Output>)
where
    H: Future<Output: Send> + Send + 'static,
{
    let (tell, told) = oneshot::channel();
    let client = open(WebSocket::options(), async move |socket: WebSocket| {
        tell.send(handler(socket).await).ok();
        Ok(())
    });
    (client, told)
}

#[tokio::test]
async fn a_client_says_good_bye() {
    let (mut client, told) = told(async |mut socket: WebSocket| {
        let last = socket.receive().await;
        (
            last.is_ok_and(|last| last.is_none()),
            socket.goodbye(),
            socket.send(&"late".into()).await,
        )
    });
    client.send(8, b"\x0f\xa0see you").await;
    assert_eq!(client.close_code().await, 4000);
    client.end().await;
    let (end, goodbye, sent) = told.await.expect("the handler ends");
    assert!(end);
    let goodbye = goodbye.expect("it was said");
    assert_eq!(
        (goodbye.code.map(CloseCode::as_u16), &*goodbye.reason),
        (Some(4000), "see you")
    );
    assert_eq!(sent.expect_err("it is closed").kind(), ErrorKind::Closed);
}

#[tokio::test]
async fn a_client_goes_without_a_word() {
    let (client, told) = told(async |mut socket: WebSocket| {
        let (sender, _) = (socket.receive().await, ());
        (sender.map(|_| ()), socket.send(&"late".into()).await)
    });
    drop(client.stream);
    let (received, sent) = told.await.expect("the handler ends");
    assert_eq!(received.expect_err("it is lost").kind(), ErrorKind::Lost);
    assert_eq!(sent.expect_err("it is lost").kind(), ErrorKind::Lost);
    client.task.await.expect("the socket ends");
}

#[tokio::test]
async fn the_end_of_a_handler_is_the_end_of_its_socket() {
    let mut client = open(WebSocket::options(), async |socket: WebSocket| {
        socket.send(&"bye".into()).await?;
        Ok(())
    });
    assert_eq!(client.receive().await, (1, b"bye".to_vec()));
    assert_eq!(client.close_code().await, 1000);
    client.send(1, b"not read").await;
    client.send(8, &1000_u16.to_be_bytes()).await;
    client.end().await;

    let mut client = open(WebSocket::options(), async |socket: WebSocket| {
        socket.close(CloseCode::new(4001).expect("it is the application's"), "enough");
        assert_eq!(
            socket.send(&"late".into()).await.expect_err("it is closed").kind(),
            ErrorKind::Closed
        );
        Ok(())
    });
    let (opcode, payload) = client.receive().await;
    assert_eq!((opcode, &payload[..]), (8, &b"\x0f\xa1enough"[..]));
}

#[tokio::test]
async fn an_error_is_1011_and_its_text_stays_here() {
    async fn fail(_: WebSocket) -> Result<(), Problem> {
        Err(Problem::internal("secret"))
    }
    async fn panic(_: WebSocket) -> Result<(), Problem> {
        panic!("secret")
    }
    for mut client in [open(WebSocket::options(), fail), open(WebSocket::options(), panic)] {
        assert_eq!(client.receive().await, (8, 1011_u16.to_be_bytes().to_vec()));
        client.send(8, &1011_u16.to_be_bytes()).await;
        client.end().await;
    }
}

#[tokio::test]
async fn halves_send_and_receive_at_once() {
    let room = broadcast::Sender::new(16);
    let mut clients: Vec<Client> = (0..3)
        .map(|_| {
            let (room, mut others) = (room.clone(), room.subscribe());
            open(WebSocket::options(), async move |socket: WebSocket| {
                let (sender, mut receiver) = socket.split();
                loop {
                    tokio::select! {
                        message = receiver.receive() => match message? {
                            Some(message) => { room.send(Arc::new(message)).ok(); }
                            None => return Ok(()),
                        },
                        message = others.recv() => { let message = message?; sender.send(&message).await?; }
                    }
                }
            })
        })
        .collect();
    for round in 0..10 {
        let text = format!("round {round}");
        clients[round % 3].send(1, text.as_bytes()).await;
        for client in &mut clients {
            assert_eq!(client.receive().await, (1, text.clone().into_bytes()));
        }
    }
}

#[tokio::test]
async fn halves_work_in_tasks_of_their_own() {
    let mut client = open(WebSocket::options(), async |socket: WebSocket| {
        let (sender, mut receiver) = socket.split();
        let clone = sender.clone();
        let echo = tokio::spawn(async move {
            while let Some(message) = receiver.receive().await? {
                clone.send(&message).await?;
            }
            Ok(())
        });
        sender.closed().await;
        echo.await?
    });
    for _ in 0..10 {
        client.send(1, b"Hello").await;
        assert_eq!(client.receive().await, (1, b"Hello".to_vec()));
    }
    client.send(8, b"").await;
    assert_eq!(client.close_code().await, 1005);
    client.end().await;
}

#[tokio::test]
async fn what_waits_is_bounded() {
    let sent = Arc::new(Mutex::new(0));
    let counter = Arc::clone(&sent);
    let mut client = open_with(WebSocket::options(), 1024, b"", async move |socket: WebSocket| {
        let message = Message::Binary(vec![0; 1000].into());
        assert!(socket.split().0.try_send(&message)?, "there is room");
        Ok(())
    });
    assert_eq!(client.receive().await.1.len(), 1000);

    client = open_with(WebSocket::options(), 1024, b"", async move |socket: WebSocket| {
        let (sender, _) = socket.split();
        let message = Message::Binary(vec![0; 1000].into());
        while sender.try_send(&message)? {
            *counter.lock().expect("nobody panics") += 1;
        }
        let last = Message::from("last");
        let waiting = sender.send(&last);
        // Dropped before there was room: nothing of it is sent.
        tokio::select! {
            biased;
            _ = waiting => panic!("there is no room"),
            () = std::future::ready(()) => {}
        }
        sender.send(&message).await?;
        Ok(())
    });
    let mut count = 0;
    loop {
        match client.receive().await {
            (2, payload) => assert_eq!(payload.len(), 1000),
            (8, _) => break,
            frame => panic!("{frame:?}"),
        }
        count += 1;
    }
    let sent = *sent.lock().expect("nobody panics");
    assert_eq!(count, sent + 1);
    assert!((60..=70).contains(&sent), "{sent}");
}

#[tokio::test]
async fn a_client_that_does_not_read_is_not_read_from() {
    // Pings alone must not make us remember without limit.
    let mut client = open_with(WebSocket::options(), 1024, b"", echo);
    let ping = crate::support::frame(0x89, &[b'p'; 125]);
    let mut taken = 0;
    while timeout(Duration::from_millis(50), client.write(&ping)).await.is_ok() {
        taken += ping.len();
        assert!(taken < 200_000, "{taken}");
    }
}

#[tokio::test]
async fn who_only_sends_still_answers_pings() {
    let mut client = open(WebSocket::options(), async |socket: WebSocket| {
        let (sender, receiver) = socket.split();
        drop(receiver);
        sender.closed().await;
        Ok(())
    });
    client.send(1, b"to nobody").await;
    client.send(2, b"to nobody").await;
    client.send(9, b"are you there?").await;
    assert_eq!(client.receive().await, (10, b"are you there?".to_vec()));
}

#[tokio::test(start_paused = true)]
async fn a_silent_client_is_pinged_and_then_given_up() {
    let start = Instant::now();
    let mut client = echo_client();
    assert_eq!(client.receive().await, (9, vec![]));
    assert_eq!(start.elapsed().as_secs(), 30);
    client.send(10, b"").await;
    assert_eq!(client.receive().await, (9, vec![]));
    assert_eq!(start.elapsed().as_secs(), 60);
    // The answer came at 30.
    assert_eq!(client.close_code().await, 1001);
    assert_eq!(start.elapsed().as_secs(), 90);
    // It is given two seconds to answer that.
    assert_eq!(client.next().await, None);
    assert_eq!(start.elapsed().as_secs(), 92);
    client.task.await.expect("the socket ends");
}

#[tokio::test(start_paused = true)]
async fn a_slow_handler_does_not_make_its_client_idle() {
    let mut client = open(WebSocket::options(), async |mut socket: WebSocket| {
        sleep(Duration::from_secs(100)).await;
        let messages = (socket.receive().await?, socket.receive().await?);
        assert!(messages.0.is_some() && messages.1.is_some());
        Ok(())
    });
    client.send(1, b"one").await;
    client.send(1, b"two").await;
    for _ in 0..3 {
        assert_eq!(client.receive().await.0, 9);
    }
    assert_eq!(client.close_code().await, 1000);
}

#[tokio::test(start_paused = true)]
async fn a_client_that_takes_nothing_is_cut_off() {
    let start = Instant::now();
    let (tell, told) = oneshot::channel();
    let client = open_with(WebSocket::options(), 1024, b"", async move |socket: WebSocket| {
        let message = Message::Binary(vec![0; 10_000].into());
        let error = loop {
            if let Err(error) = socket.send(&message).await {
                break error;
            }
        };
        tell.send(error.kind()).ok();
        Err(error.into())
    });
    assert_eq!(told.await.expect("the handler ends"), ErrorKind::Slow);
    assert_eq!(start.elapsed().as_secs(), 30);
    client.task.await.expect("the socket ends");
}

#[tokio::test(start_paused = true)]
async fn a_client_that_takes_a_little_is_not() {
    use tokio::io::AsyncReadExt;
    let start = Instant::now();
    let mut client = open_with(WebSocket::options(), 1024, b"", async |socket: WebSocket| {
        socket.send(&Message::Binary(vec![0; 10_000].into())).await?;
        Ok(())
    });
    // The handler has ended at once; the close frame waits behind what it sent.
    let mut taken = 0;
    while taken < 10_000 {
        sleep(Duration::from_secs(1)).await;
        taken += client.stream.read(&mut [0; 500]).await.expect("it is open");
    }
    assert_eq!(start.elapsed().as_secs(), 20);
    let mut rest = Vec::new();
    client.stream.read_to_end(&mut rest).await.expect("it is open");
    assert!(rest.ends_with(b"\x88\x02\x03\xe8"), "{rest:?}");
    client.task.await.expect("the socket ends");
    // What was in the pipe, a thousand bytes, was sent; then it has two seconds to answer.
    let end = start.elapsed().as_secs();
    assert!((20..=22).contains(&end), "{end}");
}

#[tokio::test(start_paused = true)]
async fn a_server_that_goes_down_says_so() {
    let (mut client, told) = told(async |mut socket: WebSocket| socket.receive().await.map(|last| last.is_none()));
    client.send(1, b"x").await;
    let _ = told.await;
    let (mut client, told) = {
        let (client, told) = told_end();
        (client, told)
    };
    client.stopping.begin();
    assert_eq!(client.close_code().await, 1001);
    assert!(told.await.expect("the handler ends"));
    client.send(8, &1001_u16.to_be_bytes()).await;
    client.end().await;

    // One that has begun already, and a client that does not answer.
    let start = Instant::now();
    let mut client = echo_client();
    client.stopping.begin();
    assert_eq!(client.close_code().await, 1001);
    assert_eq!(client.next().await, None);
    assert_eq!(start.elapsed().as_secs(), 2);
    client.task.await.expect("the socket ends");
}

fn told_end() -> (Client, oneshot::Receiver<bool>) {
    told(async |mut socket: WebSocket| socket.receive().await.is_ok_and(|last| last.is_none()))
}

#[tokio::test(start_paused = true)]
async fn a_message_that_never_ends_is_idle_too() {
    let start = Instant::now();
    let mut client = echo_client();
    client.write(&crate::support::frame(0x81, b"Hello")[..7]).await;
    advance(Duration::from_secs(1)).await;
    assert_eq!(client.receive().await.0, 9);
    assert_eq!(client.receive().await.0, 9);
    assert_eq!(client.close_code().await, 1001);
    assert!(start.elapsed().as_secs() <= 61);
}

/// What waits for a client must not wait for a timer once the client is gone, nor its handler.
#[tokio::test(start_paused = true)]
async fn a_client_gone_with_all_of_its_answers_unread_is_noticed_at_once() {
    let (mut client, told) = told(async |mut socket| {
        while let Ok(Some(message)) = socket.receive().await {
            if socket.send(&message).await.is_err() {
                break;
            }
        }
        Instant::now()
    });
    // Until the server takes no more: it has more to send than it may keep.
    while timeout(Duration::from_secs(1), client.send(2, &[0; 60_000]))
        .await
        .is_ok()
    {}
    let gone = Instant::now();
    drop(client);
    let noticed = told.await.expect("the handler ends");
    assert!(noticed - gone < Duration::from_secs(1), "{:?}", noticed - gone);
}
