//! From tokens to text: prettyplease for the code, and what it can't do. Blank lines between items, comments.

use proc_macro2::TokenStream;

/// A file under construction: a header and items.
#[derive(Debug)]
pub(crate) struct File {
    text: String,
}

impl File {
    /// A file that begins with `//! ` and this text, line by line.
    pub(crate) fn new(header: &str) -> Self {
        let mut text = String::new();
        for line in header.lines() {
            text.push_str(format!("//! {line}").trim_end());
            text.push('\n');
        }
        Self { text }
    }

    /// Adds an item after a blank line.
    pub(crate) fn item(&mut self, tokens: TokenStream) -> &mut Self {
        self.text.push('\n');
        self.text.push_str(&spaced(&pretty(tokens)));
        self
    }

    /// Adds items that stand together, without blank lines between them.
    pub(crate) fn group(&mut self, tokens: TokenStream) -> &mut Self {
        self.text.push('\n');
        self.text.push_str(&pretty(tokens));
        self
    }

    /// Adds an item that is written as it is, after a blank line.
    pub(crate) fn verbatim(&mut self, text: &str) -> &mut Self {
        self.text.push('\n');
        self.text.push_str(text);
        if !text.ends_with('\n') {
            self.text.push('\n');
        }
        self
    }

    /// The text, with comments at the ends of lines. Each pair of `comments` is what a line calls (`crate::show`, an
    /// opening parenthesis behind it) and what to say there. They are used in turn.
    pub(crate) fn with_comments(self, comments: &[(String, String)]) -> String {
        let mut out = String::with_capacity(self.text.len() + comments.len() * 80);
        let mut comments = comments.iter().peekable();
        for line in self.text.lines() {
            out.push_str(line);
            if let Some((_, comment)) = comments.next_if(|(call, _)| calls(line, call)) {
                out.push_str(" // ");
                out.push_str(comment);
            }
            out.push('\n');
        }
        debug_assert!(comments.next().is_none(), "every call has its line");
        out
    }

    /// The text.
    pub(crate) fn finish(self) -> String {
        self.text
    }
}

fn calls(line: &str, call: &str) -> bool {
    line.match_indices(call).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        line[at + call.len()..].starts_with('(') && before.is_none_or(|c| c == ' ' || c == '(')
    })
}

fn pretty(tokens: TokenStream) -> String {
    let text = tokens.to_string();
    let file =
        syn::parse2(tokens).unwrap_or_else(|error| panic!("the generator wrote what is not Rust: {error}\n{text}"));
    hugged(&prettyplease::unparse(&file))
}

/// Brings together what prettyplease puts on lines of their own: `(`, then `&[`, when a call has but one argument; and
/// sets arguments less far to the right where a chain of calls goes on behind them. As rustfmt does both.
fn hugged(text: &str) -> String {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let mut at = 0;
    while at + 1 < lines.len() {
        match close_of_sole_argument(&lines, at) {
            Some(close) => {
                let opened = lines.remove(at + 1);
                lines[at].push_str(opened.trim_start());
                // One line fewer before it now: the argument's end, and behind it that of the call.
                let close = close - 1;
                let ended = lines.remove(close + 1);
                let argument_end = lines[close].trim().trim_end_matches(',').to_owned();
                lines[close] = format!("{}{argument_end}{}", " ".repeat(indent(&ended)), ended.trim_start());
                for line in &mut lines[at + 1..close] {
                    line.drain(..4.min(indent(line)));
                }
            }
            None => at += 1,
        }
    }
    for at in 0..lines.len() {
        let depth = indent(&lines[at]);
        if lines[at].ends_with('(') && lines.get(at + 1).is_some_and(|next| indent(next) == depth + 8) {
            for line in lines[at + 1..].iter_mut().take_while(|line| indent(line) > depth) {
                line.drain(..4);
            }
        }
    }
    lines.push(String::new());
    lines.join("\n")
}

/// Where the only argument of the call that a line opens has its end, if it is a call or a list of its own.
fn close_of_sole_argument(lines: &[String], at: usize) -> Option<usize> {
    let argument = lines.get(at + 1)?;
    if !lines[at].ends_with('(') || !argument.ends_with(['(', '[']) {
        return None;
    }
    let depth = indent(argument);
    let close = (at + 2..lines.len()).find(|line| indent(&lines[*line]) <= depth)?;
    let is_close = matches!(lines[close].trim(), "]," | ")," | "])," | ")),");
    let after = lines.get(close + 1)?;
    (is_close && indent(&lines[close]) == depth && indent(after) < depth && after.trim_start().starts_with(')'))
        .then_some(close)
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

/// Puts a blank line after each item within an item that something follows.
fn spaced(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        out.push_str(line);
        out.push('\n');
        if line == "    }" && lines.peek().is_some_and(|next| *next != "}") {
            out.push('\n');
        }
    }
    out
}
