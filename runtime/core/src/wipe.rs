//! Emptying what is kept for the next request.

/// What is left of the last request in debug builds: what is read after its time shows at once.
const POISON: u8 = b'~';

/// Empties a buffer that stays. In debug builds what was in it is gone, too.
pub(crate) fn wipe(buffer: &mut Vec<u8>) {
    if cfg!(debug_assertions) {
        buffer.fill(POISON);
    }
    buffer.clear();
}
