//! Connections on every transport: see `pw_properties::connection`.
#![no_main]

use libfuzzer_sys::fuzz_target;
use pw_conformance::draw::Draw;

fuzz_target!(|bytes: &[u8]| pw_properties::connection::check(&mut Draw::of(bytes)));
