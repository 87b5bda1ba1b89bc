//! Many clients at once, on each transport; the origin that is fetched from runs on the other one.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::sync::mpsc;
use std::time::Duration;

use pw_awaits::{Application, OnFast, OnHyper};
use pw_server::{Config, Listener, Stop, StopHandle};

/// Clients at once, and rounds of each.
const CLIENTS: usize = 16;
const ROUNDS: usize = 20;

#[derive(Clone, Copy)]
enum Transport {
    Hyper,
    Fast,
}

/// Starts a server on a thread of its own. `origin` is what it fetches from.
fn start(transport: Transport, origin: SocketAddr) -> (SocketAddr, StopHandle, std::thread::JoinHandle<()>) {
    let (ready, readied) = mpsc::channel();
    let thread = std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .enable_all()
            .build()
            .expect("a runtime can be built");
        runtime.block_on(async {
            let application = Application::new(origin)
                .await
                .expect("a database in memory can be made");
            let listener = Listener::bind((Ipv4Addr::LOCALHOST, 0).into()).expect("a free port can be bound");
            let address = listener.local_addr().expect("a bound socket has an address");
            let (handle, stop) = Stop::by_hand();
            ready.send((address, handle)).expect("the test waits");
            let config = Config {
                workers: Some(2),
                ..Config::default()
            };
            match transport {
                Transport::Hyper => drop(pw_hyper::serve(listener, OnHyper(application).into(), config, stop).await),
                Transport::Fast => {
                    let served = pw_fast::serve(listener, OnFast(application).into(), config, stop).await;
                    served.expect("two threads can be started");
                }
            }
        });
    });
    let (address, handle) = readied
        .recv_timeout(Duration::from_secs(20))
        .expect("the server starts");
    (address, handle, thread)
}

/// The content of the answer to a GET, on a connection that stays.
fn ask(stream: &mut TcpStream, path: &str) -> String {
    write!(stream, "GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n").expect("the server takes what is sent");
    let mut came = Vec::new();
    loop {
        let text = String::from_utf8_lossy(&came);
        if let Some((head, content)) = text.split_once("\r\n\r\n") {
            let length = head.split_once("content-length: ").expect("a length").1;
            let length = length.lines().next().expect("a line").parse().expect("a number");
            if content.len() >= length {
                assert!(head.starts_with("HTTP/1.1 200 "), "{text}");
                return content.to_owned();
            }
        }
        let mut more = [0; 1024];
        let count = stream.read(&mut more).expect("more comes");
        assert!(count > 0, "closed before an answer");
        came.extend_from_slice(&more[..count]);
    }
}

fn many_at_once(transport: Transport, other: Transport) {
    let nowhere = SocketAddr::from((Ipv4Addr::LOCALHOST, 1));
    let (origin, origin_stop, origin_thread) = start(other, nowhere);
    let (address, stop, thread) = start(transport, origin);
    std::thread::scope(|scope| {
        for client in 0..CLIENTS {
            scope.spawn(move || {
                let mut stream = TcpStream::connect(address).expect("the server can be connected to");
                stream
                    .set_read_timeout(Some(Duration::from_secs(20)))
                    .expect("a socket takes options");
                for round in 1..=ROUNDS {
                    // Each client counts names of its own, and all of them one.
                    assert_eq!(ask(&mut stream, &format!("/count/{client}")), round.to_string());
                    ask(&mut stream, "/count/all");
                    let name = format!("{client}-{round}");
                    assert_eq!(ask(&mut stream, &format!("/fetch/{name}")), format!("plain {name}"));
                }
            });
        }
    });
    let mut stream = TcpStream::connect(address).expect("the server can be connected to");
    assert_eq!(ask(&mut stream, "/count/all"), (CLIENTS * ROUNDS + 1).to_string());
    drop(stream);
    for (stop, thread) in [(stop, thread), (origin_stop, origin_thread)] {
        stop.stop();
        thread.join().expect("the server goes down");
    }
}

#[test]
fn hyper() {
    many_at_once(Transport::Hyper, Transport::Fast);
}

#[test]
fn fast() {
    many_at_once(Transport::Fast, Transport::Hyper);
}
