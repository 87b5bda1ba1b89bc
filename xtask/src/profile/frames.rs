//! The frames of an address, inlined ones and all, as `addr2line` of binutils tells them.

use std::collections::HashMap;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

/// A function, and the file it is in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Frame {
    pub(super) function: String,
    pub(super) file: String,
}

/// The frames of each address of the program, the innermost first.
///
/// # Errors
/// There is no addr2line, or it fails.
pub(super) fn ask(program: &Path, addresses: impl Iterator<Item = u64>) -> Result<HashMap<u64, Vec<Frame>>, String> {
    let mut child = Command::new("addr2line")
        .args(["--inlines", "--functions", "--demangle", "--addresses", "--exe"])
        .arg(program)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound => {
                "addr2line is not installed: `apt-get install binutils`, or another package manager's".to_owned()
            }
            _ => format!("addr2line does not start: {error}"),
        })?;
    let asked: String = addresses.map(|address| format!("{address:#x}\n")).collect();
    let mut input = child.stdin.take().expect("it is piped");
    // Written beside what is read: either would block the other.
    let writing = std::thread::spawn(move || input.write_all(asked.as_bytes()));
    let output = child
        .wait_with_output()
        .map_err(|error| format!("addr2line fails: {error}"))?;
    let written = writing.join().expect("writing does not panic");
    match output.status.success() && written.is_ok() {
        true => Ok(parse(&String::from_utf8_lossy(&output.stdout))),
        false => Err(format!("addr2line failed on {}: {}", program.display(), output.status)),
    }
}

/// An address on a line of its own, then two lines for each frame: the function, and `FILE:LINE`.
fn parse(text: &str) -> HashMap<u64, Vec<Frame>> {
    let mut found: HashMap<u64, Vec<Frame>> = HashMap::new();
    let mut frames = None;
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if let Some(address) = line
            .strip_prefix("0x")
            .and_then(|hex| u64::from_str_radix(hex, 16).ok())
        {
            frames = Some(found.entry(address).or_default());
        } else if let (Some(frames), Some(place)) = (frames.as_mut(), lines.next()) {
            frames.push(Frame {
                function: line.to_owned(),
                file: place.rsplit_once(':').map_or(place, |(file, _)| file).to_owned(),
            });
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_addr2line_says_is_understood() {
        let text = "0x0000000000014a20\ncore::slice::iter::next\n/rustc/core/src/slice/iter.rs:170\n\
                    pw_h1::head::parse\n/w/transports/h1/src/head.rs:88 (discriminator 2)\n\
                    0x0000000000000001\n??\n??:0\n";
        let frame = |function: &str, file: &str| Frame {
            function: function.to_owned(),
            file: file.to_owned(),
        };
        let expected = HashMap::from([
            (
                0x14a20,
                vec![
                    frame("core::slice::iter::next", "/rustc/core/src/slice/iter.rs"),
                    frame("pw_h1::head::parse", "/w/transports/h1/src/head.rs"),
                ],
            ),
            (1, vec![frame("??", "??")]),
        ]);
        assert_eq!(parse(text), expected);
    }
}
