//! Clients that are in the middle of something without an end in sight, and vanish, or stay and never read: downloads, files, events,
//! WebSockets. Nothing of those that are gone may stay, the others are held to a little memory each, and everybody else is served.

use std::fs::File;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use pw_conformance::websocket::client_frame;

use crate::Form;
use crate::client::get;
use crate::honest::Honest;
use crate::report::{Row, bytes};
use crate::server::{Program, Server, Start};
use crate::socket::{Heard, Sent, Socket};

/// The size of the file, and of a download: more than both kernels hold.
const LARGE: u64 = 64 << 20;
/// How long the first of an answer may take, on a machine that is busy.
const BEGUN: Duration = Duration::from_secs(10);
/// How long the descriptor of a client that is gone may stay.
const BACK: Duration = Duration::from_secs(5);
/// How many waves of clients vanish. An allocator has what it needs after some; what the last leave behind beyond those in the middle is
/// what was forgotten.
const WAVES: usize = 8;
/// What each client in between may leave: a sixth of what a connection costs that is forgotten.
const LEFT: u64 = 2 << 10;
/// What one that never reads may make the server hold: of an answer, a piece of 64 KiB, and as much again for all that a connection is; of a
/// WebSocket, 64 KiB of messages that wait, twice that as buffers double when they grow, and what is at hand in each direction.
const EACH: [(Kind, u64); 3] = [
    (Kind::Download, 128 << 10),
    (Kind::File, 128 << 10),
    (Kind::Socket, 256 << 10),
];
/// How long a WebSocket may take nothing. No argument of the probe's sets it.
const SLOW: Duration = Duration::from_secs(30);
/// How much later than its time a client may be cut.
const SLACK: Duration = Duration::from_secs(5);
/// How often the server is looked at.
const LOOK: Duration = Duration::from_millis(50);

/// What a client is in the middle of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Download,
    File,
    Events,
    Socket,
}

pub(crate) fn run(program: &Program, form: Form) -> Result<Vec<Row>, String> {
    let folder = Folder::make().map_err(|why| format!("a folder can't be made: {why}"))?;
    let timeout = Duration::from_secs(form.pick(30, 3));
    let mut arguments = form.timeouts(&[("--write-timeout", timeout)]);
    arguments.extend(["--static".to_owned(), folder.0.display().to_string()]);
    let start = Start {
        arguments,
        ..Start::default()
    };
    let mut rows = vanish(program, &start, form)?;
    // Most of it is waiting: a server for each, at the same time.
    let found = std::thread::scope(|scope| {
        let start = &start;
        let threads =
            EACH.map(|(kind, most)| scope.spawn(move || never_read(program, start, form, timeout, kind, most)));
        threads.map(|thread| thread.join().unwrap_or_else(|_| Err("a client panicked".to_owned())))
    });
    for more in found {
        rows.extend(more?);
    }
    Ok(rows)
}

/// Wave after wave of as many of each kind, half of which reset and half of which close.
fn vanish(program: &Program, start: &Start, form: Form) -> Result<Vec<Row>, String> {
    let each = form.pick(400, 50);
    let server = Server::start(program, start)?;
    let honest = Honest::start(server.address(), 10, Duration::from_millis(20));
    honest.during(Duration::from_millis(200));
    let before = with_open_file(&server)?;

    let (mut slowest, mut count, mut memory) = (Some(Duration::ZERO), 0, [0; WAVES]);
    for memory in &mut memory {
        let mut clients = Vec::new();
        for _ in 0..each {
            for kind in [Kind::Download, Kind::File, Kind::Events, Kind::Socket] {
                clients.push(begin(&server, kind)?);
            }
        }
        count = clients.len() as u64;
        let gone = Instant::now();
        for (at, mut client) in clients.into_iter().enumerate() {
            if at % 4 == 3 {
                // In the middle of a message.
                client.send(&client_frame(1, b"hello")[..5]);
            }
            // Each kind in both ways.
            if at / 4 % 2 == 0 {
                client.reset();
            }
        }
        let back = server.has_descriptors_within(before, gone, BACK)?;
        slowest = slowest.zip(back).map(|(slowest, back)| slowest.max(back));
        *memory = server.memory()?;
    }
    let [.., third, fourth, _, _, seventh, last] = memory;
    let left = seventh.min(last).saturating_sub(third.min(fourth));
    let most = LEFT * count * 4;
    let mut rows = vec![
        Row::happened(
            format!("{WAVES} times {count} vanish: {before} descriptors again"),
            slowest,
            BACK,
        ),
        Row::judged(
            format!("memory left behind by {} of them", 4 * count),
            bytes(left),
            format!("at most {}", bytes(most)),
            left <= most,
        ),
    ];
    rows.extend(honest.rows());
    Ok(rows)
}

/// Clients of one kind that send what they can and read nothing more.
fn never_read(
    program: &Program,
    start: &Start,
    form: Form,
    timeout: Duration,
    kind: Kind,
    most_each: u64,
) -> Result<Vec<Row>, String> {
    let count = form.pick(200, 50);
    let server = Server::start(program, start)?;
    let honest = Honest::start(server.address(), 10, Duration::from_millis(20));
    honest.during(Duration::from_millis(200));
    let descriptors = with_open_file(&server)?;
    let memory = server.memory()?;

    // A client of a short run does not wait for as long as a WebSocket's server does.
    let waits = kind != Kind::Socket || form == Form::Full;
    let limit = SLACK
        + match (kind, waits) {
            (Kind::Socket, true) => SLOW,
            (Kind::Socket, false) => Duration::ZERO,
            _ => timeout,
        };
    let mut clients = (0..count)
        .map(|_| begin(&server, kind))
        .collect::<Result<Vec<Socket>, String>>()?;
    let message = client_frame(2, &[b'm'; 125]).repeat(16);
    let mut at = vec![0; clients.len()];
    let mut taken = Instant::now();
    let mut most = memory;
    let cut = loop {
        most = most.max(server.memory()?);
        let mut took = false;
        if kind == Kind::Socket {
            for (client, at) in clients.iter_mut().zip(&mut at) {
                if let Sent::Bytes(count @ 1..) = client.send(&message[*at..]) {
                    *at = (*at + count) % message.len();
                    took = true;
                }
            }
        } else {
            clients.retain(|client| !client.is_reset());
        }
        if took {
            taken = Instant::now();
        }
        let after = taken.elapsed();
        if server.descriptors()? <= descriptors {
            break Some(after);
        }
        if !waits && after > Duration::from_secs(1) || after > limit {
            break None;
        }
        std::thread::sleep(if took { Duration::from_millis(1) } else { LOOK });
    };
    let growth = (most - memory) / count;
    let mut rows = vec![Row::judged(
        format!("{kind:?}: growth for each of {count}, unread"),
        bytes(growth),
        format!("under {}", bytes(most_each)),
        growth < most_each,
    )];
    if waits {
        rows.push(Row::happened("all cut after", cut, limit));
    } else {
        let gone = Instant::now();
        drop(clients);
        let back = server.has_descriptors_within(descriptors, gone, BACK)?;
        rows.push(Row::happened("their descriptors back, once they leave", back, BACK));
    }
    rows.extend(honest.rows());
    Ok(rows)
}

/// How many descriptors the server has once it has served the file, which it keeps open, and nobody is there but who was before.
fn with_open_file(server: &Server) -> Result<usize, String> {
    let most = server.descriptors()? + 1;
    begin(server, Kind::File)?.reset();
    match server.has_descriptors_within(most, Instant::now(), BACK)? {
        Some(_) => Ok(most),
        None => Err("a client that is gone keeps its descriptor".to_owned()),
    }
}

/// A client that has heard the first of its answer, and is in the middle of the rest.
fn begin(server: &Server, kind: Kind) -> Result<Socket, String> {
    let request = match kind {
        Kind::Download => get(&format!("/download/{LARGE}")).into_bytes(),
        Kind::File => get("/static/large").into_bytes(),
        Kind::Events => get("/events").into_bytes(),
        Kind::Socket => [opening().as_bytes(), &client_frame(1, b"hello")[..]].concat(),
    };
    let mut socket = Socket::connect(server.address()).map_err(|why| format!("connecting: {why}"))?;
    if socket.send(&request) != Sent::Bytes(request.len()) {
        return Err("a request can't be sent".to_owned());
    }
    let status: &[u8] = if kind == Kind::Socket {
        b"HTTP/1.1 101 "
    } else {
        b"HTTP/1.1 200 "
    };
    let (begun, mut first) = (Instant::now(), [0; 512]);
    loop {
        match socket.hear(&mut first) {
            Heard::Bytes(count) if first[..count].starts_with(status) => break,
            Heard::Nothing if begun.elapsed() < BEGUN => std::thread::sleep(Duration::from_millis(1)),
            other => return Err(format!("{kind:?} does not begin: {other:?}, {}", first.escape_ascii())),
        }
    }
    Ok(socket)
}

fn opening() -> String {
    "GET /ws HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n\
     Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
        .to_owned()
}

/// A folder with one large file, which has no bytes on the disk. It is removed when this is dropped.
struct Folder(PathBuf);

impl Folder {
    fn make() -> std::io::Result<Self> {
        let folder = Self(std::env::temp_dir().join(format!("pw-faults-{}", std::process::id())));
        std::fs::create_dir(&folder.0)?;
        File::create_new(folder.0.join("large"))?.set_len(LARGE)?;
        Ok(folder)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // What can't be removed is a temporary file.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
