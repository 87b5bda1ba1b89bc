//! Bytes in, fewer bytes out, in steps.

use std::io::{self, Write};

use brotli::CompressorWriter;
use flate2::Compression as Level;
use flate2::write::GzEncoder;

use crate::Coding;

/// How much is compressed before others have their turn: well under a millisecond.
pub(crate) const STEP: usize = 32 * 1024;

/// For speed: 6 is a few hundredths smaller, and takes twice as long.
const GZIP_LEVEL: u32 = 2;

/// For speed: 5 is a tenth smaller, and takes three times as long.
const BR_QUALITY: u32 = 2;

/// How far back matches are looked for, as a power of two: what an open stream costs of memory. It is more than `gzip` can.
const WINDOW: u32 = 18;

/// The library's own choice, which is fast.
#[cfg(feature = "zstd")]
const ZSTD_LEVEL: i32 = 3;

/// For content that may go on for long: an eighth of the memory to begin with.
#[cfg(feature = "zstd")]
const ZSTD_STREAM_LEVEL: i32 = 1;

/// A coding at work. Boxed: it is large, and a chain's future holds one.
pub(crate) enum Encoder {
    #[cfg(feature = "zstd")]
    Zstd(Box<zstd::stream::write::Encoder<'static, Vec<u8>>>),
    Br(Box<CompressorWriter<Vec<u8>>>),
    Gzip(Box<GzEncoder<Vec<u8>>>),
}

impl Encoder {
    /// For content of this length, or of any.
    pub(crate) fn new(coding: Coding, length: Option<u64>) -> io::Result<Self> {
        // What is short needs no window longer than itself.
        let window = length.map_or(WINDOW, |length| (u64::BITS - length.leading_zeros()).clamp(10, WINDOW));
        Ok(match coding {
            #[cfg(feature = "zstd")]
            Coding::Zstd => {
                let level = length.map_or(ZSTD_STREAM_LEVEL, |_| ZSTD_LEVEL);
                let mut encoder = Box::new(zstd::stream::write::Encoder::new(Vec::new(), level)?);
                encoder.window_log(window)?;
                encoder.set_pledged_src_size(length)?;
                Self::Zstd(encoder)
            }
            Coding::Br => Self::Br(Box::new(CompressorWriter::new(Vec::new(), 4096, BR_QUALITY, window))),
            Coding::Gzip => Self::Gzip(Box::new(GzEncoder::new(Vec::new(), Level::new(GZIP_LEVEL)))),
        })
    }

    /// Takes some more. What has come of it so far is in the output; the rest is kept.
    pub(crate) fn write(&mut self, content: &[u8]) -> io::Result<()> {
        self.writer().write_all(content)
    }

    /// Brings what was taken into the output, so that a client can read all of it.
    pub(crate) fn flush(&mut self) -> io::Result<()> {
        self.writer().flush()
    }

    /// What has come of it, and was not taken yet.
    pub(crate) fn output(&mut self) -> &mut Vec<u8> {
        match self {
            #[cfg(feature = "zstd")]
            Self::Zstd(encoder) => encoder.get_mut(),
            Self::Br(encoder) => encoder.get_mut(),
            Self::Gzip(encoder) => encoder.get_mut(),
        }
    }

    /// Ends it, and gives what was not taken yet.
    pub(crate) fn finish(self) -> io::Result<Vec<u8>> {
        match self {
            #[cfg(feature = "zstd")]
            Self::Zstd(encoder) => encoder.finish(),
            Self::Br(encoder) => Ok(encoder.into_inner()),
            Self::Gzip(encoder) => encoder.finish(),
        }
    }

    fn writer(&mut self) -> &mut dyn Write {
        match self {
            #[cfg(feature = "zstd")]
            Self::Zstd(encoder) => encoder,
            Self::Br(encoder) => encoder,
            Self::Gzip(encoder) => encoder,
        }
    }
}

/// Compresses what is in memory, and lets others have their turn in between.
pub(crate) async fn compress(coding: Coding, content: &[u8]) -> io::Result<Vec<u8>> {
    let mut encoder = Encoder::new(coding, Some(content.len() as u64))?;
    for (at, step) in content.chunks(STEP).enumerate() {
        if at > 0 {
            tokio::task::yield_now().await;
        }
        encoder.write(step)?;
    }
    encoder.finish()
}
