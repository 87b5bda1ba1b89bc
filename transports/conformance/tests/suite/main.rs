//! Every transport over real sockets: the corpus, limits, timeouts, pipelining, refusals, HTTP/2, shutdown, descriptors, and all of them
//! side by side.
//!
//! The [`application`] is the probe's routes and a few that pause, panic and answer at length; [`transport`] starts it on a
//! transport; [`client`], [`frames`] and [`conversation`] are what talks to it. Tests are functions of a [`transport::Transport`], which
//! [`on_every_transport`] makes into one `#[test]` for each.

#![expect(unreachable_pub, reason = "a test binary has no outside")]

/// Makes each named function of a [`Transport`](transport::Transport) a test on every transport. A further transport is one more line
/// here.
macro_rules! on_every_transport {
    ($($name:ident,)+) => {$(
        mod $name {
            use crate::transport::Transport;

            #[test]
            fn hyper() {
                super::$name(Transport::Hyper);
            }

            #[test]
            fn fast() {
                super::$name(Transport::Fast);
            }
        }
    )+};
}

/// As `on_every_transport`, for those that speak HTTP/2.
macro_rules! on_http2_transports {
    ($($name:ident,)+) => {$(
        mod $name {
            use crate::transport::Transport;

            #[test]
            fn hyper() {
                super::$name(Transport::Hyper);
            }
        }
    )+};
}

/// As `on_every_transport`, for those that speak HTTP/1.1 alone.
macro_rules! on_http1_transports {
    ($($name:ident,)+) => {$(
        mod $name {
            use crate::transport::Transport;

            #[test]
            fn fast() {
                super::$name(Transport::Fast);
            }
        }
    )+};
}

mod application;
mod awaits;
mod client;
mod conversation;
mod corpus;
mod descriptors;
mod differential;
mod flow;
mod frames;
mod handlers;
mod http2;
mod http2_hostile;
mod http2_streams;
mod isolation;
mod lasting;
mod lasting_talks;
mod limits;
mod operator;
mod parity;
mod pipelining;
mod refusals;
mod shape;
mod shutdown;
mod strange;
mod streams;
mod talks;
mod tenants;
mod timeouts;
mod transport;
mod world;
