//! Answers of streams, as a transport sees them: fields, pieces, ends. On a clock that the tests move.

mod broadcast;
mod events;
mod script;
mod shutdown;
mod typed;
