//! A route's options: `name = "..", body_limit = "64 KiB", timeout = "5s"`.
//!
//! A size is a whole number of bytes (`65536`) or a text with a unit: `B`, `KiB`, `MiB`, `GiB`. A duration is a text
//! with a unit: `ms`, `s`, `m`, `h`. Numbers are whole, so that they mean the same to everybody.

use std::time::Duration;

use proc_macro2::{Ident, Span, TokenTree};
use quote::ToTokens;
use syn::Lit;

use crate::attribute::Piece;
use crate::errors::{Errors, nearest};

/// What may be said of a route beyond method and pattern.
#[derive(Clone, Debug, Default)]
pub(crate) struct Options {
    pub(crate) name: Option<(String, Span)>,
    pub(crate) body_limit: Option<u64>,
    pub(crate) timeout: Option<Duration>,
}

const NAMES: [&str; 3] = ["name", "body_limit", "timeout"];
const ALL: &str = "the options are `name = \"..\"`, `body_limit = \"64 KiB\"` and `timeout = \"5s\"`";

impl Options {
    /// Reads the pieces after method and pattern.
    pub(crate) fn check(pieces: &[Piece], errors: &mut Errors) -> Self {
        let mut options = Self::default();
        let mut seen: Vec<String> = Vec::new();
        for piece in pieces {
            let Some((option, value)) = option(piece, errors) else {
                continue;
            };
            let known = option.to_string();
            if seen.contains(&known) {
                errors.at(
                    option.span(),
                    format_args!("must have the option `{known}` once"),
                    "remove one of the two",
                );
                continue;
            }
            match &*known {
                "name" => options.name = name(&value, errors),
                "body_limit" => options.body_limit = body_limit(&value, errors),
                _ => options.timeout = timeout(&value, errors),
            }
            seen.push(known);
        }
        options
    }
}

/// Takes `option = value` apart. The option is one of [`NAMES`].
fn option(piece: &Piece, errors: &mut Errors) -> Option<(Ident, Lit)> {
    let (option, rest) = match piece.tokens() {
        [TokenTree::Ident(option), rest @ ..] => (option, rest),
        tokens => {
            let first = &tokens[0];
            errors.on(first, "must have nothing but options after its pattern", ALL);
            return None;
        }
    };
    let text = option.to_string();
    if !NAMES.contains(&&*text) {
        let what = format_args!("must not have an option `{text}`: there is none of that name");
        match nearest(&text, &NAMES) {
            Some(near) => errors.at(option.span(), what, format_args!("did you mean `{near}`?")),
            None => errors.at(option.span(), what, ALL),
        }
        return None;
    }
    let example = match &*text {
        "name" => "name = \"users.show\"",
        "body_limit" => "body_limit = \"64 KiB\"",
        _ => "timeout = \"5s\"",
    };
    let value = match rest {
        [TokenTree::Punct(eq), value @ ..] if eq.as_char() == '=' => value,
        _ => {
            errors.on(
                piece,
                format_args!("must give its option `{text}` a value after `=`"),
                format_args!("write `{example}`"),
            );
            return None;
        }
    };
    let value_tokens = value;
    let (value, extra) = match value {
        [] => {
            errors.on(
                piece,
                format_args!("must give its option `{text}` a value"),
                format_args!("write `{example}`"),
            );
            return None;
        }
        [TokenTree::Literal(value), extra @ ..] => (Lit::new(value.clone()), extra),
        [TokenTree::Ident(word), extra @ ..] if word == "true" || word == "false" => {
            (Lit::Bool(syn::LitBool::new(word == "true", word.span())), extra)
        }
        other => {
            not_literal(&text, example, other, errors);
            return None;
        }
    };
    match extra.first() {
        None => {}
        Some(TokenTree::Punct(_)) => {
            not_literal(&text, example, value_tokens, errors);
            return None;
        }
        Some(first) => {
            errors.on(
                first,
                format_args!("must have a comma or its end after the value of `{text}`"),
                "remove this, or put a comma before it",
            );
            return None;
        }
    }
    Some((option.clone(), value))
}

fn not_literal(option: &str, example: &str, value: &[TokenTree], errors: &mut Errors) {
    errors.on(
        Piece::new(value.to_vec()),
        format_args!("must give its option `{option}` as a literal: the generator reads source, it runs nothing"),
        format_args!("write `{example}`"),
    );
}

fn name(value: &Lit, errors: &mut Errors) -> Option<(String, Span)> {
    let Lit::Str(text) = value else {
        wrong_type(value, "name", "a string", "name = \"users.show\"", errors);
        return None;
    };
    let name = text.value();
    let good = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.'));
    if !good {
        errors.at(
            text.span(),
            format_args!(
                "must have a name of letters, digits, `_`, `-` and `.` that begins with a letter: `{name}` is none"
            ),
            "write `name = \"users.show\"`, or leave it out: then it is the function's name",
        );
        return None;
    }
    Some((name, text.span()))
}

fn body_limit(value: &Lit, errors: &mut Errors) -> Option<u64> {
    const EXAMPLE: &str = "body_limit = \"64 KiB\"";
    let span = value.span();
    match value {
        Lit::Int(int) if int.suffix().is_empty() => match int.base10_parse::<u64>() {
            Ok(bytes) if bytes <= MAX_SIZE => Some(bytes),
            _ => {
                errors.at(
                    span,
                    "must have a `body_limit` that fits memory",
                    "take at most \"1024 GiB\"",
                );
                None
            }
        },
        Lit::Str(text) => match size(&text.value()) {
            Ok(bytes) => Some(bytes),
            Err(why) => {
                errors.at(
                    span,
                    format_args!(
                        "must have a size as its `body_limit`: `{}` {}",
                        text.value(),
                        why.what()
                    ),
                    why.help("The units are B, KiB, MiB and GiB", EXAMPLE),
                );
                None
            }
        },
        _ => {
            wrong_type(
                value,
                "body_limit",
                "a size or a whole number of bytes",
                EXAMPLE,
                errors,
            );
            None
        }
    }
}

fn timeout(value: &Lit, errors: &mut Errors) -> Option<Duration> {
    const EXAMPLE: &str = "timeout = \"5s\"";
    let Lit::Str(text) = value else {
        let example = match value {
            Lit::Int(int) if int.suffix().is_empty() => format!("timeout = \"{}s\"", int.base10_digits()),
            _ => EXAMPLE.to_owned(),
        };
        wrong_type(value, "timeout", "a duration with its unit", &example, errors);
        return None;
    };
    match duration(&text.value()) {
        Ok(Duration::ZERO) => {
            errors.at(
                text.span(),
                "must have a `timeout` above zero: no handler is done in no time",
                "leave it out for none, or write `timeout = \"5s\"`",
            );
            None
        }
        Ok(timeout) => Some(timeout),
        Err(why) => {
            errors.at(
                text.span(),
                format_args!(
                    "must have a duration as its `timeout`: `{}` {}",
                    text.value(),
                    why.what()
                ),
                why.help("The units are ms, s, m and h", EXAMPLE),
            );
            None
        }
    }
}

fn wrong_type(value: &Lit, option: &str, expected: &str, example: &str, errors: &mut Errors) {
    errors.on(
        value.to_token_stream(),
        format_args!("must have {expected} as its `{option}`"),
        format_args!("write `{example}`"),
    );
}

/// Why a text is no quantity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Broken {
    NoNumber,
    Fraction,
    NoUnit,
    UnknownUnit(&'static str),
    TooLarge,
}

impl Broken {
    fn what(self) -> &'static str {
        match self {
            Self::NoNumber => "does not begin with a whole number",
            Self::Fraction => "has a fraction",
            Self::NoUnit => "has no unit",
            Self::UnknownUnit(_) => "has a unit that is not known",
            Self::TooLarge => "is too large",
        }
    }

    fn help(self, units: &str, example: &str) -> String {
        match self {
            Self::UnknownUnit(near) if !near.is_empty() => format!("did you mean `{near}`? {units}"),
            _ => format!("write a whole number and a unit, `{example}`. {units}"),
        }
    }
}

const MAX_SIZE: u64 = 1 << 40;
const SIZES: [(&str, u64); 4] = [("B", 1), ("KiB", 1 << 10), ("MiB", 1 << 20), ("GiB", 1 << 30)];
const DURATIONS: [(&str, u64); 4] = [("ms", 1), ("s", 1000), ("m", 60_000), ("h", 3_600_000)];

fn size(text: &str) -> Result<u64, Broken> {
    let near = |unit: &str| match unit.to_ascii_lowercase().trim_end_matches("bytes").trim() {
        "" => "B",
        "k" | "kb" | "kib" | "kilo" => "KiB",
        "m" | "mb" | "mib" | "mega" => "MiB",
        "g" | "gb" | "gib" | "giga" => "GiB",
        _ => "",
    };
    quantity(text, &SIZES, near).and_then(|bytes| {
        if bytes <= MAX_SIZE {
            Ok(bytes)
        } else {
            Err(Broken::TooLarge)
        }
    })
}

fn duration(text: &str) -> Result<Duration, Broken> {
    let near = |unit: &str| match &*unit.to_ascii_lowercase() {
        "ms" | "msec" | "msecs" | "millis" | "millisecond" | "milliseconds" => "ms",
        "s" | "sec" | "secs" | "second" | "seconds" => "s",
        "m" | "min" | "mins" | "minute" | "minutes" => "m",
        "h" | "hour" | "hours" | "hr" | "hrs" => "h",
        _ => "",
    };
    quantity(text, &DURATIONS, near).map(Duration::from_millis)
}

/// A whole number, a space if you like, a unit.
fn quantity(text: &str, units: &[(&str, u64)], near: impl Fn(&str) -> &'static str) -> Result<u64, Broken> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (number, unit) = text.split_at(digits);
    if number.is_empty() {
        return Err(Broken::NoNumber);
    }
    if unit.starts_with(['.', ',']) {
        return Err(Broken::Fraction);
    }
    let unit = unit.strip_prefix(' ').unwrap_or(unit);
    if unit.is_empty() {
        return Err(Broken::NoUnit);
    }
    let (_, factor) = units
        .iter()
        .find(|(known, _)| *known == unit)
        .ok_or(Broken::UnknownUnit(near(unit)))?;
    let number: u64 = number.parse().map_err(|_| Broken::TooLarge)?;
    number.checked_mul(*factor).ok_or(Broken::TooLarge)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes() {
        for (text, expected) in [
            ("0 B", Ok(0)),
            ("512B", Ok(512)),
            ("64 KiB", Ok(65_536)),
            ("64KiB", Ok(65_536)),
            ("10 MiB", Ok(10 << 20)),
            ("1024 GiB", Ok(1 << 40)),
            ("1025 GiB", Err(Broken::TooLarge)),
            ("99999999999999999999 B", Err(Broken::TooLarge)),
            ("", Err(Broken::NoNumber)),
            ("KiB", Err(Broken::NoNumber)),
            ("-1 B", Err(Broken::NoNumber)),
            ("1.5 MiB", Err(Broken::Fraction)),
            ("64", Err(Broken::NoUnit)),
            ("64 kb", Err(Broken::UnknownUnit("KiB"))),
            ("64 kilobytes", Err(Broken::UnknownUnit("KiB"))),
            ("64  KiB", Err(Broken::UnknownUnit("KiB"))),
            ("64 KiB ", Err(Broken::UnknownUnit("KiB"))),
            ("64 parsecs", Err(Broken::UnknownUnit(""))),
        ] {
            assert_eq!(size(text), expected, "{text:?}");
        }
    }

    #[test]
    fn durations() {
        for (text, expected) in [
            ("500ms", Ok(500)),
            ("5s", Ok(5_000)),
            ("5 s", Ok(5_000)),
            ("2m", Ok(120_000)),
            ("1h", Ok(3_600_000)),
            ("0s", Ok(0)),
            ("5", Err(Broken::NoUnit)),
            ("5 minutes", Err(Broken::UnknownUnit("m"))),
            ("5S", Err(Broken::UnknownUnit("s"))),
            ("1.5s", Err(Broken::Fraction)),
            ("soon", Err(Broken::NoNumber)),
            ("18446744073709551615 h", Err(Broken::TooLarge)),
        ] {
            assert_eq!(duration(text), expected.map(Duration::from_millis), "{text:?}");
        }
    }
}
