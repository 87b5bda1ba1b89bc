//! The corpus: what one case sends and what it expects. The README of this crate describes each field.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::glob;

/// The cases that come with this crate, one JSON object a line: of HTTP/1.1, and of what lasts longer than a buffer.
const CASES: [&str; 2] = [
    include_str!("../cases/http1_cases.jsonl"),
    include_str!("../cases/lasting_cases.jsonl"),
];

/// The cases that come with this crate.
///
/// # Errors
/// As [`parse`]: the corpus itself is wrong.
pub fn all() -> Result<Vec<Case>, String> {
    parse(&CASES.concat())
}

/// How bad a failure is, the worst first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// An RFC MUST, or a leniency that has been a vulnerability.
    Must,
    /// An RFC SHOULD, or lost service.
    Should,
    /// Stricter than the RFC, or a limit that good servers have.
    Hardening,
}

impl Level {
    /// All of them, the worst first.
    pub const ALL: [Self; 3] = [Self::Must, Self::Should, Self::Hardening];

    /// The name, as cases write it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Must => "must",
            Self::Should => "should",
            Self::Hardening => "hardening",
        }
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// One connection: what is sent, and what may come back.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "the README describes each field")]
pub struct Case {
    pub id: String,
    pub area: String,
    pub level: Level,
    pub why: String,
    pub send: String,
    pub expect: Expect,
    pub then: Option<String>,
    #[serde(default)]
    pub then_when: When,
    pub dribble: Option<(usize, u64)>,
    pub dribble_then: Option<(usize, u64)>,
    #[serde(default)]
    pub half_close: bool,
    pub methods: Option<Vec<String>>,
    pub timeout_s: Option<f64>,
    #[serde(default)]
    pub slow: bool,
}

/// When the second bytes are sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum When {
    /// After a response, or after 200 ms.
    #[default]
    Either,
    /// After a response.
    Answer,
    /// After 200 ms.
    Delay,
}

/// What may come back.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[expect(missing_docs, reason = "the README describes each field")]
pub struct Expect {
    pub status_any: Option<Vec<i32>>,
    pub status_prefer: Option<Vec<i32>>,
    pub prefer_level: Option<Level>,
    pub statuses: Vec<Option<Vec<i32>>>,
    pub responses: Option<usize>,
    pub responses_min: Option<usize>,
    pub responses_max: Option<usize>,
    pub interim: Option<Vec<u16>>,
    pub connection_closed: Option<bool>,
    pub closed_level: Option<Level>,
    pub must_contain: Texts,
    pub must_not_contain: Texts,
    pub max_bytes: Option<usize>,
    pub body: Option<String>,
    pub body_len: Option<usize>,
    pub bodies_contain: Vec<Option<String>>,
    pub headers: BTreeMap<String, Option<String>>,
    pub headers_level: Option<Level>,
    pub by_status: BTreeMap<String, ByStatus>,
    pub ws_msgs: Option<Vec<(u8, String)>>,
    pub ws_close_any: Vec<i32>,
    pub ws_close_prefer: Vec<i32>,
    pub ws_client_closed: bool,
}

/// What is expected on top for one status.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[expect(missing_docs, reason = "the README describes each field")]
pub struct ByStatus {
    pub body: Option<String>,
    pub headers: BTreeMap<String, Option<String>>,
    pub level: Option<Level>,
    pub responses_max: Option<usize>,
    pub connection_closed: Option<bool>,
}

/// One text or several.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub enum Texts {
    /// One.
    One(String),
    /// Several.
    Many(Vec<String>),
}

impl Default for Texts {
    fn default() -> Self {
        Self::Many(Vec::new())
    }
}

impl Texts {
    /// All of them.
    pub fn all(&self) -> &[String] {
        match self {
            Self::One(text) => std::slice::from_ref(text),
            Self::Many(texts) => texts,
        }
    }
}

/// Reads cases, one JSON object a line.
///
/// # Errors
/// A line is no case; the text says which.
pub fn parse(lines: &str) -> Result<Vec<Case>, String> {
    lines
        .lines()
        .enumerate()
        .filter(|(_, line)| !line.trim().is_empty())
        .map(|(at, line)| serde_json::from_str(line).map_err(|why| format!("case in line {}: {why}", at + 1)))
        .collect()
}

/// Which cases to run. The default is all but the slow ones.
#[derive(Clone, Debug, Default)]
pub struct Selection {
    /// Of these areas only.
    pub only: Option<Vec<String>>,
    /// Not of these areas.
    pub skip: Vec<String>,
    /// With an id of one of these shapes.
    pub ids: Option<Vec<String>>,
    /// Of this level or a worse one.
    pub level: Option<Level>,
    /// Also those that wait for time-outs.
    pub slow: bool,
}

impl Selection {
    /// Whether a case is meant.
    pub fn takes(&self, case: &Case) -> bool {
        self.only.as_ref().is_none_or(|areas| areas.contains(&case.area))
            && !self.skip.contains(&case.area)
            && self
                .ids
                .as_ref()
                .is_none_or(|globs| globs.iter().any(|shape| glob::matches(shape, &case.id)))
            && self.level.is_none_or(|level| case.level <= level)
            && (self.slow || !case.slow)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pattern::Pattern;
    use crate::text::{Values, raw};

    #[test]
    fn the_corpus_is_sound() {
        let cases = all().unwrap();
        assert!(cases.len() > 800);
        let mut ids: Vec<&str> = cases.iter().map(|case| case.id.as_str()).collect();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), cases.len(), "an id stands twice");
        for case in &cases {
            raw(&case.send, &Values::new());
            raw(case.then.as_deref().unwrap_or_default(), &Values::new());
            let special = case.expect.by_status.values().flat_map(|by| by.headers.values());
            for pattern in case.expect.headers.values().chain(special).flatten() {
                Pattern::new(pattern).unwrap_or_else(|why| panic!("{}: {why}", case.id));
            }
        }
    }

    #[test]
    fn selections_narrow() {
        let cases = all().unwrap();
        let count = |selection: Selection| cases.iter().filter(|case| selection.takes(case)).count();
        let all = count(Selection {
            slow: true,
            ..Selection::default()
        });
        assert_eq!(all, cases.len());
        assert_eq!(
            all - count(Selection::default()),
            cases.iter().filter(|case| case.slow).count()
        );
        let areas = || vec!["framing".to_owned(), "chunked".to_owned()];
        let only = count(Selection {
            only: Some(areas()),
            ..Selection::default()
        });
        let rest = count(Selection {
            skip: areas(),
            ..Selection::default()
        });
        assert_eq!(only + rest, count(Selection::default()));
        let must = Selection {
            level: Some(Level::Must),
            ..Selection::default()
        };
        assert!(
            cases
                .iter()
                .filter(|case| must.takes(case))
                .all(|case| case.level == Level::Must)
        );
    }
}
