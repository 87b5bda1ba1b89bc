//! The probe's own arguments: limits and timeouts, so that a test need not wait for the defaults to pass.

use std::ffi::OsString;
use std::time::Duration;

use polywire::{Limits, Timeouts};

/// For `--help`.
pub(crate) const USAGE: &str = "  \
  --head-timeout SECONDS   from the first byte of a head to its end
  --body-timeout SECONDS   from one byte of a body to the next
  --write-timeout SECONDS  from one byte of an answer taken to the next
  --connections NUMBER     the most connections at once
  --static FOLDER          what is served below /static";

/// What they set.
#[derive(Debug, Default)]
pub(crate) struct Settings {
    pub(crate) limits: Limits,
    pub(crate) timeouts: Timeouts,
    pub(crate) files: Option<String>,
}

impl Settings {
    /// Reads them, and passes over every other argument.
    ///
    /// # Errors
    /// A value is missing or wrong; the text says which.
    pub(crate) fn parse(arguments: impl Iterator<Item = OsString>) -> Result<Self, String> {
        let mut settings = Self::default();
        let mut arguments = arguments
            .take_while(|argument| argument != "--")
            .filter_map(|argument| argument.into_string().ok());
        while let Some(argument) = arguments.next() {
            let (name, value) = match argument.split_once('=') {
                Some((name, value)) => (name, Some(value.to_owned())),
                None => (&*argument, None),
            };
            let timeouts = &mut settings.timeouts;
            let timeout = match name {
                "--head-timeout" => &mut timeouts.head,
                "--body-timeout" => &mut timeouts.body,
                "--write-timeout" => &mut timeouts.write,
                "--connections" => {
                    let count = value.or_else(|| arguments.next());
                    settings.limits.connections = Some(parsed(name, "a number", count, |text| text.parse().ok())?);
                    continue;
                }
                "--static" => {
                    let folder = value.or_else(|| arguments.next());
                    settings.files = Some(parsed(name, "a folder", folder, |text| Some(text.to_owned()))?);
                    continue;
                }
                _ => continue,
            };
            *timeout = parsed(name, "seconds", value.or_else(|| arguments.next()), seconds)?;
        }
        Ok(settings)
    }
}

fn parsed<T>(name: &str, what: &str, text: Option<String>, parse: impl Fn(&str) -> Option<T>) -> Result<T, String> {
    let text = text.ok_or_else(|| format!("`{name}` needs {what}"))?;
    parse(&text).ok_or_else(|| format!("`{name}` needs {what}, not {text:?}"))
}

fn seconds(text: &str) -> Option<Duration> {
    Duration::try_from_secs_f64(text.parse().ok()?).ok()
}
