//! What `generated! { .. }` may say.

use pw_syntax::{GeneratedArgs, PathParams};
use quote::ToTokens;

fn parse(text: &str) -> syn::Result<GeneratedArgs> {
    GeneratedArgs::parse(text.parse().expect("they are tokens"))
}

#[test]
fn everything_is_optional() {
    let args = parse("").expect("nothing need be said");
    assert!(args.state().is_none() && args.chain().is_none() && args.crates().is_empty() && !args.is_fragment());
    assert!(parse("fragment").expect("it may stand alone").is_fragment());
}

#[test]
fn types_are_named_from_the_crate_root() {
    for (written, expected) in [
        ("AppState", "crate :: AppState"),
        ("web::AppState", "crate :: web :: AppState"),
        ("crate::AppState", "crate :: AppState"),
        ("self::web::AppState", "crate :: web :: AppState"),
    ] {
        let args = parse(&format!("crates: [a, b_c], chain: {written}, state: {written},")).expect(written);
        let text = |path: Option<&pw_syntax::RootPath>| path.expect("it is said").to_token_stream().to_string();
        assert_eq!(text(args.state()), expected);
        assert_eq!(text(args.chain()), expected);
        assert_eq!(args.crates(), ["a", "b_c"]);
    }
}

#[test]
fn a_hash_changes_with_what_is_said() {
    let hash = |text: &str| parse(text).expect(text).hash();
    assert_eq!(
        hash("state: A, crates: [a, b]"),
        hash("crates : [a, b,] , state : crate::A,")
    );
    let all = [
        "",
        "fragment",
        "state: A",
        "chain: A",
        "state: B",
        "crates: [a]",
        "crates: [a, b]",
        "crates: [b, a]",
    ];
    for (at, one) in all.iter().enumerate() {
        for other in &all[..at] {
            assert_ne!(hash(one), hash(other), "{one} and {other}");
        }
    }
}

#[test]
fn mistakes_are_told_together() {
    let error = parse("states: A, chain: (A, B), crates: a, fragment").expect_err("all is wrong");
    let said: Vec<String> = error.into_iter().map(|e| e.to_string()).collect();
    assert_eq!(said.len(), 4, "{said:?}");
    assert!(
        said.iter()
            .all(|s| s.starts_with("`generated!` must ") && s.contains("\nhelp: ")),
        "{said:?}"
    );
}

#[test]
fn path_params_have_the_names_of_their_fields() {
    let input = syn::parse_quote! {
        struct UserPath<'a> { r#type: &'a str, id: u64 }
    };
    let params = PathParams::check(&input).expect("it is right");
    let names: Vec<&str> = params.params().iter().map(|param| param.name()).collect();
    assert_eq!(names, ["type", "id"]);
    assert_eq!(params.lifetime().map(ToString::to_string).as_deref(), Some("'a"));
}
