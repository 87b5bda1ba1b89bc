//! A server that parses nothing: `floor PORT`. What it costs is what the kernel and the runtime cost, so that it is the
//! least any HTTP server on this runtime could need.
//!
//! It counts the empty lines that end a head and writes as many copies of one answer, the bytes of the probe's to
//! `/users/42`. So it is right only for requests of that target without a body, over connections that the client keeps and
//! ends. Its threads are those of Polywire's fast transport, each with a current-thread runtime, and as there one acceptor
//! hands the connections to them, here in turn.

use std::future::pending;
use std::io;
use std::net::{Ipv4Addr, TcpListener};
use std::process::ExitCode;
use std::sync::LazyLock;
use std::thread;

use memchr::memmem::Finder;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::runtime::{Builder, Handle};

const ANSWER: &[u8] = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\
    x-request-id: 0123456789abcdef0123456789abcdef\r\ncontent-length: 22\r\ndate: Thu, 01 Jan 1970 00:00:00 GMT\r\n\r\n\
    {\"id\":42,\"name\":\"ann\"}";

/// As many as leave in one write.
static ANSWERS: LazyLock<Vec<u8>> = LazyLock::new(|| ANSWER.repeat(64));

const END: &[u8] = b"\r\n\r\n";

fn main() -> ExitCode {
    let Some(Ok(port)) = std::env::args().nth(1).map(|port| port.parse()) else {
        eprintln!("usage: floor PORT");
        return ExitCode::FAILURE;
    };
    match listen(port) {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("floor: port {port}: {why}");
            ExitCode::FAILURE
        }
    }
}

fn listen(port: u16) -> io::Result<()> {
    let cores = thread::available_parallelism()?.get();
    let workers: Vec<_> = (0..cores).map(|_| start_worker()).collect::<io::Result<_>>()?;
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))?;
    for (stream, worker) in listener.incoming().zip(workers.iter().cycle()) {
        let stream = stream?;
        stream.set_nodelay(true)?;
        stream.set_nonblocking(true)?;
        worker.spawn(async {
            // A client that breaks off is nobody's news.
            let _ = serve(TcpStream::from_std(stream)?).await;
            io::Result::Ok(())
        });
    }
    Ok(())
}

fn start_worker() -> io::Result<Handle> {
    let runtime = Builder::new_current_thread().enable_io().build()?;
    let handle = runtime.handle().clone();
    thread::spawn(move || runtime.block_on(pending::<()>()));
    Ok(handle)
}

async fn serve(mut stream: TcpStream) -> io::Result<()> {
    let (ends, answers) = (Finder::new(END), ANSWERS.as_slice());
    let mut buffer = [0; 4096];
    let mut kept = 0;
    loop {
        let filled = match stream.read(&mut buffer[kept..]).await? {
            0 => return Ok(()),
            read => kept + read,
        };
        let (mut requests, mut rest) = (0, 0);
        for at in ends.find_iter(&buffer[..filled]) {
            (requests, rest) = (requests + 1, at + END.len());
        }
        // An end may come in parts.
        let keep = rest.max(filled.saturating_sub(END.len() - 1));
        buffer.copy_within(keep..filled, 0);
        kept = filled - keep;
        let mut owed = requests * ANSWER.len();
        while owed > 0 {
            let part = owed.min(answers.len());
            stream.write_all(&answers[..part]).await?;
            owed -= part;
        }
    }
}
