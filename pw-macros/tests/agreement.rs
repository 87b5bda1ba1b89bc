//! `pw-syntax` runs when a program is built and `pw-core` within it: what both decide, both decide alike.

#[test]
fn fingerprints() {
    for (hash, module) in [(0, ""), (7, "helloworld"), (u64::MAX, "helloworld::users::admin")] {
        assert_eq!(
            pw_syntax::fingerprint_in(hash, module),
            polywire::codegen::fingerprint(hash, module)
        );
    }
}

#[test]
fn parameters() {
    assert_eq!(pw_syntax::MAX_PARAMS, pw_core::route::MAX_PARAMS);
}
