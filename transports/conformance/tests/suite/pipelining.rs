//! Requests sent before the answers to those before them: answered in order, all of them, and a refusal is never lost behind
//! good answers, wherever the bytes are cut.

use crate::application::{Event, PAGE};
use crate::client::{Client, chunk, chunking, declaring, get, post};
use crate::transport::Transport;

/// Requests that are refused, with the status.
fn bad() -> Vec<(Vec<u8>, u16)> {
    let line = |text: &str, status| (text.as_bytes().to_vec(), status);
    vec![
        line("GET / HTTP/1.1\r\n\r\n", 400),
        line("GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n", 400),
        line("GET / HTTP/1.1\r\nHost: a b\r\n\r\n", 400),
        line("GET  / HTTP/1.1\r\nHost: a\r\n\r\n", 400),
        line("GET / HTTP/1.1\nHost: a\n\n", 400),
        line("GET / HTTP/1.1\r\nHost : a\r\n\r\n", 400),
        line("GET / HTTP/1.1\r\nHost: a\r\nX: \0\r\n\r\n", 400),
        line("GET / HTTP/3.0\r\nHost: a\r\n\r\n", 505),
        line("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 1, 1\r\n\r\nb", 400),
        line(
            "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
            400,
        ),
        line(
            "POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n",
            501,
        ),
        line(
            "POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n",
            400,
        ),
        line("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 2000000\r\n\r\n", 413),
        line("GET / HTTP/1.1\r\nHost: a\r\nExpect: magic\r\n\r\n", 417),
        (format!("GET /{}", "a".repeat(9 << 10)).into_bytes(), 414),
        (
            format!("GET / HTTP/1.1\r\nHost: a\r\nX: {}", "x".repeat(17 << 10)).into_bytes(),
            431,
        ),
    ]
}

/// Requests that are answered with 200, in different ways: at once, after turns of the scheduler, with a body that is read, one that
/// is not.
fn good() -> Vec<Vec<u8>> {
    vec![
        get("/users/7").into_bytes(),
        get("/turns").into_bytes(),
        post("/echo", b"body"),
        [chunking("/echo"), chunk(b"body"), b"0\r\n\r\n".to_vec()].concat(),
        post("/ignore", b"body"),
    ]
}

fn order(transport: Transport) {
    let server = transport.start();
    let all = [
        get("/users/1").into_bytes(),
        post("/echo", b"two"),
        get("/nowhere").into_bytes(),
        get("/").into_bytes(),
    ];
    let mut client = Client::sending(&server, all.concat());
    assert_eq!(client.response().body, b"{\"id\":1,\"name\":\"ann\"}");
    assert_eq!(client.response().body, b"two");
    assert_eq!(client.response().status, 404);
    assert_eq!(client.response().body, b"ok");
    client.expect_alive();
}

fn a_thousand(transport: Transport) {
    let server = transport.start();
    let all: String = (0..1000).map(|i| get(&format!("/users/{i}"))).collect();
    let mut client = Client::sending(&server, all);
    for i in 0..1000 {
        let body = client.response().body;
        assert_eq!(body, format!("{{\"id\":{i},\"name\":\"ann\"}}").into_bytes());
    }
    client.expect_alive();
}

/// An answer does not wait for the requests behind it.
fn a_handler_that_waits(transport: Transport) {
    let server = transport.start();
    let mut client = Client::sending(&server, [get("/users/1"), get("/pause"), get("/users/2")].concat());
    assert_eq!(client.response().status, 200, "the first answer waits for the second");
    server.expect_event(Event::Paused);
    assert_eq!(
        server.application().handled(),
        2,
        "the third request overtakes the second"
    );
    server.application().resume(1);
    assert_eq!(client.response().body, b"resumed");
    assert_eq!(client.response().body, b"{\"id\":2,\"name\":\"ann\"}");
}

fn refusal_behind_a_handler_that_waits(transport: Transport) {
    let server = transport.start();
    for (bad, status) in bad() {
        let mut client = Client::sending(&server, [get("/pause").into_bytes(), bad].concat());
        server.expect_event(Event::Paused);
        server.application().resume(1);
        server.expect_event(Event::Resumed);
        assert_eq!(client.response().body, b"resumed");
        expect_end(&mut client, status, "");
    }
}

fn refusals_in_the_same_write(transport: Transport) {
    let server = transport.start();
    for (bad, status) in bad() {
        for good in good() {
            for count in [1, 2, 20] {
                let what = format!("{count} of {} and {}", good.escape_ascii(), bad.escape_ascii());
                let mut client = Client::sending(&server, [good.repeat(count), bad.clone()].concat());
                assert_eq!(client.statuses(count), vec![200; count], "{what}");
                expect_end(&mut client, status, &what);
            }
        }
    }
}

/// More requests behind the bad one change nothing.
fn refusals_before_more(transport: Transport) {
    let server = transport.start();
    for (bad, status) in bad().into_iter().filter(|(bad, _)| bad.len() < 1000) {
        let what = bad.escape_ascii().to_string();
        let all = [
            get("/users/1").into_bytes(),
            bad,
            get("/users/2").repeat(2000).into_bytes(),
        ]
        .concat();
        let mut client = Client::to(&server);
        client.send_meanwhile(all);
        assert_eq!(client.response().status, 200, "{what}");
        let response = client.response();
        if response.status == 413 {
            // The requests behind it are its body.
            assert_eq!(status, 413);
            continue;
        }
        assert_eq!(response.status, status, "{what}");
        client.expect_close();
    }
    // The refused ones and those behind them reached no handler, but for the one whose body is too large.
    assert!(server.application().handled() <= bad().len() + 1);
}

/// The same, cut in two writes at every byte.
fn refusals_cut_anywhere(transport: Transport) {
    let server = transport.start();
    let good = get("/turns").into_bytes();
    for (bad, status) in bad().into_iter().filter(|(bad, _)| bad.len() < 1000) {
        let all = [good.clone(), bad].concat();
        for cut in 1..all.len() {
            let what = format!("{} | {}", all[..cut].escape_ascii(), all[cut..].escape_ascii());
            let mut client = Client::sending(&server, &all[..cut]);
            if cut >= good.len() {
                // The answer shows that the first part has been read.
                assert_eq!(client.response().status, 200, "{what}");
                client.send_late(&all[cut..]);
            } else {
                client.send(&all[cut..]);
                assert_eq!(client.response().status, 200, "{what}");
            }
            expect_end(&mut client, status, &what);
        }
    }
}

/// Good requests, cut at every byte.
fn requests_cut_anywhere(transport: Transport) {
    let server = transport.start();
    let all = [good().concat(), get("/users/2").into_bytes()].concat();
    for cut in 1..all.len() {
        let mut client = Client::sending(&server, &all[..cut]);
        client.send(&all[cut..]);
        assert_eq!(client.statuses(6), [200; 6], "cut at {cut}");
    }
}

/// A body that nobody read is not taken for a request, and the request behind it is answered.
fn unread_bodies_are_no_requests(transport: Transport) {
    let server = transport.start();
    let smuggled = get("/users/666");
    let chunked = [chunking("/ignore"), chunk(smuggled.as_bytes()), b"0\r\n\r\n".to_vec()].concat();
    for request in [
        post("/ignore", smuggled.as_bytes()),
        post("/nowhere", smuggled.as_bytes()),
        chunked,
    ] {
        let before = server.application().handled();
        let mut client = Client::sending(&server, [request, get("/users/1").into_bytes()].concat());
        client.response();
        assert_eq!(client.response().body, b"{\"id\":1,\"name\":\"ann\"}");
        client.half_close();
        client.expect_close();
        assert_eq!(server.application().handled(), before + 2);
    }
}

/// Answers that got stuck behind a client that does not read keep their order and their own fields, bodies nobody read or not.
fn answers_that_got_stuck(transport: Transport) {
    const REQUESTS: usize = 30_000;
    let server = transport.start();
    let mut client = Client::receiving_little(&server);
    let request =
        |id| format!("POST /nowhere HTTP/1.1\r\nHost: localhost\r\nX-Request-Id: {id}\r\nContent-Length: 2\r\n\r\nxy");
    let bad = "GET / HTTP/1.1\r\nX-Request-Id: bad\r\n\r\n".to_owned();
    client.send_meanwhile((0..REQUESTS).map(request).chain([bad]).collect::<String>().into_bytes());
    server.application().expect_rest();
    for id in 0..REQUESTS {
        let response = client.response();
        assert_eq!(response.field("x-request-id"), Some(id.to_string()));
    }
    expect_end(&mut client, 400, "behind all of them");
}

/// Answers that got stuck go on once the client reads, with all requests there already: no byte of it comes to remind the server. Whether
/// the client has shut its side behind them is no matter.
fn stuck_with_nothing_to_come(transport: Transport) {
    // Enough to fill what the kernel holds, then what is gathered, and more of it than may wait.
    const LARGE: usize = 100;
    const SMALL: usize = 90;
    const LENGTH: usize = 16_000;
    let small = get(&format!("/bytes/{LENGTH}"));
    for ends in [false, true].into_iter().cycle().take(4) {
        let server = transport.start();
        let mut client = Client::receiving_little(&server);
        client.send(get("/page").repeat(LARGE));
        server.application().expect_rest();
        assert!(server.application().handled() < LARGE, "nothing got stuck");
        client.send(small.repeat(SMALL));
        if ends {
            client.half_close();
        }
        for _ in 0..LARGE {
            assert_eq!(client.response().body.len(), PAGE);
        }
        for at in 0..SMALL {
            assert_eq!(client.response().body.len(), LENGTH, "{at}");
        }
        match ends {
            true => client.expect_close(),
            false => client.expect_alive(),
        }
    }
}

/// What was asked for before `connection: close` is answered, what comes behind it is not.
fn close_ends_the_line(transport: Transport) {
    let server = transport.start();
    let last = "GET /users/2 HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    let mut client = Client::sending(&server, [&get("/users/1"), last, &get("/users/3")].concat());
    assert_eq!(client.statuses(2), [200, 200]);
    client.expect_close();
    assert_eq!(server.application().handled(), 2);
}

/// A client that shuts its side behind its requests gets all answers.
fn half_closed(transport: Transport) {
    let server = transport.start();
    let mut client = Client::sending(&server, [get("/pause"), get("/users/1")].concat());
    client.half_close();
    server.expect_event(Event::Paused);
    server.application().resume(1);
    assert_eq!(client.statuses(2), [200, 200]);
    client.expect_close();
    // Within a head or a body there is nothing to answer but that.
    let mut client = Client::sending(&server, [get("/users/1").as_bytes(), b"GET / HTTP/1.1\r\nHo"].concat());
    client.half_close();
    assert_eq!(client.statuses(2), [200, 400]);
    client.expect_close();
    let mut client = Client::sending(&server, [get("/users/1").into_bytes(), declaring("/echo", 5)].concat());
    client.half_close();
    assert_eq!(client.statuses(2), [200, 400]);
    client.expect_close();
}

/// The refusal, said to close, and the close.
fn expect_end(client: &mut Client, status: u16, what: &str) {
    let response = client.response();
    assert_eq!(response.status, status, "{what}");
    assert_eq!(response.field("connection").as_deref(), Some("close"), "{what}");
    client.expect_close();
}

on_every_transport! {
    order, a_thousand, a_handler_that_waits, refusal_behind_a_handler_that_waits, refusals_in_the_same_write, refusals_before_more,
    refusals_cut_anywhere, requests_cut_anywhere, unread_bodies_are_no_requests, answers_that_got_stuck, stuck_with_nothing_to_come,
    close_ends_the_line, half_closed,
}
