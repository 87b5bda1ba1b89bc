//! What runs beside a test: the runtime its application is built on, and the log of all its threads.
//!
//! It must not know what is served, or by which transport.

use std::io;
use std::thread;

use tokio::runtime::{Handle, Runtime};
use tokio::sync::oneshot;
use tracing::Dispatch;
use tracing::subscriber::NoSubscriber;

/// A runtime on a thread of its own, driven until this is dropped: not every runtime has threads that drive it.
pub(super) struct Background {
    runtime: Handle,
    _end: oneshot::Sender<()>,
}

impl Background {
    /// Drives the runtime from now on, on a thread that has this log.
    ///
    /// # Errors
    /// The operating system's: there is no thread.
    pub(super) fn start(runtime: Runtime, log: Log) -> io::Result<Self> {
        let handle = runtime.handle().clone();
        let (end, ended) = oneshot::channel();
        thread::Builder::new().name("polywire-test".to_owned()).spawn(move || {
            log.set();
            // Nothing is ever sent: the other half goes.
            let _ = runtime.block_on(ended);
            runtime.shutdown_background();
        })?;
        Ok(Self {
            runtime: handle,
            _end: end,
        })
    }

    pub(super) fn runtime(&self) -> &Handle {
        &self.runtime
    }
}

/// The log of a test: the default one, unless the test has a subscriber of its own.
#[derive(Clone)]
pub(super) struct Log(Option<Dispatch>);

impl Log {
    /// For a test on this thread.
    pub(super) fn new() -> Self {
        let unheard = tracing::dispatcher::get_default(|current| current.is::<NoSubscriber>());
        Self(unheard.then(crate::log::for_tests))
    }

    /// Makes it this thread's.
    pub(super) fn set(&self) {
        if let Some(log) = &self.0 {
            // For as long as the thread lives.
            std::mem::forget(tracing::dispatcher::set_default(log));
        }
    }
}
