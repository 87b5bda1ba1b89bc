//! Framing: see `pw_properties::framing`.
#![no_main]

use libfuzzer_sys::fuzz_target;
use pw_conformance::draw::Draw;

fuzz_target!(|bytes: &[u8]| pw_properties::framing::check(&mut Draw::of(bytes)));
