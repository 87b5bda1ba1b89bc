//! One case over one connection: writes its bytes in the pieces it asks for, reads what comes back, and knows when
//! that is all.

use std::io::{self, ErrorKind, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use crate::case::{Case, When};
use crate::response::{self, Responses, State};
use crate::text::{Values, raw};
use crate::websocket::{self, Messages};

/// Pseudo status: closed, or reset, without a response.
pub const NO_ANSWER_CLOSED: i32 = 0;
/// Pseudo status: nothing came before the time limit.
pub const NO_ANSWER_OPEN: i32 = -1;
/// Pseudo status: answered with HTTP/2 frames.
pub const HTTP2_FRAMES: i32 = 2;
/// Pseudo status: a response that stopped half-way.
pub const TRUNCATED: i32 = 8;
/// Pseudo status: bytes that are no HTTP/1.x response.
pub const GARBAGE: i32 = 9;

/// The most bytes that are read from a server that does not stop.
const MAX_BYTES: usize = 64 << 20;
/// How long a second part waits for an answer that may not come.
const THEN_DELAY: Duration = Duration::from_millis(200);
/// How long one look at the socket waits.
const POLL: Duration = Duration::from_millis(20);

/// How patient an exchange is.
#[derive(Clone, Copy, Debug)]
pub struct Patience {
    /// The most a case may take that does not say so itself: 3 s.
    pub timeout: Duration,
    /// Without data for this long, a connection is taken as silent: 350 ms.
    pub quiet: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Self {
            timeout: Duration::from_secs(3),
            quiet: Duration::from_millis(350),
        }
    }
}

/// What came back on one connection.
#[derive(Clone, Debug, Default)]
pub struct Got {
    /// The responses.
    pub responses: Responses,
    /// All bytes.
    pub raw: Vec<u8>,
    /// Whether the server closed the connection.
    pub closed: bool,
    /// Whether it did so with a reset.
    pub reset: bool,
    /// How long all of it took.
    pub time: Duration,
    /// What came after a 101.
    pub websocket: Messages,
}

impl Got {
    /// The status of the first final response, or one of the pseudo statuses.
    pub fn first_status(&self) -> i32 {
        if let Some(first) = self.responses.finals.first() {
            return first.status.into();
        }
        if matches!(self.responses.state, State::Broken(_)) {
            let frame = matches!(self.responses.tail[..], [0, _, _, 4, _, _, _, _, _, ..]);
            return if frame { HTTP2_FRAMES } else { GARBAGE };
        }
        if !self.raw.is_empty() && self.responses.interims.is_empty() {
            return TRUNCATED;
        }
        if self.closed { NO_ANSWER_CLOSED } else { NO_ANSWER_OPEN }
    }
}

/// Runs one case.
///
/// # Errors
/// The server can't be connected to.
pub fn exchange(case: &Case, server: SocketAddr, patience: Patience, values: &Values) -> io::Result<Got> {
    let begun = Instant::now();
    let timeout = case.timeout_s.map_or(patience.timeout, Duration::from_secs_f64);
    let socket = TcpStream::connect_timeout(&server, timeout)?;
    socket.set_nodelay(true)?;
    let send = raw(&case.send, values);
    let mut talk = Talk {
        case,
        methods: case.methods.clone().unwrap_or_else(|| vec![first_method(&send)]),
        http10: is_http10(&send),
        wire: Wire::new(socket),
        out: Out::new(send, case.dribble, begun),
        then: case.then.as_ref().map(|then| raw(then, values)),
        sent_at: None,
        last_data: None,
        parsed: None,
        replied: false,
        got: Got::default(),
    };
    while begun.elapsed() <= timeout && talk.step(patience) {}
    let mut got = talk.got;
    got.responses = response::split(&got.raw, &talk.methods, talk.http10, got.closed);
    if got.responses.state == State::Tunnel && got.responses.finals.last().is_some_and(|r| r.status == 101) {
        got.websocket = websocket::messages(&got.responses.tail);
    }
    got.time = begun.elapsed();
    Ok(got)
}

/// An exchange under way.
struct Talk<'c> {
    case: &'c Case,
    methods: Vec<String>,
    http10: bool,
    wire: Wire,
    out: Out,
    /// The second part, until it is on its way.
    then: Option<Vec<u8>>,
    /// When all of the part that is on its way had been written.
    sent_at: Option<Instant>,
    last_data: Option<Instant>,
    /// How many bytes have been looked at.
    parsed: Option<usize>,
    /// Whether the server's Close was answered.
    replied: bool,
    got: Got,
}

impl Talk<'_> {
    /// One round of looking, writing and reading; false when all is said.
    fn step(&mut self, patience: Patience) -> bool {
        let now = Instant::now();
        self.look(now);
        self.turn(now);
        if self.is_over(now, patience) {
            return false;
        }
        let wrote = !self.out.is_done() && now >= self.out.next_at && self.write();
        self.read(now, wrote)
    }

    /// Takes apart what has come so far.
    fn look(&mut self, now: Instant) {
        if self.parsed == Some(self.got.raw.len()) {
            return;
        }
        self.parsed = Some(self.got.raw.len());
        self.got.responses = response::split(&self.got.raw, &self.methods, self.http10, false);
        let responses = &self.got.responses;
        if responses.state == State::Tunnel && responses.finals.last().is_some_and(|r| r.status == 101) {
            self.got.websocket = websocket::messages(&responses.tail);
            if self.got.websocket.close.is_some() && !self.replied && self.out.is_done() {
                self.replied = true;
                if !self.case.expect.ws_client_closed {
                    self.out
                        .replace(websocket::client_frame(8, &1000_u16.to_be_bytes()), now);
                }
            }
        }
        if matches!(self.got.responses.state, State::Broken(_)) {
            self.sent_at.get_or_insert(now);
        }
    }

    /// Goes on to what follows a part that has been sent: the second part, the half-close.
    fn turn(&mut self, now: Instant) {
        if !self.out.is_done() {
            return;
        }
        let sent_at = *self.sent_at.get_or_insert(now);
        if let Some(then) = &mut self.then {
            let responses = &self.got.responses;
            let answered = !responses.finals.is_empty() || !responses.interims.is_empty();
            let waited = now - sent_at > THEN_DELAY;
            let when = self.case.then_when;
            if when != When::Delay && answered || when != When::Answer && waited {
                self.out.replace(std::mem::take(then), now);
                self.then = None;
                self.sent_at = None;
                if let Some(dribble) = self.case.dribble_then {
                    self.out.dribble = dribble;
                }
            }
        }
        if self.sent_at.is_some() && self.then.is_none() && self.case.half_close && self.out.is_done() {
            self.wire.half_close();
        }
    }

    /// Whether nothing more is to be waited for.
    fn is_over(&self, now: Instant, patience: Patience) -> bool {
        let Some(sent_at) = self.sent_at.filter(|_| self.then.is_none()) else {
            return false;
        };
        let expect = &self.case.expect;
        let silent = now.saturating_duration_since(self.last_data.map_or(sent_at, |at| at.max(sent_at)));
        if silent <= patience.quiet {
            return false;
        }
        let messages = expect.ws_msgs.as_ref().map_or(0, Vec::len);
        let wanted = [expect.responses, expect.responses_min]
            .into_iter()
            .flatten()
            .find(|n| *n > 0)
            .unwrap_or(1);
        let enough = self.got.responses.finals.len() >= wanted
            && self.got.websocket.whole.len() >= messages
            && expect.ws_close_any.is_empty();
        match self.got.responses.state {
            State::Broken(_) => true,
            State::Clean | State::Tunnel => enough && expect.connection_closed != Some(true),
            State::Partial => false,
        }
    }

    /// Writes the next piece; whether any of it left.
    fn write(&mut self) -> bool {
        match self.wire.write(self.out.piece()) {
            Ok(n) => {
                self.out.advance(n);
                n > 0
            }
            Err(_) => {
                // Keep reading what it said.
                self.out.give_up();
                self.then = None;
                self.sent_at.get_or_insert_with(Instant::now);
                self.got.reset = true;
                true
            }
        }
    }

    /// Reads what is there, or waits a moment for it; false at the end of the connection.
    fn read(&mut self, now: Instant, wrote: bool) -> bool {
        // After a write, what is next (a half-close, say) comes at once.
        let wait = if wrote {
            Duration::ZERO
        } else if self.out.is_done() {
            POLL
        } else {
            self.out
                .next_at
                .saturating_duration_since(now)
                .clamp(Duration::from_millis(1), POLL)
        };
        match self.wire.read(wait, &mut self.got.raw) {
            Ok(Some(0)) => {
                self.got.closed = true;
                false
            }
            Ok(Some(_)) => {
                self.last_data = Some(Instant::now());
                self.got.raw.len() <= self.case.expect.max_bytes.unwrap_or(MAX_BYTES)
            }
            Ok(None) => true,
            Err(_) => {
                self.got.closed = true;
                self.got.reset = true;
                false
            }
        }
    }
}

/// What is to be written, in pieces.
struct Out {
    bytes: Vec<u8>,
    at: usize,
    /// Bytes a write, 0 for as many as go, and the milliseconds between.
    dribble: (usize, u64),
    next_at: Instant,
}

impl Out {
    fn new(bytes: Vec<u8>, dribble: Option<(usize, u64)>, now: Instant) -> Self {
        Self {
            bytes,
            at: 0,
            dribble: dribble.unwrap_or_default(),
            next_at: now,
        }
    }

    fn replace(&mut self, bytes: Vec<u8>, now: Instant) {
        *self = Self::new(bytes, Some(self.dribble), now);
    }

    fn is_done(&self) -> bool {
        self.at >= self.bytes.len()
    }

    fn piece(&self) -> &[u8] {
        let rest = &self.bytes[self.at..];
        let step = if self.dribble.0 == 0 { 65536 } else { self.dribble.0 };
        &rest[..rest.len().min(step)]
    }

    fn advance(&mut self, n: usize) {
        self.at += n;
        if self.dribble.1 > 0 {
            self.next_at = Instant::now() + Duration::from_millis(self.dribble.1);
        }
    }

    fn give_up(&mut self) {
        self.at = self.bytes.len();
    }
}

/// A socket that is read and written by turns. The standard library has no `select`: it does not block while both
/// directions have something to do, and waits in a read with a time-out otherwise.
struct Wire {
    socket: TcpStream,
    wait: Option<Duration>,
    half_closed: bool,
}

impl Wire {
    fn new(socket: TcpStream) -> Self {
        Self {
            socket,
            wait: None,
            half_closed: false,
        }
    }

    fn half_close(&mut self) {
        if !self.half_closed {
            self.half_closed = true;
            // A server that has gone already is what the next read shows.
            let _ = self.socket.shutdown(Shutdown::Write);
        }
    }

    /// How many bytes left, 0 if the socket takes none now.
    fn write(&mut self, piece: &[u8]) -> io::Result<usize> {
        self.set_wait(Duration::ZERO)?;
        match self.socket.write(piece) {
            Err(why) if is_later(&why) => Ok(0),
            done => done,
        }
    }

    /// How many bytes came, `None` if nothing did within the time.
    fn read(&mut self, wait: Duration, into: &mut Vec<u8>) -> io::Result<Option<usize>> {
        self.set_wait(wait)?;
        let mut chunk = [0; 65536];
        match self.socket.read(&mut chunk) {
            Ok(n) => {
                into.extend_from_slice(&chunk[..n]);
                Ok(Some(n))
            }
            Err(why) if is_later(&why) => Ok(None),
            Err(why) => Err(why),
        }
    }

    fn set_wait(&mut self, wait: Duration) -> io::Result<()> {
        if self.wait != Some(wait) {
            self.socket.set_nonblocking(wait.is_zero())?;
            if !wait.is_zero() {
                self.socket.set_read_timeout(Some(wait))?;
            }
            self.wait = Some(wait);
        }
        Ok(())
    }
}

fn is_later(why: &io::Error) -> bool {
    matches!(
        why.kind(),
        ErrorKind::WouldBlock | ErrorKind::TimedOut | ErrorKind::Interrupted
    )
}

fn first_method(send: &[u8]) -> String {
    let word = without_blank_lines(send)
        .split(|b| *b == b' ')
        .next()
        .unwrap_or_default();
    let word = &word[..word.len().min(20)];
    if word.is_empty() {
        "GET".to_owned()
    } else {
        crate::text::from_latin1(word)
    }
}

fn is_http10(send: &[u8]) -> bool {
    let line = without_blank_lines(send)
        .split(|b| *b == b'\n')
        .next()
        .unwrap_or_default();
    line.trim_ascii_end().ends_with(b" HTTP/1.0")
}

fn without_blank_lines(send: &[u8]) -> &[u8] {
    let start = send
        .iter()
        .position(|b| !matches!(b, b'\r' | b'\n'))
        .unwrap_or(send.len());
    &send[start..]
}
