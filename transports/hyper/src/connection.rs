//! One connection from its first byte on: which protocol it speaks, and that protocol's task.

use std::future::poll_fn;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Poll, ready};

use pw_h1::Sniff;
use pw_server::{Abort, FRESH};
use tokio::io::{AsyncRead, AsyncWrite};

use crate::Config;
use crate::clock::{Alarm, Drain, Moment};
use crate::exchange::Service;
use crate::http1;
use crate::http2;
use crate::input::Input;
use crate::wire::{Wait, Wire};

/// Serves one connection over any stream, to its end: a socket, or a pipe in tests. It must run in a tokio runtime with
/// timers.
pub async fn serve_connection<S, I>(io: I, peer: SocketAddr, service: Arc<S>, config: Arc<Config>)
where
    S: Service,
    I: AsyncRead + AsyncWrite + Abort + Unpin + Send + 'static,
{
    serve(io, peer, service, config, &Drain::default()).await;
}

/// As [`serve_connection`], until `drain` asks it to finish.
pub(crate) async fn serve<S, I>(mut io: I, peer: SocketAddr, service: Arc<S>, config: Arc<Config>, drain: &Drain)
where
    S: Service,
    I: AsyncRead + AsyncWrite + Abort + Unpin + Send + 'static,
{
    let mut input = Input::default();
    let mut alarm = Alarm::new();
    let Some((sniffed, wait)) = sniff(&mut io, &mut input, &mut alarm, &config, drain).await else {
        return;
    };
    match sniffed {
        // Boxed: its task is large, and few connections have it.
        Sniff::Http2Preface => Box::pin(http2::serve(io, input, peer, service, config, drain, alarm)).await,
        Sniff::Http1 | Sniff::NeedMore => {
            let wire = Wire::new(io, input, wait, peer, config.clone());
            http1::serve(wire, service, config, drain, alarm).await;
        }
    }
}

/// Waits until it is known what the client speaks. `None`: it went, or sent nothing in time. A client that has sent too little
/// to tell by the time its head is due is taken for HTTP/1, which answers it.
async fn sniff<I: AsyncRead + Unpin>(
    io: &mut I,
    input: &mut Input,
    alarm: &mut Alarm,
    config: &Config,
    drain: &Drain,
) -> Option<(Sniff, Wait)> {
    let begun = Moment::now();
    let mut first = None;
    poll_fn(|task| {
        alarm.register(task);
        loop {
            if !input.is_empty() {
                let since = *first.get_or_insert_with(Moment::now);
                match pw_h1::sniff(input.bytes()) {
                    Sniff::NeedMore => {}
                    Sniff::Http2Preface if !http2::has_settings(input.bytes()) => {}
                    sniffed => return Poll::Ready(Some((sniffed, Wait::Head(since)))),
                }
            }
            match input.poll_fill(Pin::new(io), task) {
                Poll::Ready(Ok(count)) if count > 0 => {}
                Poll::Ready(_) if input.is_empty() => return Poll::Ready(None),
                Poll::Ready(_) => return Poll::Ready(late(input, first)),
                Poll::Pending => {
                    let timeouts = &config.timeouts;
                    let deadline = match first {
                        Some(since) => since.after(timeouts.head),
                        None if drain.has_begun() => begun.after(FRESH.min(timeouts.first_byte)),
                        None => begun.after(timeouts.first_byte),
                    };
                    ready!(alarm.poll(deadline, task));
                    return Poll::Ready(late(input, first));
                }
            }
        }
    })
    .await
}

/// What to make of a client of which no more comes in time: what could be HTTP/1 is answered as HTTP/1.
fn late(input: &Input, first: Option<Moment>) -> Option<(Sniff, Wait)> {
    let is_http2 = pw_h1::sniff(input.bytes()) == Sniff::Http2Preface;
    first
        .filter(|_| !is_http2)
        .map(|since| (Sniff::Http1, Wait::Head(since)))
}
