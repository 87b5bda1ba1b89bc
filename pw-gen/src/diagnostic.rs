//! What is wrong, where, and how to mend it, rendered the way rustc does.
//!
//! Knows nothing of routes. Who makes them: `scan`, `check` and `workspace`; who prints them: `command`.

use std::fmt;
use std::rc::Rc;

use cargo_metadata::camino::Utf8PathBuf;
use proc_macro2::Span;

/// A source file that was read.
#[derive(Debug)]
pub(crate) struct SourceFile {
    /// Relative to the directory that paths are printed from, with `/` between its parts.
    pub(crate) path: Utf8PathBuf,
    /// All of it.
    pub(crate) text: String,
}

/// A span within a file.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    file: Rc<SourceFile>,
    line: usize,
    column: usize,
    width: usize,
}

impl Place {
    /// Where a token parsed from `file` stands.
    pub(crate) fn of(file: &Rc<SourceFile>, span: Span) -> Self {
        let (start, end) = (span.start(), span.end());
        let width = if end.line == start.line {
            end.column.saturating_sub(start.column)
        } else {
            let line = file.text.lines().nth(start.line.saturating_sub(1)).unwrap_or_default();
            line.trim_end().chars().count().saturating_sub(start.column)
        };
        Self {
            file: Rc::clone(file),
            line: start.line.max(1),
            column: start.column + 1,
            width: width.max(1),
        }
    }

    /// A whole line of `file`, counted from 1.
    pub(crate) fn of_line(file: &Rc<SourceFile>, line: usize) -> Self {
        let text = file.text.lines().nth(line - 1).unwrap_or_default();
        let column = text.chars().take_while(|c| c.is_whitespace()).count();
        Self {
            file: Rc::clone(file),
            line,
            column: column + 1,
            width: text.trim().chars().count().max(1),
        }
    }

    /// The file.
    pub(crate) fn file(&self) -> &SourceFile {
        &self.file
    }

    /// The same, to make another place in it.
    pub(crate) fn source(&self) -> &Rc<SourceFile> {
        &self.file
    }

    /// The line, counted from 1.
    pub(crate) fn line(&self) -> usize {
        self.line
    }

    fn key(&self) -> (&str, usize, usize) {
        (self.file.path.as_str(), self.line, self.column)
    }

    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let number = self.line.to_string();
        let margin = " ".repeat(number.len());
        writeln!(f, "{margin}--> {self}")?;
        let line = self.file.text.lines().nth(self.line - 1).unwrap_or_default();
        writeln!(f, "{margin} |")?;
        writeln!(f, "{number} | {}", line.trim_end().replace('\t', " "))?;
        writeln!(
            f,
            "{margin} | {}{}",
            " ".repeat(self.column - 1),
            "^".repeat(self.width)
        )
    }
}

/// `src/main.rs:12:9`, line and column counted from 1.
impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.file.path, self.line, self.column)
    }
}

/// One mistake.
#[derive(Clone, Debug)]
pub(crate) struct Diagnostic {
    message: String,
    place: Option<Place>,
    notes: Vec<(String, Option<Place>)>,
    helps: Vec<String>,
}

impl Diagnostic {
    /// A mistake at a place.
    pub(crate) fn at(place: Place, message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            place: Some(place),
            notes: Vec::new(),
            helps: Vec::new(),
        }
    }

    /// A mistake that stands in no source file.
    pub(crate) fn nowhere(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            place: None,
            notes: Vec::new(),
            helps: Vec::new(),
        }
    }

    /// Adds the other place.
    pub(crate) fn note_at(mut self, place: Place, note: impl Into<String>) -> Self {
        self.notes.push((note.into(), Some(place)));
        self
    }

    /// Adds what one should know.
    pub(crate) fn note(mut self, note: impl Into<String>) -> Self {
        self.notes.push((note.into(), None));
        self
    }

    /// Adds the remedy.
    pub(crate) fn help(mut self, help: impl Into<String>) -> Self {
        self.helps.push(help.into());
        self
    }

    /// Puts mistakes in the order of their places: by file, line and column.
    pub(crate) fn sort(all: &mut [Self]) {
        all.sort_by(|a, b| {
            let key = |d: &Self| d.place.as_ref().map(|p| (p.file.path.clone(), p.line, p.column));
            key(a).cmp(&key(b)).then_with(|| a.message.cmp(&b.message))
        });
    }

    /// Whether two mistakes are one, said twice.
    pub(crate) fn same(&self, other: &Self) -> bool {
        self.message == other.message && self.place.as_ref().map(Place::key) == other.place.as_ref().map(Place::key)
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "error: {}", self.message)?;
        if let Some(place) = &self.place {
            place.write(f)?;
        }
        for (note, place) in &self.notes {
            writeln!(f, "note: {note}")?;
            if let Some(place) = place {
                place.write(f)?;
            }
        }
        for help in &self.helps {
            writeln!(f, "help: {help}")?;
        }
        Ok(())
    }
}
