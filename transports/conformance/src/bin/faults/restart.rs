//! `kill -9` with clients connected, and a start on the same port, several times in a row.

use std::time::{Duration, Instant};

use crate::Form;
use crate::client::{Client, get};
use crate::report::{Row, duration};
use crate::server::{Program, Server, Start};

/// From the kill to an answer of the next server.
const BACK: Duration = Duration::from_secs(1);
const CLIENTS: usize = 60;

pub(crate) fn run(program: &Program, form: Form) -> Result<Vec<Row>, String> {
    let times = form.pick(10, 4);
    let mut server = Server::start(program, &Start::default())?;
    let again = Start {
        listen: server.address(),
        ..Start::default()
    };
    // They keep their connections through all of it, as clients that notice nothing do.
    let mut clients = Vec::new();
    let mut after = Vec::new();
    for _ in 0..times {
        for at in 0..CLIENTS {
            clients.push(client(&server, at)?);
        }
        let begun = Instant::now();
        server.kill();
        server = Server::start(program, &again)?;
        ask(&server)?;
        after.push(begun.elapsed());
    }
    let slowest = after.iter().max().copied();
    let all: Vec<String> = after.iter().map(|after| duration(*after)).collect();
    Ok(vec![
        Row::told("from the kill to an answer, each time", all.join(", ")),
        Row::happened(
            format!("the slowest, {} connections open", clients.len()),
            slowest,
            BACK,
        ),
    ])
}

fn ask(server: &Server) -> Result<Client, String> {
    let mut client = Client::connect(server.address()).map_err(|why| format!("connecting: {why}"))?;
    client
        .ask("/users/7", br#"{"id":7,"name":"ann"}"#)
        .map_err(|why| why.to_string())?;
    Ok(client)
}

/// A client that was answered and waits, or has half a request or a large answer under way.
fn client(server: &Server, at: usize) -> Result<Client, String> {
    let mut client = ask(server)?;
    let sent = match at % 4 {
        0 => true,
        1 => client.send("GET /users/42 HTTP/1.1\r\nHo"),
        2 => client.send("POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\nhalf"),
        _ => client.send(get("/large")),
    };
    sent.then_some(client)
        .ok_or_else(|| "a request can't be sent".to_owned())
}
