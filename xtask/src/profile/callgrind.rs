//! What callgrind writes with `--dump-instr=yes`: the cost of each instruction, and of each call.

use std::collections::HashMap;
use std::ffi::OsString;
use std::path::Path;

use crate::bench::valgrind;

/// Instructions by the address of who spent them.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Counts {
    /// Of the program's own code.
    pub(super) code: HashMap<u64, f64>,
    /// Of the system's libraries, by where the program called them, and what was called.
    pub(super) called: HashMap<u64, HashMap<String, f64>>,
}

impl Counts {
    /// Of a whole run of the program.
    ///
    /// # Errors
    /// valgrind is not there, the program failed, or what was written can't be read.
    pub(super) fn of(command: &[OsString], program: &Path) -> Result<Self, String> {
        let out = program.with_extension("callgrind");
        let to = format!("--callgrind-out-file={}", out.display());
        let options = [
            "--tool=callgrind",
            "--dump-instr=yes",
            "--compress-pos=no",
            "--compress-strings=no",
            &to,
        ];
        valgrind::run(&options, command)?;
        let text =
            std::fs::read_to_string(&out).map_err(|error| format!("{} can't be read: {error}", out.display()))?;
        Ok(Self::parse(&text, &program.to_string_lossy()))
    }

    /// Lines are `0xADDRESS LINE COST`, under the object (`ob=`) and function that they belong to. Behind `calls=`, the next line
    /// is the whole cost of these calls, to the function (`cfn=`) of the object (`cob=`, if it is another) that was named.
    fn parse(text: &str, program: &str) -> Self {
        let mut counts = Self::default();
        let (mut object, mut callee, mut function) = ("", None, "");
        let mut is_call = false;
        for line in text.lines() {
            if let Some(name) = line.strip_prefix("ob=") {
                object = name;
            } else if let Some(name) = line.strip_prefix("cob=") {
                callee = Some(name);
            } else if let Some(name) = line.strip_prefix("cfn=") {
                function = name;
            } else if line.starts_with("calls=") {
                is_call = true;
            } else if let Some((address, cost)) = cost(line) {
                let from_here = object == program;
                if !is_call {
                    if from_here {
                        *counts.code.entry(address).or_default() += cost;
                    }
                } else if from_here && callee.is_some_and(|callee| callee != program) && works_itself(function) {
                    let called = counts.called.entry(address).or_default();
                    *called.entry(function.to_owned()).or_default() += cost;
                }
                if is_call {
                    (is_call, callee) = (false, None);
                }
            }
        }
        counts
    }

    /// What `twice` has more than this, by the number of requests that it answered more.
    pub(super) fn until(&self, twice: &Self, requests: u32) -> Self {
        let each = |once: f64, twice: f64| (twice - once) / f64::from(requests);
        let code = twice.code.iter().map(|(address, cost)| {
            let once = self.code.get(address).copied().unwrap_or(0.0);
            (*address, each(once, *cost))
        });
        let called = twice.called.iter().map(|(address, called)| {
            let before = self.called.get(address);
            let called = called.iter().map(|(function, cost)| {
                let once = before.and_then(|before| before.get(function)).copied().unwrap_or(0.0);
                (function.clone(), each(once, *cost))
            });
            (
                *address,
                called.filter(|(_, cost)| *cost != 0.0).collect::<HashMap<_, _>>(),
            )
        });
        Self {
            code: code.filter(|(_, cost)| *cost != 0.0).collect(),
            called: called.filter(|(_, called)| !called.is_empty()).collect(),
        }
    }
}

/// Whether it does its own work: what starts the program calls it back, and all of it is counted there.
fn works_itself(function: &str) -> bool {
    !function.starts_with("__libc_start")
}

fn cost(line: &str) -> Option<(u64, f64)> {
    let mut words = line.strip_prefix("0x")?.split(' ');
    let address = u64::from_str_radix(words.next()?, 16).ok()?;
    let _line = words.next()?;
    Some((address, words.next()?.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
# callgrind format
positions: instr line
events: Ir

ob=/w/pipe
fl=src/main.rs
fn=main
0x10 7 3
0x14 8 1
cob=/lib/libc.so.6
cfi=memcpy.S
cfn=memcpy
calls=2 0x99 0
0x14 8 40
cfn=other
calls=1 0x20 9
0x18 9 500

fn=other
0x20 9 500
0x10 7 1
cob=/lib/libc.so.6
cfn=__libc_start_main@@GLIBC_2.34
calls=1 0x90 0
0x10 7 900

ob=/lib/libc.so.6
fn=memcpy
0x99 0 40
cob=/w/pipe
cfn=main
calls=1 0x10 7
0x99 0 544
";

    #[test]
    fn own_code_and_calls_that_leave_it_are_counted() {
        let counts = Counts::parse(TEXT, "/w/pipe");
        assert_eq!(counts.code, HashMap::from([(0x10, 4.0), (0x14, 1.0), (0x20, 500.0)]));
        let memcpy = HashMap::from([("memcpy".to_owned(), 40.0)]);
        assert_eq!(counts.called, HashMap::from([(0x14, memcpy)]));
    }

    #[test]
    fn what_is_the_same_in_both_is_no_requests() {
        let once = Counts::parse(TEXT, "/w/pipe");
        let twice = Counts::parse(
            &TEXT
                .replace("0x20 9 500", "0x20 9 900")
                .replace("0x14 8 40", "0x14 8 80"),
            "/w/pipe",
        );
        let each = once.until(&twice, 4);
        assert_eq!(each.code, HashMap::from([(0x20, 100.0)]));
        assert_eq!(
            each.called,
            HashMap::from([(0x14, HashMap::from([("memcpy".to_owned(), 10.0)]))])
        );
    }
}
