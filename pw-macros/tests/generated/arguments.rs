//! Written by `TRYBUILD=overwrite cargo test -p pw-macros`: do not edit.

use polywire::codegen::fingerprint;

pub static FINGERPRINTS: [u64; 20] = sorted([
    fingerprint(0x9bac139791ad19cd, concat!(env!("CARGO_CRATE_NAME"), "")),
    fingerprint(0xbe08352834f932db, concat!(env!("CARGO_CRATE_NAME"), "")),
    fingerprint(0x922499e06dc2425e, concat!(env!("CARGO_CRATE_NAME"), "")),
    fingerprint(0xd17f46c146afed7d, concat!(env!("CARGO_CRATE_NAME"), "")),
    fingerprint(0x7e4e123d7a3f1a33, concat!(env!("CARGO_CRATE_NAME"), "")),
    fingerprint(0x3590d13321e41469, concat!(env!("CARGO_CRATE_NAME"), "")),
    fingerprint(0x05647d33d5ac832d, concat!(env!("CARGO_CRATE_NAME"), "")),
    fingerprint(0xac2b64465d9b939b, concat!(env!("CARGO_CRATE_NAME"), "")),
    fingerprint(0x2da729cac82cd867, concat!(env!("CARGO_CRATE_NAME"), "")),
    fingerprint(0x1c82355924a3ad6b, concat!(env!("CARGO_CRATE_NAME"), "")),
    fingerprint(0x8860d380f315afdc, concat!(env!("CARGO_CRATE_NAME"), "")),
    fingerprint(0x9fced715b301f2d8, concat!(env!("CARGO_CRATE_NAME"), "")),
    fingerprint(0x7aee584b8b539aeb, concat!(env!("CARGO_CRATE_NAME"), "")),
    fingerprint(0x153101a8ad789afb, concat!(env!("CARGO_CRATE_NAME"), "")),
    fingerprint(0x976db6af1b8b3caf, concat!(env!("CARGO_CRATE_NAME"), "")),
    fingerprint(0x8f99133f00a2289d, concat!(env!("CARGO_CRATE_NAME"), "")),
    fingerprint(0x9a4ac2afc887a09b, concat!(env!("CARGO_CRATE_NAME"), "")),
    fingerprint(0x91cd4340af8556d3, concat!(env!("CARGO_CRATE_NAME"), "")),
    fingerprint(0xf4a7f244960ebf3c, concat!(env!("CARGO_CRATE_NAME"), "::users::admin")),
    fingerprint(0x04c3b5949607dc6f, concat!(env!("CARGO_CRATE_NAME"), "")),
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
