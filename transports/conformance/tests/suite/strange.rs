//! Handlers that do what one should not, or seldom does: they block their thread, give up reading and begin again, poll with wakers
//! of their own, panic as they are dropped, and leave work behind. `/strange/{name}` runs one; the query may say for how long, in
//! milliseconds.

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Wake, Waker};
use std::time::{Duration, Instant};

use bytes::Bytes;
use pw_core::codegen;
use pw_core::{Body, Exchange, Path, Problem, RequestHead, Respond};

use crate::application::{Application, LARGE};

/// Runs the handler of that name.
pub async fn run<E: Exchange>(application: &Application, head: &E::Head, cx: &mut E) -> Result<(), Problem> {
    let Path(name): Path<&str> = codegen::head(head)?;
    let time = Duration::from_millis(head.query().parse().unwrap_or_default());
    let (body, reply) = cx.split();
    match name {
        "blocking" => {
            block(time);
            "blocked".respond(reply)
        }
        "blocking-then-close" => {
            block(time);
            reply.close_connection();
            "blocked".respond(reply)
        }
        "blocking-then-large" => {
            block(time);
            static CONTENT: [u8; LARGE] = [0; LARGE];
            Bytes::from_static(&CONTENT).respond(reply)
        }
        "blocking-then-read" => {
            block(time);
            body.read(usize::MAX).await?.respond(reply)
        }
        "working" => {
            let begun = Instant::now();
            while begun.elapsed() < time {
                std::hint::spin_loop();
            }
            "worked".respond(reply)
        }
        "read-again" => {
            for _ in 0..3 {
                poll_once(body.read(usize::MAX)).await;
            }
            application.pause().await;
            body.read(usize::MAX).await?.respond(reply)
        }
        "read-in-part" => {
            poll_once(body.read(usize::MAX)).await;
            "enough".respond(reply)
        }
        "read-with-less" => {
            let first = body.read(3).await.map(<[u8]>::len).map_err(|problem| problem.status());
            let then = body
                .read(usize::MAX)
                .await
                .map(<[u8]>::len)
                .map_err(|problem| problem.status());
            format!("{first:?} {then:?}").respond(reply)
        }
        "own-waker" => when_woken(body.read(usize::MAX)).await?.respond(reply),
        "timeout" => {
            let read = tokio::time::timeout(time, body.read(usize::MAX)).await;
            read.map_or(Ok(&b"too late"[..]), |read| read)?.respond(reply)
        }
        "woken-by-thread" => {
            let (sender, receiver) = tokio::sync::oneshot::channel();
            std::thread::spawn(move || sender.send("woken"));
            receiver.await.map_err(Problem::internal)?.respond(reply)
        }
        "spawning" => {
            let spawned = tokio::spawn(async { "spawned" });
            spawned.await.map_err(Problem::internal)?.respond(reply)
        }
        "aborted" => {
            let spawned = tokio::spawn(std::future::pending::<()>());
            spawned.abort();
            let ended = spawned.await.expect_err("it was aborted");
            if ended.is_cancelled() { "aborted" } else { "ended" }.respond(reply)
        }
        "blocking-task" => {
            let task = tokio::task::spawn_blocking(|| "done");
            task.await.map_err(Problem::internal)?.respond(reply)
        }
        "runtime-in-runtime" => tokio::runtime::Handle::current()
            .block_on(async { "never" })
            .respond(reply),
        "leaves-work" => {
            // On a transport whose threads have such tasks.
            tokio::task::spawn_local(async move { block(time) });
            "left".respond(reply)
        }
        "panics-when-dropped" => {
            let _guard = PanicsWhenDropped;
            application.pause().await.respond(reply)
        }
        "content-panics" => Bytes::from_owner(Content(PanicsWhenDropped)).respond(reply),
        "panics-in-part" => {
            poll_once(body.read(usize::MAX)).await;
            std::panic::resume_unwind(Box::new("this handler panics within a body"))
        }
        "vector" => vec![b'v'; 10 << 20].respond(reply),
        "text" => "t".repeat(10 << 20).respond(reply),
        _ => Err(Problem::not_found()),
    }
}

/// Keeps the thread.
fn block(time: Duration) {
    let begun = Instant::now();
    while let Some(left) = time.checked_sub(begun.elapsed()) {
        std::thread::park_timeout(left);
    }
}

/// Polls a future once, and drops it.
async fn poll_once<F: Future>(future: F) -> Option<F::Output> {
    let mut future = pin!(future);
    poll_fn(|task| {
        Poll::Ready(match future.as_mut().poll(task) {
            Poll::Ready(output) => Some(output),
            Poll::Pending => None,
        })
    })
    .await
}

/// Polls a future when the waker it was given is woken, and at no other time, as collections of futures do.
async fn when_woken<F: Future>(future: F) -> F::Output {
    struct Flag {
        woken: AtomicBool,
        task: Waker,
    }
    impl Wake for Flag {
        fn wake(self: Arc<Self>) {
            self.woken.store(true, Ordering::SeqCst);
            self.task.wake_by_ref();
        }
    }
    let mut future = pin!(future);
    let mut flag = None;
    poll_fn(|task| {
        let flag = flag.get_or_insert_with(|| {
            Arc::new(Flag {
                woken: AtomicBool::new(true),
                task: task.waker().clone(),
            })
        });
        match flag.woken.swap(false, Ordering::SeqCst) {
            true => future.as_mut().poll(&mut Context::from_waker(&flag.clone().into())),
            false => Poll::Pending,
        }
    })
    .await
}

/// A guard with a bug. It says nothing through the panic hook.
struct PanicsWhenDropped;

impl Drop for PanicsWhenDropped {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            std::panic::resume_unwind(Box::new("a guard panics"));
        }
    }
}

/// Content that is owned by something with a bug.
struct Content(PanicsWhenDropped);

impl AsRef<[u8]> for Content {
    fn as_ref(&self) -> &[u8] {
        b"content"
    }
}
