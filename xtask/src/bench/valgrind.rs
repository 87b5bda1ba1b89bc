//! What valgrind counts of a program: instructions, and what it takes of the heap.

use std::ffi::OsString;
use std::process::{Command, Stdio};

/// What a run took, or a request of it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Cost {
    pub(crate) instructions: f64,
    pub(crate) allocations: f64,
    /// That were allocated, whether or not they were given back.
    pub(crate) bytes: f64,
}

/// Of how many requests the difference is taken.
const REQUESTS: u32 = 2000;

/// What one request takes: the difference between a run of 2N and one of N, by N. `command` is a program and its arguments for a
/// number of requests.
///
/// # Errors
/// valgrind is not there, or the program failed under it.
pub(crate) fn per_request(command: impl Fn(u32) -> Vec<OsString> + Sync) -> Result<Cost, String> {
    let both = |count: fn(&[OsString]) -> Result<Cost, String>| {
        let (once, twice) = (count(&command(REQUESTS))?, count(&command(2 * REQUESTS))?);
        Ok::<_, String>(once.until(twice))
    };
    // Counts don't mind company.
    let (code, heap) = std::thread::scope(|scope| {
        let code = scope.spawn(|| both(instructions));
        let heap = both(heap);
        (code.join().expect("counting does not panic"), heap)
    });
    let (code, heap) = (code?, heap?);
    Ok(Cost {
        instructions: code.instructions,
        ..heap
    })
}

impl Cost {
    /// Of one request, to the digits that mean something: what is done once a second is no request's.
    fn until(self, twice: Self) -> Self {
        let each = |once: f64, twice: f64| (twice - once) / f64::from(REQUESTS);
        // Not -0.
        let rounded = |value: f64| value.round() + 0.0;
        Self {
            instructions: rounded(each(self.instructions, twice.instructions)),
            allocations: rounded(each(self.allocations, twice.allocations) * 100.0) / 100.0,
            bytes: rounded(each(self.bytes, twice.bytes)),
        }
    }
}

/// The instructions of a whole run.
pub(crate) fn instructions(command: &[OsString]) -> Result<Cost, String> {
    let said = run(&["--tool=callgrind", "--callgrind-out-file=/dev/null"], command)?;
    let instructions = collected(&said).ok_or_else(|| format!("callgrind does not say what it counted: {said}"))?;
    Ok(Cost {
        instructions: instructions as f64,
        ..Cost::default()
    })
}

/// What a whole run takes of the heap.
fn heap(command: &[OsString]) -> Result<Cost, String> {
    let said = run(&["--undef-value-errors=no", "--leak-check=no"], command)?;
    let (allocations, bytes) =
        usage(&said).ok_or_else(|| format!("valgrind does not say what was allocated: {said}"))?;
    Ok(Cost {
        allocations: allocations as f64,
        bytes: bytes as f64,
        ..Cost::default()
    })
}

/// Runs the program under valgrind with these options: what valgrind said.
///
/// # Errors
/// There is no valgrind, or the program failed.
pub(crate) fn run(options: &[&str], command: &[OsString]) -> Result<String, String> {
    let output = Command::new("valgrind")
        .args(options)
        .args(command)
        .stdin(Stdio::null())
        .output()
        .map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound => {
                "valgrind is not installed: `apt-get install valgrind`, or another package manager's".to_owned()
            }
            _ => format!("valgrind does not start: {error}"),
        })?;
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    match output.status.success() {
        true => Ok(said),
        false => Err(format!("{command:?} failed under valgrind: {said}")),
    }
}

/// `Collected : 9592865`, the first of its events.
fn collected(said: &str) -> Option<u64> {
    let (_, number) = said.lines().find_map(|line| line.split_once("Collected : "))?;
    number.split_whitespace().next()?.parse().ok()
}

/// `total heap usage: 133 allocs, 66 frees, 78,810 bytes allocated`
fn usage(said: &str) -> Option<(u64, u64)> {
    let (_, usage) = said.lines().find_map(|line| line.split_once("total heap usage: "))?;
    let mut numbers = usage.split(", ").map(|part| {
        let number = part.split_whitespace().next()?;
        number.replace(',', "").parse().ok()
    });
    let (allocations, _frees, bytes) = (numbers.next()??, numbers.next()??, numbers.next()??);
    Some((allocations, bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_valgrind_says_is_understood() {
        let said =
            "==26604== Events    : Ir\n==26604== Collected : 9592865\n==26604== \n==26604== I   refs:      9,592,865\n";
        assert_eq!(collected(said), Some(9_592_865));
        assert_eq!(collected("==1== nothing\n"), None);
        let said = "==26510== HEAP SUMMARY:\n==26510==     in use at exit: 24,656 bytes in 67 blocks\n\
                    ==26510==   total heap usage: 1,133 allocs, 66 frees, 78,810 bytes allocated\n";
        assert_eq!(usage(said), Some((1133, 78_810)));
        assert_eq!(usage("==1== nothing\n"), None);
    }

    #[test]
    fn what_is_done_once_is_no_requests() {
        let run = |instructions, allocations, bytes| Cost {
            instructions,
            allocations,
            bytes,
        };
        let each = run(1_000_300.0, 5_001.0, 100_100.0).until(run(5_000_600.0, 9_002.0, 99_900.0));
        assert_eq!(each, run(2000.0, 2.0, 0.0));
        assert!(each.bytes.is_sign_positive());
    }
}
