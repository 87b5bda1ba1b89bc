//! Written by `TRYBUILD=overwrite cargo test -p pw-macros`: do not edit.

use polywire::codegen::fingerprint;

pub static FINGERPRINTS: [u64; 1] = sorted([
    fingerprint(0x286fb3052b573cfa, concat!(env!("CARGO_CRATE_NAME"), "")),
]);

const fn sorted<const N: usize>(mut table: [u64; N]) -> [u64; N] {
    let mut i = 1;
    while i < N {
        let mut j = i;
        while j > 0 && table[j - 1] > table[j] {
            (table[j - 1], table[j]) = (table[j], table[j - 1]);
            j -= 1;
        }
        i += 1;
    }
    table
}
