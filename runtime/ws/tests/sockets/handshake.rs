//! The opening handshake: what is answered to which head.

use http::StatusCode;
use http::header::{SEC_WEBSOCKET_ACCEPT, SEC_WEBSOCKET_PROTOCOL, SEC_WEBSOCKET_VERSION, UPGRADE};
use pw_core::{Reply, Version};
use pw_ws::{Options, WebSocket};

use crate::support::{Cx, HANDSHAKE, head};

fn shake(options: Options, version: Version, method: &str, fields: &[(&str, &str)]) -> Reply {
    let head = head(version, method, fields);
    let mut cx = Cx::default();
    let outcome = options.accept(&head, &mut cx, crate::support::echo);
    if let Err(problem) = outcome {
        problem.answer(&head, &mut cx.reply);
        assert!(cx.reply.take_upgrade().is_none());
    }
    cx.reply
}

/// The good handshake, with some fields in the place of its own of the same name.
fn with<'a>(fields: &[(&'a str, &'a str)]) -> Vec<(&'a str, &'a str)> {
    let replaced = |name| fields.iter().any(|(other, _)| *other == name);
    let mut all: Vec<_> = HANDSHAKE.into_iter().filter(|(name, _)| !replaced(*name)).collect();
    all.extend(fields.iter().filter(|(_, value)| *value != "-"));
    all
}

fn status(fields: &[(&str, &str)]) -> u16 {
    shake(WebSocket::options(), Version::Http11, "GET", &with(fields))
        .status()
        .as_u16()
}

#[test]
fn a_good_handshake_is_accepted() {
    let reply = shake(WebSocket::options(), Version::Http11, "GET", &HANDSHAKE);
    assert_eq!(reply.status(), StatusCode::SWITCHING_PROTOCOLS);
    assert_eq!(reply.field(&UPGRADE), Some(&b"websocket"[..]));
    assert_eq!(
        reply.field(&SEC_WEBSOCKET_ACCEPT),
        Some(&b"s3pPLMBiTxaQ9kYGzzhZRbK+xOo="[..])
    );
    assert_eq!(reply.fields().count(), 2, "nothing that was not asked for");
}

#[test]
fn what_is_no_handshake_is_told_what_would_be() {
    for (fields, expected) in [
        (&[("upgrade", "foo/1, WebSocket")][..], 101),
        (&[("connection", "keep-alive, upgrade")], 101),
        (&[("upgrade", "-")], 426),
        (&[("connection", "-")], 426),
        (&[("connection", "close")], 426),
        (&[("upgrade", "xwebsocketx")], 426),
        (&[("upgrade", "websocket/13")], 426),
        (&[("sec-websocket-version", "-")], 426),
        (&[("sec-websocket-version", "12")], 426),
        (&[("sec-websocket-version", "13x")], 426),
        (&[("sec-websocket-version", "13, 8")], 426),
        (&[("sec-websocket-version", "13"), ("sec-websocket-version", "12")], 426),
        (&[("sec-websocket-key", "-")], 400),
        (&[("sec-websocket-key", "")], 400),
        (&[("sec-websocket-key", "YWJj")], 400),
        (&[("sec-websocket-key", "!!!!!!!!!!!!!!!!!!!!!!==")], 400),
        (
            &[
                ("sec-websocket-key", HANDSHAKE[3].1),
                ("sec-websocket-key", "AAAAAAAAAAAAAAAAAAAAAA=="),
            ],
            400,
        ),
        (&[("sec-websocket-extensions", ";;,=\"")], 101),
        (
            &[(
                "sec-websocket-extensions",
                "permessage-deflate; server_max_window_bits=99",
            )],
            101,
        ),
    ] {
        assert_eq!(status(fields), expected, "{fields:?}");
    }
    for method in ["HEAD", "POST"] {
        assert_eq!(
            shake(WebSocket::options(), Version::Http11, method, &HANDSHAKE).status(),
            400,
            "{method}"
        );
    }
    assert_eq!(
        shake(WebSocket::options(), Version::Http10, "GET", &HANDSHAKE).status(),
        426
    );

    let reply = shake(
        WebSocket::options(),
        Version::Http11,
        "GET",
        &with(&[("sec-websocket-version", "8")]),
    );
    assert_eq!(reply.field(&UPGRADE), Some(&b"websocket"[..]));
    assert_eq!(reply.field(&SEC_WEBSOCKET_VERSION), Some(&b"13"[..]));
}

#[test]
fn pages_of_other_origins_are_refused() {
    let listed = || WebSocket::options().origins(["https://app.example"]);
    for (options, origins, expected) in [
        (WebSocket::options(), &["http://localhost:8080"][..], 101),
        (WebSocket::options(), &["https://LOCALHOST:8080"], 101),
        (WebSocket::options(), &["http://localhost"], 403),
        (WebSocket::options(), &["http://evil.test"], 403),
        (WebSocket::options(), &["null"], 403),
        (WebSocket::options(), &[""], 403),
        (
            WebSocket::options(),
            &["http://localhost:8080", "http://localhost:8080"],
            403,
        ),
        (listed(), &["https://app.example"], 101),
        (listed(), &["https://app.example:443"], 101),
        (listed(), &["http://localhost:8080"], 101),
        (listed(), &["http://app.example"], 403),
        (listed(), &["https://app.example.evil.test"], 403),
        (WebSocket::options().any_origin(), &["null"], 101),
        (WebSocket::options().any_origin(), &["http://evil.test"], 101),
    ] {
        let mut fields = HANDSHAKE.to_vec();
        fields.extend(origins.iter().map(|origin| ("origin", *origin)));
        let reply = shake(options, Version::Http11, "GET", &fields);
        assert_eq!(reply.status().as_u16(), expected, "{origins:?}");
    }
}

#[test]
#[should_panic(expected = "`app.example` is no origin")]
fn an_origin_has_a_scheme() {
    let _ = WebSocket::options().origins(["app.example"]);
}

#[test]
fn the_best_protocol_in_common_is_chosen() {
    for (ours, offered, chosen) in [
        (&["v2", "v1"][..], &["v1, v2"][..], Some("v2")),
        (&["v2", "v1"], &["v1", "v2"], Some("v2")),
        (&["v2", "v1"], &["v0,v1"], Some("v1")),
        (&["v2"], &["v1"], None),
        (&["v2"], &["V2"], None),
        (&["v2"], &[], None),
        (&[], &["aa, bb"], None),
    ] {
        let mut fields = HANDSHAKE.to_vec();
        fields.extend(offered.iter().map(|list| ("sec-websocket-protocol", *list)));
        let options = WebSocket::options().protocols(ours.iter().copied());
        let reply = shake(options, Version::Http11, "GET", &fields);
        assert_eq!(
            reply.field(&SEC_WEBSOCKET_PROTOCOL),
            chosen.map(str::as_bytes),
            "{ours:?} {offered:?}"
        );
    }
}

#[test]
fn http2_has_neither_key_nor_upgrade() {
    let fields = [
        ("upgrade", "websocket"),
        ("sec-websocket-version", "13"),
        ("sec-websocket-protocol", "v1"),
    ];
    let reply = shake(WebSocket::options().protocols(["v1"]), Version::Http2, "GET", &fields);
    assert_eq!(
        reply.status(),
        StatusCode::SWITCHING_PROTOCOLS,
        "which HTTP/2 says as 200"
    );
    let fields: Vec<_> = reply.fields().collect();
    assert_eq!(fields, [("sec-websocket-protocol", &b"v1"[..])]);

    let reply = shake(WebSocket::options(), Version::Http2, "GET", &[("upgrade", "websocket")]);
    assert_eq!(reply.status(), StatusCode::BAD_REQUEST);
    assert_eq!(reply.field(&UPGRADE), None);
}
