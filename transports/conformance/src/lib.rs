//! One suite for every transport: HTTP/1.1 as raw bytes over real sockets.
//!
//! [`case`] is the corpus, [`exchange`] sends one case and reads what comes back, [`judge`] compares the two, and [`run`] does that for many cases
//! at once; the `conformance` program is [`run`] on the command line. [`request`] makes requests at random, [`mutation`] spoils
//! them, and [`draw`] is where both have their choices from. Nothing here knows a transport or any crate of Polywire: what it talks
//! to is a port. The format of a case is in the README beside this crate's manifest; the tests of each transport are in `tests/`.

pub mod case;
pub mod draw;
pub mod exchange;
pub mod glob;
pub mod judge;
pub mod mutation;
pub mod pattern;
pub mod python;
pub mod request;
pub mod response;
pub mod run;
pub mod text;
pub mod websocket;
