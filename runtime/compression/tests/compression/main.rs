//! The middleware around handlers, on an exchange of no transport: what is compressed, what its fields say, and what a client reads.

mod content;
mod fields;
mod script;
mod streams;
