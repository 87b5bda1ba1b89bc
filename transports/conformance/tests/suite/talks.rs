//! What is said in the parity tests: over two thousand conversations, the same every time, of every route and method, every
//! refusal, every form of body and every way to send them. It knows the application, and nothing of what is answered.
//!
//! Most of it is one request and a second one behind it in the same write: whether that is answered tells whether the
//! connection was kept.

use pw_conformance::draw::Draw;
use pw_conformance::request::Request;
use pw_conformance::text::latin1;

use crate::client::{chunk, chunking, get, post};
use crate::conversation::Step;

/// What shows whether the connection goes on.
const LAST: &str = "GET /ping HTTP/1.1\r\nHost: localhost\r\nX-Request-Id: the-last\r\n\r\n";

/// One conversation.
#[derive(Clone)]
pub struct Talk {
    /// What it is called.
    pub name: String,
    /// What the client does.
    pub steps: Vec<Step>,
    /// How many requests it makes, the refused ones included.
    pub requests: usize,
}

impl Talk {
    /// All at once, and a last request behind it.
    pub fn at_once(name: impl Into<String>, bytes: impl Into<Vec<u8>>) -> Self {
        Self::of(name, &[bytes.into()])
    }

    /// Some requests at once, and a last one behind them.
    pub fn of(name: impl Into<String>, requests: &[Vec<u8>]) -> Self {
        Self {
            name: name.into(),
            steps: vec![Step::Send([requests.concat(), LAST.into()].concat())],
            requests: requests.len() + 1,
        }
    }

    /// Step by step.
    pub fn in_steps(name: impl Into<String>, steps: Vec<Step>) -> Self {
        let requests = steps.iter().filter(|step| matches!(step, Step::Send(_))).count();
        Self {
            name: name.into(),
            steps,
            requests,
        }
    }
}

/// What is said in all. It is the same every time.
pub fn all() -> Vec<Talk> {
    [
        routes(),
        statuses(),
        refusals(),
        bodies(),
        expectations(),
        runs(),
        turns(),
        cut_short(),
        lengths(),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// Each route, and paths that are none, with each method, in each way to want the connection kept.
fn routes() -> Vec<Talk> {
    const METHODS: [&str; 9] = [
        "GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH", "QUERY", "BREW",
    ];
    const TARGETS: [&str; 36] = [
        "/",
        "/ping",
        "/users/7",
        "/users/%37",
        "/users/x",
        "/users/18446744073709551616",
        "/users/%ff",
        "/users/",
        "/users//",
        "/search",
        "/search?q=kyrux&page=3",
        "/search?q=a%20b&page=3",
        "/search?page=x",
        "/search?q=%ff",
        "/echo",
        "/small",
        "/ignore",
        "/peek",
        "/twice",
        "/turns",
        "/panic",
        "/page",
        "/late",
        "/fields",
        "/close",
        "/status/404",
        "/bytes/40000",
        "/mirror/a%2Fb?c=d",
        "/seen/a/b%20c?d=%65",
        "/%70ing",
        "/nowhere",
        "/ping/",
        "//",
        "http://elsewhere/ping",
        "http://localhost?q",
        "/seen/http://a",
    ];
    const WAYS: [(&str, &str); 4] = [
        ("HTTP/1.1", ""),
        ("HTTP/1.1", "Connection: close\r\n"),
        ("HTTP/1.0", ""),
        ("HTTP/1.0", "Connection: keep-alive\r\n"),
    ];
    let mut talks = Vec::new();
    for (at, target) in TARGETS.iter().enumerate() {
        for method in METHODS {
            for (version, connection) in WAYS {
                let id = if at % 3 == 0 { "" } else { "X-Request-Id: mine\r\n" };
                let request = format!("{method} {target} {version}\r\nHost: localhost\r\n{id}{connection}\r\n");
                talks.push(Talk::at_once(
                    format!("{method} {target} {version} {}", connection.trim()),
                    request,
                ));
            }
        }
    }
    for method in METHODS {
        talks.push(Talk::at_once(
            format!("{method} *"),
            format!("{method} * HTTP/1.1\r\nHost: a\r\n\r\n"),
        ));
    }
    for method in ["GET", "HEAD"] {
        // 64 MiB, by reference.
        let request = format!("{method} /large HTTP/1.1\r\nHost: a\r\nX-Request-Id: large\r\n\r\n");
        talks.push(Talk::at_once(format!("{method} /large"), request));
    }
    talks
}

/// Answers of every status that changes how they are framed, and of some that have no name.
fn statuses() -> Vec<Talk> {
    let mut talks = Vec::new();
    for status in [
        200, 201, 204, 205, 206, 299, 304, 404, 418, 499, 500, 503, 599, 600, 999, 100, 99,
    ] {
        for method in ["GET", "HEAD"] {
            for version in ["HTTP/1.1", "HTTP/1.0"] {
                let request =
                    format!("{method} /status/{status} {version}\r\nHost: a\r\nConnection: keep-alive\r\n\r\n");
                talks.push(Talk::at_once(format!("{method} /status/{status} {version}"), request));
            }
        }
    }
    talks
}

/// Heads that are refused, or nearly.
pub fn refusals() -> Vec<Talk> {
    let field = |line: &str| format!("GET /seen/a HTTP/1.1\r\nHost: a\r\n{line}\r\n\r\n").into_bytes();
    let mut heads: Vec<Vec<u8>> = [
        "GET / HTTP/1.1\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n",
        "GET / HTTP/1.1\r\nHost:\r\n\r\n",
        "GET / HTTP/1.0\r\n\r\n",
        "GET / HTTP/1.2\r\nHost: a\r\n\r\n",
        "GET / HTTP/2.0\r\nHost: a\r\n\r\n",
        "GET / HTTP/0.9\r\n\r\n",
        "GET / http/1.1\r\nHost: a\r\n\r\n",
        "GET /\r\n\r\n",
        "GET  / HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET / HTTP/1.1 \r\nHost: a\r\n\r\n",
        "GET / HTTP/1.1\nHost: a\n\n",
        "GET / HTTP/1.1\r\nHost: a\r\n b\r\n\r\n",
        "\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n",
        "\nGET / HTTP/1.1\r\nHost: a\r\n\r\n",
        "\r\n\r\n\r\n\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n",
        "CONNECT a:80 HTTP/1.1\r\nHost: a\r\n\r\n",
        "TRACE / HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET ftp://a/ HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET a HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET /a#b HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET /%zz HTTP/1.1\r\nHost: a\r\n\r\n",
        "HEAD / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n",
        "HEAD /\0 HTTP/1.1\r\nHost: a\r\n\r\n",
        "POST /echo HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n",
        "\x16\x03\x01\x02\0\x01\0\x01\u{fc}\x03\x03",
        "SSH-2.0-OpenSSH_9.6\r\n",
    ]
    .map(latin1)
    .into();
    heads.extend(
        [
            "Content-Length: 1, 1",
            "Content-Length: -1",
            "Content-Length: +1",
            "Content-Length: 1 1",
            "Content-Length: 01",
            "Content-Length:",
            "Content-Length: 99999999999999999999",
            "Content-Length: 2000000",
            "Content-Length: 1\r\nContent-Length: 1",
            "Content-Length: 1\r\nTransfer-Encoding: chunked",
            "Transfer-Encoding: gzip",
            "Transfer-Encoding: gzip, chunked",
            "Transfer-Encoding: chunked, gzip",
            "Transfer-Encoding: chunked, chunked",
            "Transfer-Encoding: x chunked",
            "Transfer-Encoding:",
            "Expect: 200-ok",
            "Expect: 100-continue",
            "Connection: close, keep-alive",
            "Connection: upgrade\r\nUpgrade: websocket",
            "X : y",
            "X",
            ": y",
            "X: a\0b",
            "X: a\rb",
            "X:y",
            "X: \t y \t ",
            "X: \u{e9}",
            "x: y\r\nX: z",
        ]
        .map(|line| latin1(&String::from_utf8(field(line)).expect("it was text"))),
    );
    let long = |count: usize| "l".repeat(count);
    heads.extend([
        get(&format!("/{}", long(8191))).into_bytes(),
        get(&format!("/{}", long(8192))).into_bytes(),
        field(&format!("X: {}", long(15_000))),
        field(&format!("X: {}", long(17_000))),
        field(&format!("{}: x", long(17_000))),
        field("X: y\r\n".repeat(99).trim_end()),
        field("X: y\r\n".repeat(120).trim_end()),
        long(20_000).into_bytes(),
    ]);
    let name = |at: usize, head: &[u8]| format!("refusal {at}: {}", head[..head.len().min(60)].escape_ascii());
    let alone = heads
        .iter()
        .enumerate()
        .map(|(at, head)| Talk::at_once(name(at, head), head.clone()));
    let behind = heads.iter().enumerate().map(|(at, head)| {
        let before = [get("/turns").into_bytes(), post("/ignore", b"body"), head.clone()];
        Talk::of(format!("behind two, {}", name(at, head)), &before)
    });
    alone.chain(behind).collect()
}

/// Bodies of every form and about every limit, to handlers that read all, some or nothing of them.
pub fn bodies() -> Vec<Talk> {
    let mut talks = Vec::new();
    for path in [
        "/echo", "/small", "/ignore", "/peek", "/twice", "/panic", "/nowhere", "/ping", "/seen/a", "/upload",
    ] {
        let head = |fields: &str| {
            format!("POST {path} HTTP/1.1\r\nHost: a\r\nX-Request-Id: mine\r\n{fields}\r\n\r\n").into_bytes()
        };
        let chunked = || head("Transfer-Encoding: chunked");
        for size in [0, 1, 10, 11, 1024, 1025, 40_000, 262_144, 262_145, 1_048_576, 1_048_577] {
            let sized = [head(&format!("Content-Length: {size}")), vec![b'b'; size]].concat();
            talks.push(Talk::at_once(format!("POST {path}, a body of {size}"), sized));
            if size > 0 {
                let one = [chunked(), chunk(&vec![b'b'; size]), b"0\r\n\r\n".to_vec()].concat();
                talks.push(Talk::at_once(format!("POST {path}, a chunk of {size}"), one));
            }
        }
        for (name, body) in [
            ("no chunk", "0\r\n\r\n"),
            ("several chunks", "1\r\na\r\n2\r\nbc\r\n0003\r\ndef\r\n0\r\n\r\n"),
            (
                "extensions",
                "1;a\r\na\r\n2;a=b\r\nbc\r\n3;a=\"b\\\"\" ; c\r\ndef\r\n0;last\r\n\r\n",
            ),
            (
                "trailers",
                "3\r\nabc\r\n0\r\nX-A: b\r\nContent-Length: 7\r\nHost: b\r\n\r\n",
            ),
            ("a size that is none", "3\r\nabc\r\nx\r\n"),
            ("an empty size", "\r\n\r\n"),
            ("a size with a sign", "+3\r\nabc\r\n0\r\n\r\n"),
            ("a huge size", "ffffffffffffffff\r\nabc"),
            ("too long a size", "00000000000000003\r\nabc\r\n0\r\n\r\n"),
            ("bare line ends", "3\nabc\n0\n\n"),
            ("data that is too long", "3\r\nabcd\r\n0\r\n\r\n"),
            ("an extension that is none", "3;=\r\nabc\r\n0\r\n\r\n"),
            ("a trailer that is none", "3\r\nabc\r\n0\r\nX A: b\r\n\r\n"),
        ] {
            talks.push(Talk::at_once(
                format!("POST {path}, {name}"),
                [chunked(), body.into()].concat(),
            ));
        }
        for (name, body) in [
            (
                "a long extension",
                [b"1;".to_vec(), vec![b'e'; 17_000], b"\r\na\r\n0\r\n\r\n".to_vec()].concat(),
            ),
            ("tiny chunks", b"1\r\nb\r\n".repeat(8000)),
            (
                "many trailers",
                [b"0\r\n".to_vec(), b"t: 1\r\n".repeat(51), b"\r\n".to_vec()].concat(),
            ),
            (
                "a long trailer",
                [b"0\r\nt: ".to_vec(), vec![b't'; 9000], b"\r\n\r\n".to_vec()].concat(),
            ),
        ] {
            talks.push(Talk::at_once(
                format!("POST {path}, {name}"),
                [chunked(), body].concat(),
            ));
        }
        for connection in ["", "Connection: keep-alive\r\n"] {
            for body in ["", "x", "0123456789ab"] {
                let length = body.len();
                let request = format!("POST {path} HTTP/1.0\r\n{connection}Content-Length: {length}\r\n\r\n{body}");
                talks.push(Talk::at_once(
                    format!("POST {path} HTTP/1.0 {connection:?}, a body of {length}"),
                    request,
                ));
            }
        }
    }
    talks
}

/// `Expect: 100-continue`: the interim answer, its absence, and what follows.
fn expectations() -> Vec<Talk> {
    let mut talks = Vec::new();
    for path in ["/echo", "/ignore", "/peek", "/panic", "/nowhere", "/small", "/upload"] {
        for (framing, body) in [
            ("Content-Length: 2", &b"hi"[..]),
            ("Content-Length: 2000", &[b'b'; 2000]),
            ("Content-Length: 2000000", b""),
            ("Transfer-Encoding: chunked", b"2\r\nhi\r\n0\r\n\r\n"),
            ("Content-Length: 0", b""),
        ] {
            for version in ["HTTP/1.1", "HTTP/1.0"] {
                if version == "HTTP/1.0" && framing.starts_with("Transfer") {
                    continue;
                }
                let head = format!(
                    "POST {path} {version}\r\nHost: a\r\nX-Request-Id: mine\r\nConnection: keep-alive\r\nExpect: 100-continue\r\n{framing}\r\n\r\n"
                );
                let name = format!("POST {path} {version} expecting, {framing}");
                talks.push(Talk::at_once(
                    format!("{name}, at once"),
                    [head.as_bytes(), body].concat(),
                ));
                // Nothing but the answer that there will be in any case, interim or not, is waited for.
                let waits = version == "HTTP/1.1";
                let steps = [Some(Step::Send(head.into())), waits.then_some(Step::Hear("POST"))];
                talks.push(Talk::in_steps(
                    format!("{name}, and no body"),
                    steps.into_iter().flatten().collect(),
                ));
            }
        }
        let head = format!(
            "POST {path} HTTP/1.1\r\nHost: a\r\nX-Request-Id: mine\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n"
        );
        if path == "/echo" || path == "/small" {
            let steps = vec![
                Step::Send(head.into()),
                Step::Hear("POST"),
                Step::Send(b"hi".into()),
                Step::Hear("POST"),
                Step::Send(LAST.into()),
            ];
            talks.push(Talk::in_steps(format!("POST {path} expecting, step by step"), steps));
        }
    }
    talks
}

/// Routes for requests that are drawn. Those that close the connection are not among them: what stands behind them would say nothing.
const DRAWN: [(&str, &str); 12] = [
    ("GET", "/"),
    ("GET", "/users/7"),
    ("GET", "/search"),
    ("POST", "/echo"),
    ("POST", "/ignore"),
    ("POST", "/twice"),
    ("GET", "/turns"),
    ("GET", "/panic"),
    ("GET", "/bytes/20000"),
    ("GET", "/fields"),
    ("PUT", "/seen/x"),
    ("GET", "/nowhere"),
];

/// Pipelined runs of one to twenty requests.
fn runs() -> Vec<Talk> {
    let mut draw = Draw::seeded(20);
    let mut talks = Vec::new();
    for length in (1..=20).cycle().take(100) {
        let requests: Vec<Vec<u8>> = (0..length)
            .map(|at| Request::good(&mut draw, &DRAWN, &format!("run-{at}")).bytes())
            .collect();
        talks.push(Talk::of(
            format!("a run of {length}, number {}", talks.len()),
            &requests,
        ));
    }
    talks
}

/// One request after another on a connection, each when the answer to that before it is there.
fn turns() -> Vec<Talk> {
    let mut talks = Vec::new();
    for (name, more) in [("HTTP/1.1", ""), ("HTTP/1.0", "Connection: keep-alive\r\n")] {
        let mut steps = Vec::new();
        for (method, path) in DRAWN.iter().chain(&DRAWN) {
            let body = if *method == "GET" {
                ""
            } else {
                "Content-Length: 4\r\n\r\nbody"
            };
            let end = if body.is_empty() { "\r\n" } else { body };
            let request = format!("{method} {path} {name}\r\nHost: a\r\nX-Request-Id: turn\r\n{more}{end}");
            // A body that nobody read ends a connection of HTTP/1.0.
            if name == "HTTP/1.0" && *path == "/ignore" {
                continue;
            }
            steps.push(Step::Send(request.into()));
            steps.push(Step::Hear(method));
        }
        talks.push(Talk::in_steps(format!("turns of {name}"), steps));
    }
    for (name, pieces) in [
        (
            "a head in two pieces",
            vec![&get("/users/7")[..20], &get("/users/7")[20..]],
        ),
        ("a preface in two pieces", vec!["PRI * HTTP/2.0\r\n", "\r\nXX\r\n\r\n"]),
        (
            "a body after its head",
            vec![
                "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\n",
                "bo",
                "dy",
            ],
        ),
        (
            "a chunk in pieces",
            vec![
                "POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n",
                "4",
                "\r\nbo",
                "dy\r",
                "\n0\r\n",
                "\r\n",
            ],
        ),
    ] {
        let mut steps = Vec::new();
        for piece in pieces {
            steps.extend([Step::Send(piece.into()), Step::Pause]);
        }
        steps.push(Step::Send(LAST.into()));
        talks.push(Talk::in_steps(name, steps));
    }
    talks
}

/// Clients that shut their side in the middle of something.
fn cut_short() -> Vec<Talk> {
    let whole = [
        get("/users/1").into_bytes(),
        post("/echo", b"body"),
        post("/ignore", b"body"),
        [chunking("/echo"), chunk(b"body"), b"0\r\nX: y\r\n\r\n".to_vec()].concat(),
        [chunking("/ignore"), chunk(b"body"), b"0\r\n\r\n".to_vec()].concat(),
    ];
    // Whether the end comes with it is not for the client to choose: often is enough.
    let above = [get("/fields").into_bytes(), chunking("/small"), b"401\r\n".to_vec()].concat();
    let above = |at| {
        Talk::in_steps(
            format!("a chunk above the route's limit, {at}"),
            vec![Step::Send(above.clone())],
        )
    };
    let mut talks: Vec<Talk> = (0..10).map(above).collect();
    talks.push(Talk::in_steps("nothing", Vec::new()));
    for (at, request) in whole.iter().enumerate() {
        for before in [Vec::new(), get("/users/2").into_bytes()] {
            for end in 1..=request.len() {
                let name = format!("{end} bytes of {at}, {} before it", before.len());
                let bytes = [&before[..], &request[..end]].concat();
                talks.push(Talk::in_steps(name, vec![Step::Send(bytes)]));
            }
        }
    }
    talks
}

/// Answers of every length at which something may change.
fn lengths() -> Vec<Talk> {
    let around = |n: usize| [n - 1, n, n + 1];
    let mut counts = vec![0, 1, 2, 9, 10, 99, 100, 1 << 20];
    counts.extend(
        [1000, 4096, 8192, 16_384, 32_768, 65_536, 131_072, 262_144]
            .into_iter()
            .flat_map(around),
    );
    let mut talks = Vec::new();
    for count in counts {
        for method in ["GET", "HEAD"] {
            let request =
                format!("{method} /bytes/{count} HTTP/1.1\r\nHost: a\r\nX-Request-Id: mine\r\n\r\n").into_bytes();
            talks.push(Talk::of(
                format!("{method} /bytes/{count}, twice"),
                &[request.clone(), request],
            ));
        }
    }
    talks
}
