//! Connections are spread evenly over the workers, which is why one acceptor hands them out.

use std::collections::HashMap;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;

use pw_core::route::Node;
use pw_core::{Exchange as _, Problem, Respond, Table};
use pw_fast::{Config, Drained, Exchange, Head, Listener, Service, Stop, serve};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

static ROOT: Node = Node::new();
static TABLE: Table = Table::new(&[], &ROOT, &[]);

/// Answers with the name of the thread it runs on.
struct Name;

impl Service for Name {
    fn table(&self) -> &'static Table {
        &TABLE
    }

    async fn call(&self, _: &Head, cx: &mut Exchange) -> Result<(), Problem> {
        let name = std::thread::current().name().unwrap_or_default().to_owned();
        name.respond(cx.reply())
    }
}

/// How many of so many connections, all open at once, each thread serves.
async fn spread(connections: usize, workers: usize) -> HashMap<String, usize> {
    let listener = Listener::bind(SocketAddr::from((Ipv4Addr::LOCALHOST, 0))).expect("a free port can be bound");
    let address = listener.local_addr().expect("a bound socket has an address");
    let (handle, stop) = Stop::by_hand();
    let config = Config {
        workers: Some(workers),
        ..Config::default()
    };
    let asked = async {
        let mut sockets = Vec::new();
        for _ in 0..connections {
            sockets.push(TcpStream::connect(address).await.expect("it listens"));
        }
        let mut counts = HashMap::new();
        for socket in &mut sockets {
            *counts.entry(ask(socket).await).or_default() += 1;
        }
        handle.stop();
        counts
    };
    let (served, counts) = tokio::join!(serve(listener, Arc::new(Name), config, stop), asked);
    assert!(matches!(served, Ok(Drained::Whole)), "{served:?}");
    counts
}

/// The content of an answer, which is its last line. The connection stays.
async fn ask(socket: &mut TcpStream) -> String {
    let request = b"GET / HTTP/1.1\r\nHost: a\r\n\r\n";
    socket.write_all(request).await.expect("the server reads");
    let mut answer = Vec::new();
    loop {
        assert_ne!(socket.read_buf(&mut answer).await.expect("the server answers"), 0);
        let text = std::str::from_utf8(&answer).expect("the answer is text");
        let Some((head, content)) = text.split_once("\r\n\r\n") else {
            continue;
        };
        let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
        if length == Some(content.len().to_string().as_str()) {
            return content.to_owned();
        }
    }
}

#[tokio::test]
async fn each_worker_has_as_many_connections_as_the_others() {
    for (connections, workers) in [(10, 2), (64, 2), (66, 3)] {
        let counts = spread(connections, workers).await;
        assert_eq!(counts.len(), workers, "{counts:?}");
        assert!(
            counts.values().all(|&count| count == connections / workers),
            "{counts:?}"
        );
    }
}
