//! Each property over seeds, so that it is checked wherever tests run. A fuzzer, which looks at what the code does, finds more:
//! `transports/fuzz`.
//!
//! `POLYWIRE_SEED=1000000 POLYWIRE_CASES=1000000` asks for other seeds, and for more of them.

use pw_conformance::draw::Draw;
use pw_properties::{answer, chunked, connection, framing, head, socket};

fn run(cases: u64, check: fn(&mut Draw<'_>)) {
    let asked = |name: &str| {
        std::env::var(name)
            .ok()
            .map(|text| text.parse::<u64>().expect("a number"))
    };
    let first = asked("POLYWIRE_SEED").unwrap_or(0);
    for seed in first..first + asked("POLYWIRE_CASES").unwrap_or(cases) {
        // A failed test shows what was printed.
        let told = std::panic::catch_unwind(|| check(&mut Draw::seeded(seed)));
        if let Err(why) = told {
            eprintln!("that was seed {seed}");
            std::panic::resume_unwind(why);
        }
    }
}

#[test]
fn heads() {
    run(5000, head::check);
}

#[test]
fn framings() {
    run(20_000, framing::check);
}

#[test]
fn chunked_bodies() {
    run(10_000, chunked::check);
}

#[test]
fn answers() {
    run(20_000, answer::check);
}

#[test]
fn connections() {
    run(1000, connection::check);
    // Answers that stopped when the client took them in parts, with the rest of the requests there already.
    connection::check(&mut Draw::seeded(14_791));
}

#[test]
fn sockets() {
    run(5000, socket::check);
}

/// What a fuzzer stumbled over once. All were mistakes of the check: it took an answer for that to another method.
#[test]
fn connections_found_by_a_fuzzer() {
    for bytes in [
        &b"\x03\xff\xff\xff\xff%z\x0b\x032\xff\x0b\x0b2\xdc\xb3\xb3\xb3\xb3\xb3\xb3\xb3\xb3\xdc"[..],
        b"H444444\x98\x98\x9824+r4equest-&e\x08",
        b"..\x01..\x01\xebzIzI\x00\xff\xff\xff\xeb\x94zz\x00\x00\xeez\x00\x00\x00\x00\x00\x00zz??\x00\x00\x00\x00\x00\x00\x00\x00?????zIPwzzII../$\x00",
    ] {
        connection::check(&mut Draw::of(bytes));
    }
}
