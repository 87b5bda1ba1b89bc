//! What is committed under `golden` is what the generator writes. That it compiles and answers is tested there.

use std::path::Path;

use pw_gen::{Status, run};

#[test]
fn committed_code_is_what_is_generated() {
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("golden");
    let mut arguments = vec!["generate".to_owned(), "--check".to_owned()];
    for name in ["accounts", "crowd", "plain", "shop"] {
        arguments.push("-p".to_owned());
        arguments.push(format!("pw-gen-golden-{name}"));
    }
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let status = run(&golden, &arguments, &mut out, &mut err).expect("a Vec takes all");
    let (out, err) = (String::from_utf8_lossy(&out), String::from_utf8_lossy(&err));
    assert_eq!(status, Status::Done, "{out}{err}");
    assert_eq!(out.matches(" routes, unchanged in ").count(), 4, "{out}");
}
