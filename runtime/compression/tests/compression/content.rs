//! What a client reads: all of it, whatever it is and wherever it was.

use std::sync::Arc;

use bytes::Bytes;
use http::header::CONTENT_TYPE;
use proptest::prelude::*;
use pw_compression::{Coding, Compression};
use pw_core::{Content, FieldValue, FilePart, OpenFile, Reply};

use crate::script::{content, decode, field, get, piece, prose, text};

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread()
        .build()
        .expect("a runtime without drivers")
}

#[tokio::test]
async fn lengths_around_every_bound() {
    let (step, at_once) = (32 * 1024, 256 * 1024);
    for &coding in Coding::ALL {
        for length in [
            1024,
            step - 1,
            step,
            step + 1,
            2 * step,
            at_once - 1,
            at_once,
            at_once + 1,
            1_000_000,
        ] {
            let mut reply = get(coding.name(), Compression::new(), text(prose(length))).await;
            assert_eq!(field(&reply, "content-encoding"), Some(coding.name()));
            assert_eq!(reply.length().is_some(), length <= at_once, "{length}");
            let compressed = content(&mut reply).await;
            assert!(
                compressed.len() < length / 2,
                "{coding:?}: {length} to {}",
                compressed.len()
            );
            assert!(decode(coding, &compressed) == prose(length), "{coding:?}: {length}");
        }
    }
}

#[tokio::test]
async fn what_was_made_in_the_buffer() {
    for &coding in Coding::ALL {
        let mut reply = get(coding.name(), Compression::new(), |reply| {
            reply.insert(CONTENT_TYPE, FieldValue::from_static("application/json"));
            reply.buffer().extend_from_slice(&prose(3000));
        })
        .await;
        assert_eq!(decode(coding, &content(&mut reply).await), prose(3000));
    }
}

#[tokio::test]
async fn long_content_lets_others_have_their_turn() {
    for length in [200 * 1024, 2_000_000] {
        let answer = tokio::spawn(async move {
            let mut reply = get("gzip", Compression::new(), text(prose(length))).await;
            content(&mut reply).await.len()
        });
        let mut turns = 0;
        while !answer.is_finished() {
            turns += 1;
            tokio::task::yield_now().await;
        }
        assert!(turns >= length / (32 * 1024), "{turns} turns for {length} bytes");
        assert!(answer.await.unwrap() > 0);
    }
}

#[tokio::test]
async fn files_and_parts_of_them() {
    let path = std::env::temp_dir().join(format!("pw-compression-{}", std::process::id()));
    std::fs::write(&path, prose(300_000)).unwrap();
    let file = Arc::new(OpenFile::new(std::fs::File::open(&path).unwrap()).unwrap());
    let answer = |part: FilePart| {
        |reply: &mut Reply| {
            reply.insert(CONTENT_TYPE, FieldValue::from_static("text/css"));
            reply.set_file(part);
        }
    };
    for &coding in Coding::ALL {
        let whole = answer(FilePart::whole(Arc::clone(&file)));
        let mut reply = get(coding.name(), Compression::new(), whole).await;
        assert!(decode(coding, &content(&mut reply).await) == prose(300_000));
        let part = answer(FilePart::new(Arc::clone(&file), 70_000, 5000));
        let mut reply = get(coding.name(), Compression::new(), part).await;
        assert_eq!(decode(coding, &content(&mut reply).await), prose(75_000)[70_000..]);
    }
    let mut reply = get("gzip", Compression::new(), answer(FilePart::whole(file))).await;
    let Content::Stream(mut stream) = reply.take() else {
        panic!("it is compressed while it is sent")
    };
    std::fs::write(&path, prose(100_000)).unwrap();
    let mut last = None;
    while let Some(piece) = piece(&mut stream).await {
        last = Some(piece);
    }
    assert!(last.is_some_and(|piece| piece.is_err()), "it has changed");
    std::fs::remove_file(&path).unwrap();
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn any_bytes_in_any_pieces_come_back(
        pieces in proptest::collection::vec((any::<u8>(), 0usize..50_000, any::<bool>()), 0..12), at in 0..Coding::ALL.len(),
    ) {
        let coding = Coding::ALL[at];
        let mut all = Vec::new();
        let mut steps = std::collections::VecDeque::new();
        for (seed, length, pends) in pieces {
            let noise = |n: usize| (n.wrapping_mul(usize::from(seed) | 1).wrapping_mul(0x9e37_79b9) >> 13) as u8;
            let piece: Vec<u8> = (0..length).map(noise).collect();
            all.extend_from_slice(&piece);
            steps.push_back((Bytes::from(piece), pends));
        }
        let stream = crate::streams::Pieces::new(steps);
        let decoded = runtime().block_on(async {
            let mut reply = get(coding.name(), Compression::new(), stream.answer("text/plain")).await;
            decode(coding, &content(&mut reply).await)
        });
        prop_assert!(decoded == all);
    }
}
