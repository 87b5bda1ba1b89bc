//! Chunked bodies: see `pw_properties::chunked`.
#![no_main]

use libfuzzer_sys::fuzz_target;
use pw_conformance::draw::Draw;

fuzz_target!(|bytes: &[u8]| pw_properties::chunked::check(&mut Draw::of(bytes)));
