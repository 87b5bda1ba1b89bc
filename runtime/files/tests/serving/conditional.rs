//! Preconditions over files. The order of all of them is a table in `condition.rs`.

use crate::Site;
use crate::client::{ask, get};

#[test]
fn a_client_that_has_it_gets_nothing() {
    let site = Site::new();
    site.write("large", crate::large());
    let files = site.files();
    for path in ["hello.txt", "large"] {
        let whole = get(&files, path, &[]);
        let (etag, modified) = (whole.field("etag").unwrap(), whole.field("last-modified").unwrap());
        let weak = format!("W/{etag}");
        let list = format!("\"a\", {etag} , \"b\"");
        for (name, value) in [
            ("if-none-match", etag),
            ("if-none-match", &weak),
            ("if-none-match", &list),
            ("if-none-match", "*"),
            ("if-modified-since", modified),
            ("if-modified-since", "Fri, 01 Jan 2100 00:00:00 GMT"),
        ] {
            for method in ["GET", "HEAD"] {
                let answer = ask(&files, method, path, &[("range", "bytes=0-4"), (name, value)]);
                assert_eq!((answer.status, answer.text()), (304, ""), "{name}: {value}");
                let names: Vec<_> = answer.fields.iter().map(|(name, _)| &**name).collect();
                assert_eq!(names, ["etag", "cache-control", "vary"]);
                assert_eq!(answer.field("etag"), Some(etag));
            }
        }
        let twice = [("if-none-match", "\"a\""), ("if-none-match", etag)];
        assert_eq!(get(&files, path, &twice).status, 304, "two lines are one list");
        for (name, value) in [
            ("if-none-match", "\"no-such-tag\""),
            ("if-none-match", "junk"),
            ("if-modified-since", "Sat, 01 Jan 2000 00:00:00 GMT"),
            ("if-modified-since", "junk"),
            ("if-match", etag),
            ("if-match", "*"),
            ("if-unmodified-since", modified),
        ] {
            let answer = get(&files, path, &[(name, value)]);
            assert_eq!((answer.status, &answer.fields), (200, &whole.fields), "{name}: {value}");
        }
        for (name, value) in [
            ("if-match", "\"no-such-tag\""),
            ("if-match", &weak),
            ("if-unmodified-since", "Sat, 01 Jan 2000 00:00:00 GMT"),
        ] {
            assert_eq!(get(&files, path, &[(name, value)]).status, 412, "{name}: {value}");
        }
    }
    for name in ["if-none-match", "if-match"] {
        assert_eq!(get(&files, "missing.txt", &[(name, "*")]).status, 404, "{name}");
    }
}

#[test]
fn times_that_no_date_can_say_are_not_said() {
    use std::time::{Duration, SystemTime};
    let site = Site::new();
    let hour = Duration::from_secs(3600);
    for time in [SystemTime::UNIX_EPOCH - hour, SystemTime::now() + hour] {
        let file = std::fs::File::options()
            .write(true)
            .open(site.path("hello.txt"))
            .unwrap();
        file.set_modified(time).unwrap();
        let answer = get(
            &site.files(),
            "hello.txt",
            &[("if-modified-since", "Fri, 01 Jan 2100 00:00:00 GMT")],
        );
        assert_eq!((answer.status, answer.field("last-modified")), (200, None));
        assert!(answer.field("etag").is_some());
    }
}
