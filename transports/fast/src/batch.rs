//! A batch: the requests that have come, answered in order and written together.
//!
//! It begins with bytes in the kit's input and ends when nothing waits any more. While it waits, for the rest of a request or
//! for a handler, what has been answered is on its way.

use std::cell::RefCell;
use std::future::{Future, poll_fn};
use std::pin::pin;
use std::rc::Rc;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use http::StatusCode;
use pw_core::recover::Catch;
use pw_core::{Reply, RequestHead, Table};
use pw_h1::encode::{self, Answer, Content, Payload, Sent};
use pw_h1::{Refusal, Rest};

use crate::clock::Moment;
use crate::closing;
use crate::connection::{Connection, Upgrade};
use crate::kit::Kit;
use crate::send::{self, COPIED, Lost};
use crate::service::Service;
use crate::wire::Wire;
use crate::worker::Shared;

/// How many bytes the head of an answer has beside its fields, at most.
const HEAD: usize = 256;

/// After so many requests in a row others have their turn: handlers that never wait would keep a worker to themselves.
const TURN: usize = 64;

/// Of the verdict on a head.
const ANSWERED: &str = "only what was parsed is answered";

/// How a batch ends.
#[derive(Clone, Copy, Debug)]
enum End {
    /// Everything is answered, nothing more has come, and the task is woken when it does.
    Idle,
    /// What waits is written, then the connection is closed. `unread`: the client may be sending what nobody will read.
    Close { unread: bool },
    /// The client is gone or does not read.
    Abort,
    /// What waits is written, then the connection leaves HTTP.
    Upgrade,
}

/// What becomes of the connection.
pub(crate) enum Back {
    /// It waits for more.
    Stays(Box<Connection>),
    /// It has left HTTP.
    Upgraded(Box<Upgrade>),
    /// It is closed.
    Over,
}

/// What a worker serves, and what with.
pub(crate) struct Server<S> {
    pub(crate) service: Arc<S>,
    pub(crate) shared: Rc<Shared>,
}

/// Runs a batch, and gives the connection back if it stays.
pub(crate) async fn run<S: Service>(server: Rc<Server<S>>, mut kit: Box<Kit>) -> Back {
    let shared = &*server.shared;
    let (mut waiting, mut turn) = (None, 0);
    let end = loop {
        let end = match parse(&mut kit, shared) {
            Ok(true) => {
                (waiting, turn) = (None, turn + 1);
                answer(&*server.service, shared, &mut kit).await
            }
            Ok(false) => {
                let full = !kit.wire.borrow().has_room();
                poll_fn(|task| poll_more(&kit, shared, full, &mut waiting, task)).await
            }
            Err(end) => Some(end),
        };
        if let Some(end) = end {
            break end;
        }
        if turn == TURN {
            turn = 0;
            tokio::task::yield_now().await;
        }
    };
    match end {
        End::Idle => {}
        End::Close { unread } => closing::close(&kit.wire, shared, unread).await,
        End::Abort => kit.wire.borrow_mut().abort(),
        End::Upgrade => return upgrade(shared, kit).await,
    }
    let stays = matches!(end, End::Idle);
    if !stays {
        kit.start_over();
    }
    let connection = kit.wire.borrow_mut().close();
    shared.kits.give_back(kit);
    match connection {
        Some(connection) if stays => Back::Stays(connection),
        _ => Back::Over,
    }
}

/// Writes what waits, and hands the connection to what it is upgraded to.
#[cold]
async fn upgrade(shared: &Shared, mut kit: Box<Kit>) -> Back {
    let task = kit.exchange.reply.take_upgrade();
    kit.recycle_exchange();
    let written = poll_fn(|task| kit.wire.borrow_mut().poll_flush(task)).await;
    let ahead = Bytes::copy_from_slice(kit.wire.borrow().input.bytes());
    let connection = kit.wire.borrow_mut().close();
    shared.kits.give_back(kit);
    match (task, connection) {
        (Some(task), Some(connection)) if written.is_ok() => Back::Upgraded(connection.upgrade(task, ahead)),
        _ => Back::Over,
    }
}

/// Whether all of the next request's head has come: then the kit has it, and what it means.
fn parse(kit: &mut Kit, shared: &Shared) -> Result<bool, End> {
    let wire = &mut *kit.wire.borrow_mut();
    if wire.input.is_empty() || !wire.has_room() {
        return Ok(false);
    }
    let (buffer, length) = wire.input.bytes_within();
    kit.verdict = match kit
        .parser
        .parse_within(buffer, length, &shared.config.limits, &mut kit.head)
    {
        Ok(verdict) => verdict,
        Err(refusal) => return Err(refuse(wire, &refusal)),
    };
    let Some(verdict) = &kit.verdict else { return Ok(false) };
    wire.input.consume(verdict.consumed);
    Ok(true)
}

/// Answers with a refusal, behind the answers before it.
#[cold]
fn refuse(wire: &mut Wire, refusal: &Refusal) -> End {
    let date = wire.shared.clock.date();
    refusal.write(wire.output(HEAD), &date);
    End::Close { unread: true }
}

/// What a batch waits for, and since when.
type Waiting = Option<(Wait, Moment)>;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wait {
    Request,
    RestOfHead,
}

/// Writes what was answered and reads on. Ready: more has come, or how the batch ends. `full`: there was no room for another answer
/// when this began, so what has come has not been looked at. Half of that may have been written since, and it still has not been.
fn poll_more(
    kit: &Kit,
    shared: &Shared,
    full: bool,
    waiting: &mut Waiting,
    task: &mut Context<'_>,
) -> Poll<Option<End>> {
    let wire = &mut *kit.wire.borrow_mut();
    let flushed = match wire.poll_flush(task) {
        Poll::Ready(Err(_)) => return Poll::Ready(Some(End::Abort)),
        flushed => flushed.is_ready(),
    };
    if full {
        // What has come is not looked at until the client has taken all of its answers.
        return if flushed { Poll::Ready(None) } else { Poll::Pending };
    }
    match wire.poll_fill(task) {
        Poll::Ready(Ok(0)) => Poll::Ready(Some(ended(kit, wire))),
        Poll::Ready(Ok(_)) => Poll::Ready(None),
        Poll::Ready(Err(_)) => Poll::Ready(Some(End::Abort)),
        Poll::Pending if flushed && wire.input.is_empty() => Poll::Ready(Some(End::Idle)),
        Poll::Pending => poll_patience(kit, wire, shared, waiting),
    }
}

/// The client has shut its side.
#[cold]
fn ended(kit: &Kit, wire: &mut Wire) -> End {
    match kit.parser.is_idle() {
        true => End::Close { unread: false },
        false => refuse(wire, &Refusal::cut_short()),
    }
}

/// Ready once what is waited for has not come in time.
#[cold]
fn poll_patience(kit: &Kit, wire: &mut Wire, shared: &Shared, waiting: &mut Waiting) -> Poll<Option<End>> {
    let wait = match kit.parser.is_idle() {
        true => Wait::Request,
        false => Wait::RestOfHead,
    };
    let since = match *waiting {
        Some((was, since)) if was == wait => since,
        _ => waiting.insert((wait, shared.clock.read())).1,
    };
    let due = match wait {
        Wait::Request => shared.keep_alive(since),
        Wait::RestOfHead => since.after(shared.config.timeouts.head),
    };
    ready!(wire.poll_until(due));
    Poll::Ready(Some(match wait {
        Wait::Request => End::Close { unread: false },
        Wait::RestOfHead => refuse(wire, &Refusal::too_slow()),
    }))
}

/// Answers one request. `Some`: no other follows.
async fn answer<S: Service>(service: &S, shared: &Shared, kit: &mut Kit) -> Option<End> {
    route(service.table(), shared, kit);
    let Kit {
        head, exchange, wire, ..
    } = kit;
    let outcome = {
        let mut call = pin!(Catch::new(service.call(head, exchange)));
        poll_fn(|task| match call.as_mut().poll(task) {
            Poll::Ready(outcome) => Poll::Ready(Some(outcome)),
            Poll::Pending => poll_beside(wire, task).map(|()| None),
        })
        .await
    };
    let end = match outcome {
        None => Some(End::Abort),
        Some(outcome) => {
            exchange.complete(head, outcome);
            match put(shared, kit) {
                Put::Whole(end) => end,
                put => finish(shared, kit, put).await,
            }
        }
    };
    if !matches!(end, Some(End::Upgrade)) {
        kit.recycle_exchange();
    }
    end
}

/// Finds the route, and what it says of the exchange.
fn route(table: &'static Table, shared: &Shared, kit: &mut Kit) {
    let Kit {
        head,
        exchange,
        verdict,
        ..
    } = kit;
    head.find_route(table);
    let limit = exchange.begin(head).unwrap_or(shared.config.limits.body);
    exchange.body.expect(verdict.as_ref().expect(ANSWERED), limit);
}

/// What goes on while a handler waits: what was answered before is written, and a client that has gone is noticed. Ready: it has.
fn poll_beside(wire: &RefCell<Wire>, task: &mut Context<'_>) -> Poll<()> {
    let wire = &mut *wire.borrow_mut();
    if let Poll::Ready(Err(_)) = wire.poll_flush(task) {
        return Poll::Ready(());
    }
    wire.wake_late();
    // The handler may be the one that reads.
    match wire.in_body || wire.poll_ahead(task).is_ok() {
        true => Poll::Pending,
        false => Poll::Ready(()),
    }
}

/// What is to be done once a head is among the output.
enum Put {
    /// Nothing: the answer is whole. `Some`: no other follows.
    Whole(Option<End>),
    /// Its content is to be written, then the body nobody read is to be dropped.
    More {
        content: Option<Payload>,
        rest: bool,
        end: Option<End>,
    },
}

/// Puts the answer, or its head if the content is large, behind those that wait.
fn put(shared: &Shared, kit: &mut Kit) -> Put {
    let Kit {
        head,
        exchange,
        wire,
        verdict,
        ..
    } = kit;
    let verdict = verdict.as_ref().expect(ANSWERED);
    let wire = &mut *wire.borrow_mut();
    let rest = exchange.body.rest();
    if exchange.reply.is_elsewhere() && rest != Rest::Nothing && exchange.reply.take_upgrade().is_some() {
        exchange.refuse_upgrade(head);
    }
    let reply = &exchange.reply;
    let content = reply.content();
    // Asked now: the signal may have come since the request did.
    let stays = !rest.closes(verdict.version, verdict.expect_continue, &shared.config.limits) && !shared.is_draining();
    let elsewhere = reply.is_elsewhere();
    let answer = Answer {
        version: verdict.version,
        to_head: verdict.is_head,
        keep_alive: verdict.keep_alive && stays,
        content: Content::Sized(content.len() as u64),
    };
    let copied = if content.len() > COPIED { 0 } else { content.len() };
    let out = wire.output(HEAD + reply.field_lines().len() + copied);
    let date = shared.clock.date();
    let sent = match elsewhere {
        false => encode::write_head(out, reply, &answer, &date),
        true => put_elsewhere(out, reply, answer, &date),
    };
    let unread = rest != Rest::Nothing;
    let end = (!sent.keep_alive).then_some(End::Close { unread });
    // Not by what the reply holds: a 205 says that it has none.
    let has_content = !matches!(sent.payload, Payload::None | Payload::Sized(0));
    let large = has_content && (content.len() > COPIED || elsewhere);
    if has_content && !large {
        out.extend_from_slice(content);
    }
    if elsewhere && reply.status() == StatusCode::SWITCHING_PROTOCOLS {
        return Put::Whole(Some(End::Upgrade));
    }
    match (large, unread && sent.keep_alive) {
        (false, false) => Put::Whole(end),
        (large, rest) => Put::More {
            content: large.then_some(sent.payload),
            rest,
            end,
        },
    }
}

/// Puts the head of an answer whose content is not in memory. Apart, so that the usual head is as short as it can be.
#[cold]
#[inline(never)]
fn put_elsewhere(out: &mut Vec<u8>, reply: &Reply, answer: Answer, date: &[u8; 29]) -> Sent {
    let content = match reply.length() {
        Some(length) => Content::Sized(length),
        None => Content::Stream,
    };
    encode::write_head(out, reply, &Answer { content, ..answer }, date)
}

/// Writes large content from where it is, and drops a body nobody read.
async fn finish(shared: &Shared, kit: &mut Kit, put: Put) -> Option<End> {
    let (content, rest, end) = match put {
        Put::Whole(end) => return end,
        Put::More { content, rest, end } => (content, rest, end),
    };
    let Kit {
        head, exchange, wire, ..
    } = kit;
    if let Some(payload) = content {
        let reply = &mut exchange.reply;
        let content = reply.take_content(usize::MAX);
        // What a stream gave before it broke off still arrives, where its end is framed and so seen to be missing. What was sent of a file
        // may be a mixture.
        let broken = match content {
            Some(pw_core::Content::Stream(_)) if payload != Payload::UntilClose => End::Close { unread: true },
            _ => End::Abort,
        };
        let sent = match content {
            Some(content) => {
                let trailers = encode::takes_trailers(head);
                send::send(wire, content, payload, trailers).await
            }
            None => send::send_bytes(wire, reply.content()).await,
        };
        match sent {
            Ok(()) => {}
            Err(Lost::Client) => return Some(End::Abort),
            Err(Lost::Source(error)) => {
                let request_id = reply.request_id().unwrap_or("-");
                let (method, route) = (head.method(), head.route().map_or("-", |route| route.name()));
                tracing::warn!(
                    target: "polywire",
                    request_id, method, route, %error,
                    "an answer could not be sent to its end: it is cut off"
                );
                return Some(broken);
            }
        }
    }
    if !rest {
        return end;
    }
    let (mut left, mut since) = (shared.config.limits.drain, None);
    poll_fn(|task| {
        if let Poll::Ready(in_step) = exchange.body.poll_drop(task, &mut left) {
            return Poll::Ready(match in_step {
                true => end,
                false => Some(End::Close { unread: true }),
            });
        }
        let wire = &mut *wire.borrow_mut();
        if let Poll::Ready(Err(_)) = wire.poll_flush(task) {
            return Poll::Ready(Some(End::Abort));
        }
        let since = *since.get_or_insert_with(|| shared.clock.read());
        wire.poll_until(since.after(shared.config.timeouts.body))
            .map(|()| Some(End::Close { unread: true }))
    })
    .await
}
