//! What a handler may await: everything of tokio's. A peer on a local socket, connections to it and a task, all of them made on the runtime
//! that the server is started on, as an application's constructor makes its state; handlers use them wherever they run.

use std::future::poll_fn;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Mutex, MutexGuard};
use std::time::{Duration, Instant};

use pw_core::Problem;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, mpsc, oneshot};

/// What handlers can be asked to await.
pub const WHAT: [&str; 8] = [
    "time", "timeout", "socket", "pooled", "actor", "spawned", "blocking", "both",
];

/// A question to the task, and where its answer goes.
type Question = (u64, oneshot::Sender<u64>);

/// State that was built on the server's runtime.
#[derive(Debug)]
pub struct World {
    peer: SocketAddr,
    pooled: Mutex<Vec<TcpStream>>,
    /// A permit for each connection in the pool.
    free: Semaphore,
    actor: mpsc::Sender<Question>,
}

impl World {
    /// Builds it, on the runtime that is entered.
    pub async fn build() -> std::io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let peer = listener.local_addr()?;
        tokio::spawn(echo(listener));
        let mut pooled = Vec::new();
        for _ in 0..4 {
            pooled.push(TcpStream::connect(peer).await?);
        }
        let (actor, mut questions) = mpsc::channel::<Question>(4);
        tokio::spawn(async move {
            while let Some((number, answer)) = questions.recv().await {
                tokio::time::sleep(Duration::from_millis(1)).await;
                // The handler may have gone with its client.
                let _ = answer.send(number + 1);
            }
        });
        Ok(Self {
            peer,
            free: Semaphore::new(pooled.len()),
            pooled: Mutex::new(pooled),
            actor,
        })
    }

    fn pool(&self) -> MutexGuard<'_, Vec<TcpStream>> {
        self.pooled.lock().expect("nothing panics with the pool")
    }

    /// What a handler does. The answer says what it did.
    pub async fn awaited(&self, what: &str) -> Result<&'static str, Problem> {
        match what {
            "time" => {
                let begun = Instant::now();
                let mut interval = tokio::time::interval(Duration::from_millis(5));
                for _ in 0..3 {
                    interval.tick().await;
                }
                tokio::time::sleep(Duration::from_millis(5)).await;
                assert!(begun.elapsed() >= Duration::from_millis(15), "it did not sleep");
                Ok("slept")
            }
            "timeout" => {
                let never = std::future::pending::<()>();
                let late = tokio::time::timeout(Duration::from_millis(5), never).await;
                assert!(late.is_err());
                Ok("timed out")
            }
            "socket" => {
                let mut stream = TcpStream::connect(self.peer).await.map_err(Problem::internal)?;
                ask(&mut stream).await?;
                Ok("asked")
            }
            "pooled" => {
                let _permit = self.free.acquire().await.map_err(Problem::internal)?;
                let mut stream = self.pool().pop().expect("one for each permit");
                let asked = ask(&mut stream).await;
                self.pool().push(stream);
                asked?;
                Ok("asked on a pooled connection")
            }
            "actor" => {
                let (answer, answered) = oneshot::channel();
                self.actor.send((7, answer)).await.map_err(Problem::internal)?;
                let number = answered.await.map_err(Problem::internal)?;
                assert_eq!(number, 8);
                Ok("answered by a task")
            }
            "spawned" => {
                let task = tokio::spawn(async {
                    tokio::time::sleep(Duration::from_millis(2)).await;
                    42
                });
                assert_eq!(task.await.map_err(Problem::internal)?, 42);
                Ok("spawned")
            }
            "blocking" => {
                let task = tokio::task::spawn_blocking(|| 42);
                assert_eq!(task.await.map_err(Problem::internal)?, 42);
                Ok("blocked elsewhere")
            }
            "both" => {
                // A connection of its own whose other half is driven by a spawned task, as client libraries do it.
                let stream = TcpStream::connect(self.peer).await.map_err(Problem::internal)?;
                let (mut read, mut write) = stream.into_split();
                let driver = tokio::spawn(async move { write.write_all(b"driven").await.map(|()| write) });
                let mut came = [0; 6];
                read.read_exact(&mut came).await.map_err(Problem::internal)?;
                assert_eq!(&came, b"driven");
                let _write = driver.await.map_err(Problem::internal)?.map_err(Problem::internal)?;
                Ok("driven by a task")
            }
            _ => Err(Problem::not_found()),
        }
    }
}

/// Sends back what comes, on each connection.
async fn echo(listener: TcpListener) {
    while let Ok((mut stream, _)) = listener.accept().await {
        tokio::spawn(async move {
            let (mut read, mut write) = stream.split();
            tokio::io::copy(&mut read, &mut write).await
        });
    }
}

/// Asks the peer, in more than one turn.
async fn ask(stream: &mut TcpStream) -> Result<(), Problem> {
    for turn in 0..3_u8 {
        let question = [turn; 100];
        stream.write_all(&question).await.map_err(Problem::internal)?;
        let mut answer = [0; 100];
        stream.read_exact(&mut answer).await.map_err(Problem::internal)?;
        assert_eq!(answer, question);
    }
    // A handler that polls by hand is polled with a waker like any other.
    poll_fn(|task| {
        task.waker().wake_by_ref();
        std::task::Poll::Ready(())
    })
    .await;
    Ok(())
}
