//! Shell patterns for case ids: `*`, `?`, `[abc]`, `[!abc]`.

/// Whether `text` has the shape of `pattern`, all of it, case told apart.
pub fn matches(pattern: &str, text: &str) -> bool {
    let pattern: Vec<char> = pattern.chars().collect();
    let text: Vec<char> = text.chars().collect();
    at(&pattern, &text)
}

fn at(pattern: &[char], text: &[char]) -> bool {
    match pattern {
        [] => text.is_empty(),
        ['*', rest @ ..] => (0..=text.len()).any(|skip| at(rest, &text[skip..])),
        ['[', rest @ ..] => {
            // As in the shell, `]` right after the opening is a member; an unclosed `[` is itself.
            let negated = rest.first() == Some(&'!');
            let members = &rest[usize::from(negated)..];
            let close = members.iter().skip(1).position(|c| *c == ']').map(|i| i + 1);
            match (close, text) {
                (Some(close), [c, tail @ ..]) => {
                    member(&members[..close], *c) != negated && at(&members[close + 1..], tail)
                }
                (Some(_), []) => false,
                (None, _) => text.first() == Some(&'[') && at(rest, &text[1..]),
            }
        }
        [p, rest @ ..] => text.first().is_some_and(|c| *p == '?' || p == c) && at(rest, &text[1..]),
    }
}

fn member(set: &[char], c: char) -> bool {
    match set {
        [low, '-', high, rest @ ..] => (*low..=*high).contains(&c) || member(rest, c),
        [one, rest @ ..] => *one == c || member(rest, c),
        [] => false,
    }
}

#[cfg(test)]
mod tests {
    use super::matches;

    #[test]
    fn shell_patterns() {
        for (pattern, text) in [
            ("*", ""),
            ("li-*", "li-slow"),
            ("*-1?", "ch-ok-10"),
            ("a*b*c", "aXbbYc"),
            ("[a-c]x", "bx"),
            ("[!a]", "b"),
            ("[", "["),
        ] {
            assert!(matches(pattern, text), "{pattern} {text}");
        }
        for (pattern, text) in [
            ("", "a"),
            ("a", ""),
            ("li-*", "ch-li-"),
            ("?", ""),
            ("[!a]", "a"),
            ("a*b", "abc"),
        ] {
            assert!(!matches(pattern, text), "{pattern} {text}");
        }
    }
}
