//! Handlers may await anything of the tokio world, on every transport: time, sockets, channels, spawned tasks, and what was made on the
//! runtime the server was started on. [`crate::world`] is what they await.

use crate::client::{Client, get};
use crate::transport::{Settings, Transport};
use crate::world::WHAT;

/// The answer to each.
const ANSWERS: [&str; 8] = [
    "slept",
    "timed out",
    "asked",
    "asked on a pooled connection",
    "answered by a task",
    "spawned",
    "blocked elsewhere",
    "driven by a task",
];

fn settings() -> Settings {
    Settings {
        world: true,
        ..Settings::default()
    }
}

fn one_after_another(transport: Transport) {
    let server = transport.start_with(settings());
    let mut client = Client::to(&server);
    for (what, answer) in WHAT.into_iter().zip(ANSWERS) {
        for _ in 0..3 {
            client.send(get(&format!("/await/{what}")));
            let response = client.response();
            assert_eq!(String::from_utf8_lossy(&response.body), answer);
        }
    }
    client.expect_alive();
}

fn beside_each_other(transport: Transport) {
    let server = transport.start_with(settings());
    let all: String = WHAT.iter().map(|what| get(&format!("/await/{what}"))).collect();
    let mut clients: Vec<Client> = (0..40).map(|_| Client::sending(&server, &all)).collect();
    for client in &mut clients {
        for answer in ANSWERS {
            assert_eq!(String::from_utf8_lossy(&client.response().body), answer);
        }
        client.expect_alive();
    }
}

/// Clients that go while their handlers wait take nothing with them that others need.
fn gone_meanwhile(transport: Transport) {
    let server = transport.start_with(settings());
    for round in 0..40 {
        let what = WHAT[round % WHAT.len()];
        if what != "pooled" {
            Client::sending(&server, get(&format!("/await/{what}"))).reset();
        }
    }
    let mut client = Client::to(&server);
    for (what, answer) in WHAT.into_iter().zip(ANSWERS) {
        client.send(get(&format!("/await/{what}")));
        assert_eq!(String::from_utf8_lossy(&client.response().body), answer);
    }
}

on_every_transport! { one_after_another, beside_each_other, gone_meanwhile, }
