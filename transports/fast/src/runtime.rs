//! The runtime of a thread: a worker's, or that of what accepts for the workers.

use std::future::Future;
use std::io;
use std::pin::{Pin, pin};

use tokio::runtime::{Builder, LocalOptions, LocalRuntime};

/// Runs `main` to its end, with a runtime of this thread's own that ends then. It must be called outside of any other.
///
/// Our own tasks are spawned on what `main` is given. `tokio::spawn` names tokio's runtime of several threads as well: a build that
/// has it for hyper would carry it here.
///
/// # Errors
/// The operating system's: the runtime's event queue can't be made.
pub fn run<T>(main: impl AsyncFnOnce(&LocalRuntime) -> T) -> io::Result<T> {
    let runtime = begin()?;
    let mut outcome = None;
    drive(&runtime, pin!(async { outcome = Some(main(&runtime).await) }));
    // A blocking task of the application's must not hold the thread.
    runtime.shutdown_background();
    Ok(outcome.expect("it has run to its end"))
}

// Both are in a binary once, for whatever is run: a runtime's loop alone is 4 kB.

fn begin() -> io::Result<LocalRuntime> {
    Builder::new_current_thread()
        .enable_all()
        .build_local(LocalOptions::default())
}

#[inline(never)]
fn drive(runtime: &LocalRuntime, main: Pin<&mut dyn Future<Output = ()>>) {
    runtime.block_on(main);
}
