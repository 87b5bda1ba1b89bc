//! Clients of every kind that keep a server busy until it stops, and what became of each of their requests.
//!
//! A request is lost when its connection ends without its answer, and nothing told the client so before it sent: neither the last answer
//! (`connection: close`) nor the connection, closed. Two things only a client can't hold against a server. A server may close a
//! connection that has been idle: what is sent within [`PROMPT`] of the request before, or of the connect, is owed an answer, whatever
//! has become of the connection; what a client sends later, because it does or because this machine kept it from running, is not. And
//! the kernel completes connections until the port is closed: the few that the server could not see any more are reset. They are
//! counted apart.

use std::io::ErrorKind;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use crate::client::{Client, Failure, Standing, expect, get, is_last};

/// How soon after its request before a client sends the next for the server to owe an answer. Servers that close idle connections at
/// the signal wait for 100 ms after an answer.
const PROMPT: Duration = Duration::from_millis(50);
/// Between two requests of a paced client.
const PAUSE: Duration = Duration::from_millis(15);
/// How long anything that stands still waits for the port to be closed.
const PATIENCE: Duration = Duration::from_secs(20);
/// Requests that a client sends at once.
const PIPELINED: usize = 16;
/// Bodies are sent in pieces of this size,
const PIECE: usize = 4 << 10;
/// and in so many of them.
const PIECES: usize = 4;
/// What `/users/7` answers.
const SEVEN: &[u8] = br#"{"id":7,"name":"ann"}"#;
/// The size of `/large`.
const LARGE: usize = 10 << 20;

/// What the clients and who gives the signal tell each other.
#[derive(Debug, Default)]
pub(crate) struct Signs {
    /// Clients that are where they should be when the signal comes.
    pub(crate) ready: AtomicUsize,
    /// Nobody can connect any more.
    pub(crate) port_closed: AtomicBool,
}

impl Signs {
    fn wait_for_closed_port(&self) -> Result<(), String> {
        let begun = Instant::now();
        while !self.port_closed.load(Ordering::Acquire) {
            if begun.elapsed() > PATIENCE {
                return Err("the port was not closed".to_owned());
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        Ok(())
    }
}

/// What a client does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A request after another on one connection.
    Kept,
    /// The same, with pauses in which the signal comes.
    Paced,
    /// A connection for each request.
    Fresh,
    /// Requests in batches.
    Pipelined,
    /// Bodies in pieces.
    Upload,
    /// Half a body before the signal, and the rest after it.
    HeldUpload,
    /// A large answer, most of it read after the signal.
    HeldDownload,
    /// One request long before the signal, and then nothing.
    Idle,
}

impl Kind {
    /// Whether it waits for the signal, in place of asking until it comes.
    pub(crate) const fn stands_still(self) -> bool {
        matches!(self, Self::HeldUpload | Self::HeldDownload | Self::Idle)
    }
}

/// What became of the requests.
#[derive(Debug, Default)]
pub(crate) struct Fates {
    pub(crate) answered: usize,
    /// With `connection: close`.
    pub(crate) last: usize,
    /// Connections that were closed before anything was sent.
    pub(crate) closed: usize,
    /// Requests that were sent too late to tell.
    pub(crate) untold: usize,
    /// New connections that were reset, as the closing port does.
    pub(crate) turned_away: usize,
    /// The same, but their requests had been sent before the signal.
    pub(crate) early: usize,
    pub(crate) lost: Vec<String>,
}

impl Fates {
    /// Those of a client that did not tell them.
    pub(crate) fn unknown(why: &str) -> Self {
        Self {
            lost: vec![why.to_owned()],
            ..Self::default()
        }
    }

    /// Both.
    pub(crate) fn and(mut self, other: Self) -> Self {
        self.answered += other.answered;
        self.last += other.last;
        self.closed += other.closed;
        self.untold += other.untold;
        self.turned_away += other.turned_away;
        self.early += other.early;
        self.lost.extend(other.lost);
        self
    }

    fn lose(&mut self, kind: Kind, why: impl std::fmt::Display) {
        self.lost.push(format!("{kind:?}: {why}"));
    }
}

/// Is a client of this kind until the port is closed.
pub(crate) fn run(kind: Kind, address: SocketAddr, id: usize, signs: &Signs) -> Fates {
    let mut fates = Fates::default();
    if !kind.stands_still() {
        busy(kind, address, id, &mut fates);
    } else if let Err(why) = still(kind, address, signs, &mut fates) {
        fates.lose(kind, why);
    }
    fates
}

/// Asks until the port is closed.
fn busy(kind: Kind, address: SocketAddr, id: usize, fates: &mut Fates) {
    loop {
        let begun = Instant::now();
        let mut client = match Client::connect(address) {
            Ok(client) => client,
            Err(why) if why.kind() == ErrorKind::ConnectionRefused => return,
            // There was a connection, and it was gone before this thread ran again.
            Err(why) if why.kind() == ErrorKind::ConnectionReset => {
                fates.turned_away += 1;
                continue;
            }
            Err(why) => return fates.lose(kind, format!("connecting: {why}")),
        };
        // When the server has last heard of this client, at the earliest.
        let mut heard = begun;
        let mut first = true;
        loop {
            if kind == Kind::Paced {
                std::thread::sleep(PAUSE);
            }
            // Sooner, it could not know: what it sends may cross the close on its way.
            if heard.elapsed() > PROMPT && client.standing() == Standing::Closed {
                fates.closed += 1;
                break;
            }
            let sending = Instant::now();
            let mut exchange = Exchange::begin(kind, id);
            client.send(exchange.opening());
            let late = heard.elapsed() > PROMPT;
            match exchange.finish(&mut client) {
                Ok(last) => {
                    fates.answered += exchange.answered;
                    fates.last += usize::from(last);
                    if kind == Kind::Fresh {
                        client.reset();
                        break;
                    }
                    if last {
                        break;
                    }
                }
                Err(Failure::Nothing) if late => {
                    fates.untold += 1;
                    break;
                }
                Err(Failure::Nothing) if first => {
                    fates.turned_away += 1;
                    break;
                }
                Err(failure) => {
                    fates.lose(kind, failure);
                    break;
                }
            }
            heard = sending;
            first = false;
        }
    }
}

/// What is asked at once, and answered.
struct Exchange {
    kind: Kind,
    path: String,
    content: Vec<u8>,
    answered: usize,
}

impl Exchange {
    fn begin(kind: Kind, id: usize) -> Self {
        Self {
            kind,
            path: format!("/users/{id}"),
            content: match kind {
                Kind::Upload => vec![b'a' + (id % 26) as u8; PIECE * PIECES],
                _ => format!(r#"{{"id":{id},"name":"ann"}}"#).into_bytes(),
            },
            answered: 0,
        }
    }

    /// What makes it a request that the server owes an answer to.
    fn opening(&self) -> Vec<u8> {
        match self.kind {
            Kind::Upload => [declaring(&self.content).as_bytes(), &self.content[..PIECE]].concat(),
            Kind::Pipelined => get(&self.path).repeat(PIPELINED).into_bytes(),
            _ => get(&self.path).into_bytes(),
        }
    }

    /// Sends the rest and takes the answers; whether the last of them says that no more is taken.
    fn finish(&mut self, client: &mut Client) -> Result<bool, Failure> {
        if self.kind == Kind::Upload {
            for piece in self.content[PIECE..].chunks(PIECE) {
                std::thread::sleep(Duration::from_millis(2));
                client.send(piece);
            }
        }
        let wanted = if self.kind == Kind::Pipelined { PIPELINED } else { 1 };
        while self.answered < wanted {
            let response = match client.answer() {
                Err(Failure::Nothing) if self.answered > 0 => {
                    let answered = self.answered;
                    let why = format!("the connection ended after {answered} of {wanted} answers, and none said so");
                    return Err(Failure::Wrong(why));
                }
                other => other?,
            };
            expect(&response, &self.content)?;
            self.answered += 1;
            if is_last(&response) {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// Begins something before the signal and ends it after.
fn still(kind: Kind, address: SocketAddr, signs: &Signs, fates: &mut Fates) -> Result<(), String> {
    let mut client = Client::connect(address).map_err(|why| format!("connecting: {why}"))?;
    let ready = || signs.ready.fetch_add(1, Ordering::Release);
    match kind {
        Kind::HeldUpload => {
            let content = vec![b'x'; 2 * PIECE];
            client.send([declaring(&content).as_bytes(), &content[..PIECE]].concat());
            ready();
            signs.wait_for_closed_port()?;
            client.send(&content[PIECE..]);
            let response = client.answer().map_err(|failure| failure.to_string())?;
            expect(&response, &content).map_err(|failure| failure.to_string())?;
            if !is_last(&response) {
                return Err("its answer does not say that it is the last".to_owned());
            }
            fates.last += 1;
        }
        Kind::HeldDownload => {
            client.send(get("/large"));
            let begun = Instant::now();
            while client.standing() == Standing::Open && begun.elapsed() < PATIENCE {
                std::thread::sleep(Duration::from_millis(5));
            }
            ready();
            signs.wait_for_closed_port()?;
            let response = client.answer().map_err(|failure| failure.to_string())?;
            if response.status != 200 || response.body.len() != LARGE {
                return Err(format!("{} with {} bytes", response.status, response.body.len()));
            }
        }
        _ => {
            client.ask("/users/7", SEVEN).map_err(|failure| failure.to_string())?;
            ready();
            signs.wait_for_closed_port()?;
            let begun = Instant::now();
            while client.standing() == Standing::Open && begun.elapsed() < PATIENCE {
                std::thread::sleep(Duration::from_millis(5));
            }
            match client.standing() {
                Standing::Closed => fates.closed += 1,
                other => return Err(format!("the connection is {other:?} after the end")),
            }
        }
    }
    fates.answered += 1;
    Ok(())
}

/// What became of a client that sent its one request, for `/users/7`, just before the signal.
pub(crate) fn end_waiting(mut client: Client) -> Fates {
    let mut fates = Fates::default();
    let answer = client
        .answer()
        .and_then(|response| expect(&response, SEVEN).map(|()| is_last(&response)));
    match answer {
        Ok(last) => {
            fates.answered = 1;
            fates.last = usize::from(last);
        }
        Err(Failure::Nothing) => fates.early = 1,
        Err(failure) => fates.lost = vec![format!("sent before the signal: {failure}")],
    }
    fates
}

fn declaring(content: &[u8]) -> String {
    format!(
        "POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: {}\r\n\r\n",
        content.len()
    )
}
