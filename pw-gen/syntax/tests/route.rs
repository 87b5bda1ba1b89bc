//! Routes out of source text, as the generator sees them.

use std::time::Duration;

use pw_syntax::{ArgumentKind, Message, PathShape, RawRoute, Route, Segment, fingerprint_in};
use quote::ToTokens;
use syn::spanned::Spanned;

fn parse(source: &str) -> syn::Result<Route> {
    let function: syn::ItemFn = syn::parse_str(source).expect("it is a function");
    let attribute = function.attrs.first().expect("it has an attribute");
    pw_syntax::parse(attribute, &function.sig)
}

fn route(source: &str) -> Route {
    parse(source).unwrap_or_else(|error| panic!("{source}: {error}"))
}

fn messages(source: &str) -> Vec<String> {
    let Err(error) = parse(source) else {
        panic!("{source} is accepted");
    };
    error.into_iter().map(|error| error.to_string()).collect()
}

#[test]
fn a_route_says_what_was_written() {
    let route = route(
        r#"#[route(POST, "/users/{id}/%7Efiles/{*rest}", timeout = "2m", body_limit = "64 KiB", name = "users.put",)]
           async fn r#put((a, b): Anything, Path(p): Path<(u64, String)>) -> Result<(), Problem> {}"#,
    );
    assert_eq!(route.name(), "users.put");
    assert_eq!(route.handler(), "r#put");
    assert_eq!(route.method().text(), "POST");
    assert_eq!(route.pattern().text(), "/users/{id}/%7Efiles/{*rest}");
    assert_eq!(
        route.pattern().segments(),
        [
            Segment::Literal("users".into()),
            Segment::Param("id".into()),
            Segment::Literal("~files".into()),
            Segment::Rest("rest".into())
        ]
    );
    assert_eq!(route.pattern().params(), ["id", "rest"]);
    assert_eq!(route.body_limit(), Some(65_536));
    assert_eq!(route.timeout(), Some(Duration::from_secs(120)));
    assert_eq!(
        route.output().to_token_stream().to_string(),
        "-> Result < () , Problem >"
    );
}

#[test]
fn the_name_is_the_functions_if_nothing_else_is_said() {
    let route = route(r#"#[polywire::route("PURGE", "/")] async fn r#type() {}"#);
    assert_eq!(route.name(), "type");
    assert_eq!(route.method().text(), "PURGE");
    assert_eq!((route.body_limit(), route.timeout()), (None, None));
}

#[test]
fn arguments_are_known_by_their_types() {
    for (argument, expected) in [
        ("path: Path<u64>", "value"),
        ("path: polywire::Path<&'a str>", "value"),
        ("path: Path<(u64)>", "value"),
        ("path: Path<(u64,)>", "tuple"),
        ("path: Path<UserPath<'_>>", "open"),
        ("Query(q): Query<Search>", "query"),
        ("State(app): State<'_, App>", "state"),
        ("head: &impl RequestHead", "head"),
        ("head: &'a (impl polywire::RequestHead + Sync)", "head"),
        ("cx: &mut impl Exchange", "exchange"),
        ("cx: &'a mut (impl Upgrade + Exchange)", "exchange"),
        ("cx: &mut impl Upgrade", "exchange"),
        ("cx: &mut impl polywire::Upgrade", "exchange"),
        ("cx: &mut E", "exchange"),
        ("Json(x): Json<Order>", "body"),
        ("body: &[u8]", "body"),
        ("body: &'a str", "body"),
        ("body: String", "body"),
        ("body: std::string::String", "body"),
        ("body: Bytes", "body"),
        ("body: Vec<u8>", "body"),
        ("list: Vec<u16>", "last"),
        ("user: CurrentUser", "last"),
        ("user: Option<CurrentUser<'_>>", "last"),
        ("user: &CurrentUser", "last"),
        ("pair: (A, B)", "last"),
    ] {
        let generics = if argument.ends_with("mut E") {
            "<'a, E: Exchange>"
        } else {
            "<'a>"
        };
        // A head beside it reads the parameter where the argument doesn't.
        let source = format!("#[route(GET, \"/{{id}}\")] async fn f{generics}(h: &impl RequestHead, {argument}) {{}}");
        let route = route(&source);
        let argument = &route.arguments()[1];
        let found = match argument.kind() {
            ArgumentKind::Path(PathShape::Tuple(_)) => "tuple",
            ArgumentKind::Path(PathShape::Value(_)) => "value",
            ArgumentKind::Path(PathShape::Open(_)) => "open",
            ArgumentKind::Query => "query",
            ArgumentKind::State => "state",
            ArgumentKind::Head => "head",
            ArgumentKind::Exchange => "exchange",
            ArgumentKind::Body => "body",
            ArgumentKind::Other => "other",
            ArgumentKind::Last => "last",
        };
        assert_eq!(found, expected, "{source}");
        assert_eq!(route.may_take_body(), matches!(found, "body" | "last"), "{source}");
        assert_eq!(route.takes_exchange(), found == "exchange", "{source}");
    }
}

#[test]
fn what_is_not_last_or_stands_beside_the_exchange_is_made_from_the_head() {
    let kinds = |source: &str| -> Vec<bool> {
        let arguments = route(source).arguments().to_vec();
        arguments
            .iter()
            .map(|a| matches!(a.kind(), ArgumentKind::Other))
            .collect()
    };
    let attribute = "#[route(GET, \"/\")] async fn f";
    assert_eq!(kinds(&format!("{attribute}(a: A, b: B) {{}}")), [true, false]);
    assert_eq!(
        kinds(&format!("{attribute}(a: A, cx: &mut impl Exchange) {{}}")),
        [true, false]
    );
    assert_eq!(
        kinds(&format!("{attribute}(cx: &mut impl Exchange, a: A) {{}}")),
        [false, true]
    );
    assert_eq!(
        kinds(&format!("{attribute}<E: Exchange>(h: &E::Head, cx: &mut E) {{}}")),
        [false, false]
    );
    assert_eq!(
        kinds(&format!(
            "{attribute}<E>(cx: &mut E, h: &<E as Exchange>::Head) where E: Exchange {{}}"
        )),
        [false, false]
    );
}

#[test]
fn parameters_are_read_by_something() {
    for taken in [
        "Path((a, b)): Path<(u64, u64)>",
        "path: Path<Both>",
        "Path((_, b)): Path<(u64, u64)>",
        "Path((b, _)): Path<(u64, u64)>",
        "head: &impl RequestHead",
        "cx: &mut impl Exchange",
        "tenant: Tenant, body: String",
    ] {
        route(&format!("#[route(GET, \"/{{a}}/{{b}}\")] async fn f({taken}) {{}}"));
    }
    for (untaken, what) in [
        ("", "no argument reads `a` and `b`"),
        (
            "q: Query<Q>, s: State<'_, S>, j: Json<J>",
            "no argument reads `a` and `b`",
        ),
        (
            "a: u64",
            "`a` through `Path`: `u64` by itself is nothing that a request has",
        ),
        ("b: &str", "`b` through `Path`: `&str` by itself is the request's body"),
        (
            "Path((b, a)): Path<(u64, u64)>",
            "in the order of its pattern (`a` and `b`)",
        ),
        ("Path(a): Path<u64>", "`u64` is one value"),
        ("Path(a): Path<&str>", "`&str` is one value"),
        ("p: Path<(u64, u64, u64)>", "this tuple has 3"),
    ] {
        let said = messages(&format!("#[route(GET, \"/{{a}}/{{b}}\")] async fn f({untaken}) {{}}"));
        assert_eq!(said.len(), 1, "{untaken}: {said:?}");
        assert!(said[0].contains(what), "{untaken}: {said:?}");
    }
}

#[test]
fn owned_types_with_static_in_them_are_right() {
    for argument in [
        "State(a): State<'_, App<'static>>",
        "Json(o): Json<Order<'static>>",
        "Path(s): Path<Slug<'static>>",
    ] {
        route(&format!(
            "#[route(POST, \"/{{id}}\")] async fn f(head: &impl RequestHead, {argument}) {{}}"
        ));
    }
}

#[test]
fn variadic_functions_are_refused() {
    let said = messages(r#"#[route(GET, "/")] async fn f(all: ...) {}"#);
    assert!(said[0].contains("a fixed number of arguments"), "{said:?}");
}

#[test]
fn every_message_has_a_subject_and_a_remedy() {
    let said = messages(
        r#"#[route(GTE, "users/", name = 5, limit = 1, limit, timeout = "0s")]
           unsafe fn f<T>(a: &mut T, #[cfg(x)] b: impl Exchange, c: &impl Exchange) {}"#,
    );
    assert!(said.len() >= 10, "{said:?}");
    for message in &said {
        let message = Message::parse(message);
        assert!(message.what.starts_with("route `f` must "), "{message:?}");
        assert!(message.help.is_some_and(|help| !help.is_empty()), "{message:?}");
    }
}

#[test]
fn the_hash_covers_what_generated_code_depends_on() {
    let base =
        r#"#[route(GET, "/{id}", name = "a", timeout = "60s")] async fn f(Path(id): Path<u64>) -> &'static str {}"#;
    let hash = |source: &str| route(source).hash();
    for same in [
        r#"#[polywire::route("GET","/{id}",timeout="1m",name="a",)]async fn f(Path(other):Path<u64>)->&'static str{ "body" }"#,
        r#"/** Documented. */ pub async fn f(Path(id): Path<u64>) -> &'static str {}"#,
    ] {
        let attributed = if same.starts_with('#') {
            same.to_owned()
        } else {
            let (attribute, _) = base.split_once(" async").expect("it is async");
            format!("{attribute} {same}")
        };
        assert_eq!(hash(base), hash(&attributed), "{attributed}");
    }
    for (from, to) in [
        ("GET", "PUT"),
        ("/{id}", "/{no}"),
        ("name = \"a\"", "name = \"b\""),
        ("60s", "61s"),
        (", timeout = \"60s\"", ""),
        ("name", "body_limit = 5, name"),
        ("fn f", "fn g"),
        ("Path<u64>", "Path<u32>"),
        (": Path<u64>", ": Path<u64>, q: Query<Q>"),
        ("-> &'static str", "-> String"),
    ] {
        let changed = base.replacen(from, to, 1);
        assert_ne!(base, changed);
        assert_ne!(hash(base), hash(&changed), "{changed}");
    }
    assert_ne!(fingerprint_in(hash(base), "a"), fingerprint_in(hash(base), "a::b"));
}

/// Whatever stands in an attribute, it is right or is refused with a remedy; nothing panics.
#[test]
fn attributes_of_all_shapes() {
    const TOKENS: [&str; 11] = [
        "GET",
        "get",
        "\"/a\"",
        "\"/{id}\"",
        "\"a\"",
        ",",
        "=",
        "name",
        "timeout",
        "5",
        "(x)",
    ];
    let function: syn::ItemFn = syn::parse_quote!(
        async fn f(head: &impl RequestHead) {}
    );
    let mut accepted = Vec::new();
    for n in 0..TOKENS.len().pow(5) {
        let mut text = String::new();
        let mut rest = n;
        while rest > 0 {
            text.push_str(TOKENS[rest % TOKENS.len()]);
            text.push(' ');
            rest /= TOKENS.len();
        }
        let tokens = text.parse().expect("they are tokens");
        match RawRoute::new(tokens, function.sig.span(), &function.sig).check() {
            Ok(_) => accepted.push(text),
            Err(errors) => assert!(errors.into_iter().all(|e| e.to_string().contains("\nhelp: ")), "{text}"),
        }
    }
    accepted.sort();
    let right = ["GET", "\"a\""].map(|method| {
        ["\"/a\"", "\"/{id}\""].map(|pattern| [format!("{method} , {pattern} "), format!("{method} , {pattern} , ")])
    });
    let mut right: Vec<String> = right.into_iter().flatten().flatten().collect();
    right.sort();
    assert_eq!(accepted, right);
}
