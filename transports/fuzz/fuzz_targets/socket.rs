//! A WebSocket's frames: see `pw_properties::socket`.
#![no_main]

use libfuzzer_sys::fuzz_target;
use pw_conformance::draw::Draw;

fuzz_target!(|bytes: &[u8]| pw_properties::socket::check(&mut Draw::of(bytes)));
