//! Streams of values as answers: one handler, and the client's `Accept` says whether they leave as server-sent events, as NDJSON or
//! as a JSON array.
//!
//! [`Typed`] is where to start; [`Events`] where a handler makes its events itself, and [`Broadcast`] where one source feeds many
//! clients. It knows the contracts of `pw-core` and no transport: what becomes of a broken stream, a client that is slow or one that
//! has gone is the transport's.

mod accept;
mod broadcast;
mod encode;
mod event;
mod events;
mod feed;
mod format;
mod heartbeat;
mod last_event_id;
mod piece;
mod prepared;
mod typed;

pub use broadcast::{Broadcast, Lagged, Listener};
pub use event::{Event, Rendered};
pub use events::{EventItem, Events};
pub use format::{Format, NOT_ACCEPTABLE};
pub use heartbeat::HEARTBEAT;
pub use last_event_id::LastEventId;
pub use prepared::Prepared;
pub use typed::{TryTyped, Typed};
