//! Requests against an application without a socket, through the transport code that ships.
//!
//! ```no_run
//! # mod generated { pub use polywire::testing::Nothing as Routes; }
//! use polywire::testing::{TestApp, json};
//!
//! #[test]
//! fn users_are_shown() {
//!     let app = TestApp::new(generated::Routes::new());
//!     app.get("/users/7").send().assert_status(200).assert_json(json!({"id": 7, "name": "ann"}));
//! }
//! ```
//!
//! A test needs no runtime and no dependency: [`TestApp`] serves on threads of its own, and [`send`](Request::send)
//! waits. In an async test the request is awaited instead: `app.get("/").await`. Every connection is a pipe in memory
//! that a real connection task of the transport serves, HTTP/1.1 bytes and all, under the real limits and timeouts.
//!
//! What never ends is read piece by piece or event by event ([`send_stream`](Request::send_stream)), and a WebSocket is opened with
//! `app.socket("/talk")`. [`TestApp::stop`] is the signal at which a server goes down.

use std::net::{Ipv4Addr, SocketAddr, SocketAddrV4};
use std::sync::Arc;

use tokio::io::DuplexStream;

use crate::transport::{Application, Config, Service};

mod answer;
mod app;
mod background;
#[cfg(any(feature = "transport-fast", feature = "transport-hyper"))]
mod nothing;
mod request;
#[cfg(feature = "ws")]
mod socket;
mod stream;
mod wire;

pub use answer::Answer;
pub use app::TestApp;
#[cfg(any(feature = "transport-fast", feature = "transport-hyper"))]
#[doc(hidden)]
pub use nothing::Nothing;
pub use request::Request;
pub use serde_json::{Value, json};
#[cfg(feature = "ws")]
pub use socket::Socket;
pub use stream::{Broken, Event, StreamAnswer};

/// What the application sees as the other end of a pipe.
const PEER: SocketAddr = SocketAddr::V4(SocketAddrV4::new(Ipv4Addr::LOCALHOST, 49152));

/// Serves one connection with the default limits and timeouts, on the caller's own runtime: the lowest level, for
/// counting what a request costs. It needs a tokio runtime with timers, and ends with the connection.
///
/// Not on every transport is it `Send`: `spawn_local` on a [`LocalRuntime`](tokio::runtime::LocalRuntime) takes it on each.
pub fn serve<R: Application>(io: DuplexStream, routes: Arc<R>) -> impl Future<Output = ()> {
    Service::new(routes, Config::default()).connection(io, PEER)
}
