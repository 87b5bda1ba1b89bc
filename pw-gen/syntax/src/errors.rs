//! Errors, collected: what is wrong, then how to mend it, at the smallest token.
//!
//! One [`syn::Error`] carries them all, so that a user sees every mistake at once. Each message is a line that says what
//! must be and a line `help: ..`; [`Message`] takes them apart for whoever prints its own diagnostics.

use std::fmt::Display;

use proc_macro2::Span;
use quote::ToTokens;

/// The errors of one thing, such as "route `show_user`".
pub(crate) struct Errors {
    subject: String,
    all: Option<syn::Error>,
}

impl Errors {
    /// No errors yet. Every message begins with `subject`.
    pub(crate) fn of(subject: impl Into<String>) -> Self {
        Self {
            subject: subject.into(),
            all: None,
        }
    }

    /// An error at a span.
    pub(crate) fn at(&mut self, span: Span, what: impl Display, help: impl Display) {
        let message = format!("{} {what}\n{HELP}{help}", self.subject);
        self.add(syn::Error::new(span, message));
    }

    /// An error that spans some tokens, or `otherwise` if there are none.
    pub(crate) fn on(&mut self, tokens: impl ToTokens, what: impl Display, help: impl Display) {
        let message = format!("{} {what}\n{HELP}{help}", self.subject);
        self.add(syn::Error::new_spanned(tokens, message));
    }

    /// An error that somebody else found.
    pub(crate) fn add(&mut self, error: syn::Error) {
        match &mut self.all {
            Some(all) => all.combine(error),
            None => self.all = Some(error),
        }
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.all.as_ref().map_or(0, |all| all.clone().into_iter().count())
    }

    /// `value`, unless something was wrong.
    pub(crate) fn finish<T>(self, value: Option<T>) -> syn::Result<T> {
        match self.all {
            Some(all) => Err(all),
            None => Ok(value.expect("a check that gives no value says why")),
        }
    }
}

const HELP: &str = "help: ";

/// One message, taken apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Message<'a> {
    /// What is wrong: "route `show_user` must begin its pattern with `/`".
    pub what: &'a str,
    /// How to mend it, if the message says so.
    pub help: Option<&'a str>,
}

impl<'a> Message<'a> {
    /// Takes the text of one of this crate's errors apart.
    pub fn parse(text: &'a str) -> Self {
        match text.split_once("\nhelp: ") {
            Some((what, help)) => Self { what, help: Some(help) },
            None => Self { what: text, help: None },
        }
    }
}

/// The candidate that was most likely meant: the nearest by edit distance, if it is near enough to be a slip. Case does
/// not count.
pub fn nearest<'c>(word: &str, candidates: &[&'c str]) -> Option<&'c str> {
    let word = word.to_ascii_lowercase();
    let (distance, candidate) = candidates
        .iter()
        .map(|candidate| (distance(&word, &candidate.to_ascii_lowercase()), *candidate))
        .min_by_key(|(distance, _)| *distance)?;
    (distance * 2 <= word.chars().count().max(2)).then_some(candidate)
}

/// The edit distance: insertions, deletions, substitutions, and swaps of neighbours.
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut rows = vec![vec![0; b.len() + 1]; a.len() + 1];
    for (i, row) in rows.iter_mut().enumerate() {
        row[0] = i;
    }
    for (j, cell) in rows[0].iter_mut().enumerate() {
        *cell = j;
    }
    for i in 1..=a.len() {
        for j in 1..=b.len() {
            let differ = usize::from(a[i - 1] != b[j - 1]);
            let mut best = (rows[i - 1][j] + 1)
                .min(rows[i][j - 1] + 1)
                .min(rows[i - 1][j - 1] + differ);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(rows[i - 2][j - 2] + 1);
            }
            rows[i][j] = best;
        }
    }
    rows[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_word_is_a_slip_away() {
        let words = ["GET", "PATCH", "DELETE", "VERSION-CONTROL"];
        for (word, expected) in [
            ("GTE", Some("GET")),
            ("get", Some("GET")),
            ("GETS", Some("GET")),
            ("PACTH", Some("PATCH")),
            ("DELTE", Some("DELETE")),
            ("VERSION_CONTROL", Some("VERSION-CONTROL")),
            ("FETCH", Some("PATCH")),
            ("FOO", None),
            ("", None),
        ] {
            assert_eq!(nearest(word, &words), expected, "{word}");
        }
    }

    #[test]
    fn messages_come_apart() {
        let mut errors = Errors::of("route `a`");
        errors.at(Span::call_site(), "must be good", "make it so");
        let error = errors.finish::<()>(None).unwrap_err().to_string();
        assert_eq!(
            Message::parse(&error),
            Message {
                what: "route `a` must be good",
                help: Some("make it so")
            }
        );
        assert_eq!(Message::parse("expected `,`").help, None);
    }
}
