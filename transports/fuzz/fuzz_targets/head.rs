//! Heads: see `pw_properties::head`.
#![no_main]

use libfuzzer_sys::fuzz_target;
use pw_conformance::draw::Draw;

fuzz_target!(|bytes: &[u8]| pw_properties::head::check(&mut Draw::of(bytes)));
