//! Routes on both sides of every border between groups. Run it with `--features extra`, too.

use polywire::testing::TestApp;

use crate::generated::Routes;

#[test]
fn each_group_answers_with_its_own() {
    let app = TestApp::new(Routes::new());
    for (resource, one) in [
        ("books", "book"),
        ("carts", "cart"),
        ("orders", "order"),
        ("users", "user"),
    ] {
        for (target, text) in [
            (format!("/{resource}"), resource.to_owned()),
            (format!("/{resource}/7"), format!("{one} 7")),
            (format!("/{resource}/7/tags"), format!("tags of {one} 7")),
            (format!("/{resource}/7/notes/3"), format!("notes of {one} 7 at 3")),
        ] {
            assert_eq!(app.get(target).send().text(), text);
        }
        let request = app.put(format!("/{resource}/7")).body("new");
        assert_eq!(request.send().text(), format!("{one} 7 is new"));
    }
}

#[test]
fn a_group_that_is_not_in_every_build() {
    let app = TestApp::new(Routes::new());
    let status = |target: &str| app.get(target).send().status().as_u16();
    match cfg!(feature = "extra") {
        true => assert_eq!((status("/zoo"), status("/books/extra")), (200, 200)),
        false => assert_eq!((status("/zoo"), status("/books/extra")), (404, 400)),
    }
}
