//! Which `Cache-Control` a file is sent with: rules by patterns over its path.

use pw_core::FieldValue;

/// Rules in the order they were added in.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rules(Vec<(String, String)>);

/// What files have that no rule is for: caches may keep them, and ask each time whether they are still so.
const DEFAULT: &str = "no-cache";

impl Rules {
    /// # Panics
    /// The value is no field value.
    pub(crate) fn add(&mut self, pattern: &str, value: &str) {
        assert!(
            FieldValue::new(value).is_ok(),
            "`{value}` can't be sent as `cache-control`"
        );
        self.0.push((pattern.to_owned(), value.to_owned()));
    }

    /// The value for a file: that of the first rule whose pattern it matches.
    pub(crate) fn value(&self, path: &str) -> &str {
        let name = path.rsplit('/').next().unwrap_or(path);
        let found = self.0.iter().find(|(pattern, _)| match pattern.contains('/') {
            true => matches(pattern.strip_prefix('/').unwrap_or(pattern).as_bytes(), path.as_bytes()),
            false => matches(pattern.as_bytes(), name.as_bytes()),
        });
        found.map_or(DEFAULT, |(_, value)| value)
    }
}

/// `*` is any run of bytes without a slash, `**` any run.
fn matches(pattern: &[u8], text: &[u8]) -> bool {
    let (rest, star) = match pattern {
        [] => return text.is_empty(),
        [b'*', b'*', rest @ ..] => (rest, text.len()),
        [b'*', rest @ ..] => {
            let slash = text.iter().position(|byte| *byte == b'/');
            (rest, slash.unwrap_or(text.len()))
        }
        [first, rest @ ..] => return text.first() == Some(first) && matches(rest, &text[1..]),
    };
    (0..=star).any(|taken| matches(rest, &text[taken..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_that_matches_counts() {
        let mut rules = Rules::default();
        for (pattern, value) in [
            ("index.html", "no-store"),
            ("*.css", "css"),
            ("img/*", "image"),
            ("/app/**/*.js", "script"),
            ("assets/**", "asset"),
            ("*.*.js", "hashed"),
        ] {
            rules.add(pattern, value);
        }
        let table = [
            ("index.html", "no-store"),
            ("sub/index.html", "no-store"),
            ("a.css", "css"),
            ("img/a.css", "css"),
            ("img/a.png", "image"),
            ("img/deep/a.png", "no-cache"),
            ("other/img/a.png", "no-cache"),
            ("app/a/b/c.js", "script"),
            ("app/c.js", "no-cache"),
            ("assets/a/b/c", "asset"),
            ("assets", "no-cache"),
            ("app.3f2a.js", "hashed"),
            ("app.js", "no-cache"),
            ("css", "no-cache"),
        ];
        for (path, value) in table {
            assert_eq!(rules.value(path), value, "{path}");
        }
    }

    #[test]
    #[should_panic(expected = "can't be sent")]
    fn a_value_that_would_split_the_answer_is_refused() {
        Rules::default().add("*", "no-store\r\nset-cookie: a");
    }
}
