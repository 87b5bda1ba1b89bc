//! The regular expressions that cases use on field values, with Python's meaning.
//!
//! There is one pattern with a look-ahead among them, which the usual crates leave out; values are short, so plain
//! backtracking is enough. Known: literals, `.`, `^`, `$`, `|`, `(..)`, `(?:..)`, `(?!..)`, `[..]`, `\d`, `\xNN`, other escaped
//! characters, `*`, `+`, `?`, `{n}`, `{n,m}`, and `(?i)` in front.

/// A pattern, ready to search with.
#[derive(Debug)]
pub struct Pattern {
    branches: Vec<Vec<Piece>>,
    ignore_case: bool,
}

#[derive(Debug)]
struct Piece {
    atom: Atom,
    least: usize,
    most: usize,
}

#[derive(Debug)]
enum Atom {
    Start,
    End,
    Any,
    Set { ranges: Vec<(char, char)>, negated: bool },
    Group(Vec<Vec<Piece>>),
    NotAhead(Vec<Vec<Piece>>),
}

impl Pattern {
    /// Reads a pattern.
    ///
    /// # Errors
    /// It is broken, or holds something this module does not know.
    pub fn new(text: &str) -> Result<Self, String> {
        let (ignore_case, body) = match text.strip_prefix("(?i)") {
            Some(body) => (true, body),
            None => (false, text),
        };
        let mut parser = Parser {
            chars: body.chars().collect(),
            at: 0,
        };
        let branches = parser.branches()?;
        if parser.at < parser.chars.len() {
            return Err(format!("unbalanced ) in {text}"));
        }
        Ok(Self { branches, ignore_case })
    }

    /// Whether it matches anywhere in `text`.
    pub fn is_in(&self, text: &str) -> bool {
        let text: Vec<char> = text.chars().collect();
        let subject = Subject {
            text: &text,
            ignore_case: self.ignore_case,
        };
        (0..=text.len()).any(|at| subject.any(&self.branches, at, &mut |_| true))
    }
}

struct Subject<'t> {
    text: &'t [char],
    ignore_case: bool,
}

/// What must hold after a part has matched up to a position.
type Then<'f> = &'f mut dyn FnMut(usize) -> bool;

impl Subject<'_> {
    fn any(&self, branches: &[Vec<Piece>], at: usize, then: Then<'_>) -> bool {
        branches.iter().any(|pieces| self.all(pieces, at, then))
    }

    fn all(&self, pieces: &[Piece], at: usize, then: Then<'_>) -> bool {
        match pieces {
            [] => then(at),
            [piece, rest @ ..] => self.repeat(piece, 0, at, &mut |at| self.all(rest, at, then)),
        }
    }

    /// As many as there are, then fewer.
    fn repeat(&self, piece: &Piece, count: usize, at: usize, then: Then<'_>) -> bool {
        let more = count < piece.most
            && self.one(&piece.atom, at, &mut |next| {
                (next > at || count < piece.least) && self.repeat(piece, count + 1, next, then)
            });
        more || count >= piece.least && then(at)
    }

    fn one(&self, atom: &Atom, at: usize, then: Then<'_>) -> bool {
        match atom {
            Atom::Start => at == 0 && then(at),
            Atom::End => at == self.text.len() && then(at),
            Atom::Any => at < self.text.len() && then(at + 1),
            Atom::Set { ranges, negated } => {
                self.text
                    .get(at)
                    .is_some_and(|c| self.is_member(ranges, *c) != *negated)
                    && then(at + 1)
            }
            Atom::Group(branches) => self.any(branches, at, then),
            Atom::NotAhead(branches) => !self.any(branches, at, &mut |_| true) && then(at),
        }
    }

    fn is_member(&self, ranges: &[(char, char)], c: char) -> bool {
        let within = |c: char| ranges.iter().any(|(low, high)| (*low..=*high).contains(&c));
        within(c) || self.ignore_case && (within(c.to_ascii_lowercase()) || within(c.to_ascii_uppercase()))
    }
}

struct Parser {
    chars: Vec<char>,
    at: usize,
}

impl Parser {
    fn branches(&mut self) -> Result<Vec<Vec<Piece>>, String> {
        let mut branches = vec![Vec::new()];
        while let Some(c) = self.peek().filter(|c| *c != ')') {
            if c == '|' {
                self.at += 1;
                branches.push(Vec::new());
                continue;
            }
            let atom = self.atom()?;
            let (least, most) = self.count()?;
            branches
                .last_mut()
                .expect("there is a first branch")
                .push(Piece { atom, least, most });
        }
        Ok(branches)
    }

    fn atom(&mut self) -> Result<Atom, String> {
        Ok(match self.next()? {
            '^' => Atom::Start,
            '$' => Atom::End,
            '.' => Atom::Any,
            '(' => {
                let not_ahead = self.take("?!");
                if !not_ahead && !self.take("?:") && self.peek() == Some('?') {
                    return Err("an unknown kind of group".to_owned());
                }
                let branches = self.branches()?;
                if self.next()? != ')' {
                    return Err("a group is not closed".to_owned());
                }
                if not_ahead {
                    Atom::NotAhead(branches)
                } else {
                    Atom::Group(branches)
                }
            }
            '[' => self.set()?,
            '\\' => one(self.escape()?),
            c @ ('*' | '+' | '?' | '{') => return Err(format!("nothing to repeat before {c}")),
            c => one((c, c)),
        })
    }

    fn set(&mut self) -> Result<Atom, String> {
        let negated = self.take("^");
        let mut ranges = Vec::new();
        loop {
            let low = match self.next()? {
                ']' if !ranges.is_empty() => return Ok(Atom::Set { ranges, negated }),
                '\\' => self.escape()?,
                c => (c, c),
            };
            let is_range = self.peek() == Some('-') && self.chars.get(self.at + 1).is_some_and(|c| *c != ']');
            if !is_range {
                ranges.push(low);
                continue;
            }
            self.at += 1;
            let high = match self.next()? {
                '\\' => self.escape()?,
                c => (c, c),
            };
            ranges.push((low.0, high.1));
        }
    }

    fn escape(&mut self) -> Result<(char, char), String> {
        match self.next()? {
            'd' => Ok(('0', '9')),
            'x' => {
                let digits: String = [self.next()?, self.next()?].iter().collect();
                let c = u8::from_str_radix(&digits, 16).map_err(|_| format!("\\x{digits} is no escape"))?;
                Ok((c.into(), c.into()))
            }
            c if c.is_alphanumeric() => Err(format!("\\{c} is not known")),
            c => Ok((c, c)),
        }
    }

    fn count(&mut self) -> Result<(usize, usize), String> {
        let counts = match self.peek() {
            Some('*') => (0, usize::MAX),
            Some('+') => (1, usize::MAX),
            Some('?') => (0, 1),
            Some('{') => {
                self.at += 1;
                let mut inside = String::new();
                while self.peek().is_some_and(|c| c != '}') {
                    inside.push(self.next()?);
                }
                let (least, most) = inside.split_once(',').unwrap_or((&inside, &inside));
                let number = |text: &str| text.parse::<usize>().map_err(|_| format!("{{{inside}}} is no count"));
                (number(least)?, if most.is_empty() { usize::MAX } else { number(most)? })
            }
            _ => return Ok((1, 1)),
        };
        self.at += 1;
        Ok(counts)
    }

    fn take(&mut self, text: &str) -> bool {
        let there = self.chars[self.at..].iter().copied().take(text.len()).eq(text.chars());
        if there {
            self.at += text.len();
        }
        there
    }

    fn peek(&self) -> Option<char> {
        self.chars.get(self.at).copied()
    }

    fn next(&mut self) -> Result<char, String> {
        let c = self.peek().ok_or("the pattern ends too early")?;
        self.at += 1;
        Ok(c)
    }
}

fn one(range: (char, char)) -> Atom {
    Atom::Set {
        ranges: vec![range],
        negated: false,
    }
}

#[cfg(test)]
mod tests {
    use super::Pattern;

    #[test]
    fn patterns_mean_what_python_means() {
        for (pattern, good, bad) in [
            ("json", "application/json", "text/plain"),
            ("(?i)^text/plain", "Text/Plain; charset=utf-8", "a text/plain"),
            ("^(?!.*html)", "text/plain", "text/html"),
            ("^bytes \\*/11$", "bytes */11", "bytes x/11"),
            ("^(W/)?\"[\\x21\\x23-\\x7e\\x80-\\xff]*\"$", "W/\"a\u{e9}\"", "\"a\"b\""),
            ("^(Mon|Tue), \\d\\d \\d{4}$", "Tue, 06 1994", "Tue, 06 199"),
            ("^a+b{1,2}c$", "aabbc", "bbc"),
            ("^(a|ab)c$", "abc", "ac "),
            ("^(a*)*b$", "aab", "aac"),
            ("[^a]", "ab", "aa"),
        ] {
            let compiled = Pattern::new(pattern).unwrap_or_else(|why| panic!("{pattern}: {why}"));
            assert!(compiled.is_in(good), "{pattern} {good}");
            assert!(!compiled.is_in(bad), "{pattern} {bad}");
        }
        for broken in ["(", "a)", "[a", "*", "\\w", "(?=a)", "a{x}"] {
            assert!(Pattern::new(broken).is_err(), "{broken}");
        }
    }
}
