//! What leaves next: one item, or several that were ready together.

use bytes::Bytes;

/// Bytes that are gathered. An item that was rendered before and comes alone is passed on as it is, so that all clients send the same
/// bytes from the same place.
#[derive(Debug, Default)]
pub(crate) struct Piece {
    /// In front of the buffer, which is empty beside it.
    shared: Bytes,
    buffer: Vec<u8>,
}

impl Piece {
    pub(crate) fn len(&self) -> usize {
        self.shared.len() + self.buffer.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The buffer, to append to.
    pub(crate) fn buffer(&mut self) -> &mut Vec<u8> {
        if !self.shared.is_empty() {
            self.buffer.extend_from_slice(&std::mem::take(&mut self.shared));
        }
        &mut self.buffer
    }

    /// Appends what is held by others, too.
    pub(crate) fn push(&mut self, bytes: Bytes) {
        match self.is_empty() {
            true => self.shared = bytes,
            false => self.buffer().extend_from_slice(&bytes),
        }
    }

    /// Takes all of it. No buffer is kept: a client that waits for the next item holds none.
    pub(crate) fn take(&mut self) -> Bytes {
        match self.shared.is_empty() {
            true => std::mem::take(&mut self.buffer).into(),
            false => std::mem::take(&mut self.shared),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_that_come_alone_are_not_copied() {
        let shared = Bytes::from(vec![7; 100]);
        let mut piece = Piece::default();
        piece.push(shared.clone());
        assert_eq!(piece.take().as_ptr(), shared.as_ptr());
        assert!(piece.is_empty());
    }

    #[test]
    fn order_is_kept() {
        let mut piece = Piece::default();
        piece.push(Bytes::from_static(b"a"));
        piece.buffer().push(b'b');
        piece.push(Bytes::from_static(b"c"));
        assert_eq!(piece.len(), 3);
        assert_eq!(piece.take(), "abc");
    }
}
