//! How long clients still have once a server is going down, so that none loses a request it had every right to send.

use std::time::Duration;

/// How long a new connection has for its first byte when the server is going down: bytes that came before the signal may not
/// have been noticed yet, and the client would lose its request.
pub const FRESH: Duration = Duration::from_millis(100);

/// How long a client has from an answer to its next request when the server is going down: what a busy client has on its way
/// then would be lost, as nothing told it that no more is taken. The next answer does.
pub const AFTERMATH: Duration = Duration::from_millis(100);
