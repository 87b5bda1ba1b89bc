//! A process that is watched: what the kernel accounts for it, what it printed, and that it ends. Where all of that stands is
//! Linux's `/proc`.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// How long one may take to end after it was told to.
const TO_END: Duration = Duration::from_secs(10);
/// Between looks at a process that is to end.
const PAUSE: Duration = Duration::from_millis(5);
/// Of a second: what the kernel tells programs it counts in, whatever it counts in itself.
const TICKS: f64 = 100.0;

/// A process and its children, ended where this is dropped.
pub(super) struct Process {
    child: Child,
    output: PathBuf,
}

/// Seconds of all its threads.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Cpu {
    pub(super) user: f64,
    pub(super) system: f64,
}

/// Bytes. What processes share counts for each of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Memory {
    pub(super) resident: u64,
    pub(super) virtual_: u64,
}

impl Process {
    /// Starts it. What it prints goes to a file of the folder.
    pub(super) fn start(command: &[String], folder: &Path) -> Result<Self, String> {
        let (program, arguments) = command.split_first().expect("a command has a program");
        let output = folder.join("output");
        let files = File::create(&output).and_then(|file| Ok((file.try_clone()?, file)));
        let (file, same) = files.map_err(|error| format!("{} can't be written: {error}", output.display()))?;
        let child = Command::new(program)
            .args(arguments)
            .stdin(Stdio::null())
            .stdout(file)
            .stderr(same)
            .spawn()
            .map_err(|error| format!("{program} can't be started: {error}"))?;
        Ok(Self { child, output })
    }

    /// Whether it has not ended.
    pub(super) fn runs(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(None))
    }

    /// Waits until it ends by itself, for this long: what it printed.
    pub(super) fn finish(mut self, longest: Duration) -> Result<String, String> {
        let ended = self.wait(longest);
        let printed = self.printed();
        match ended {
            Some(status) if status.success() => Ok(printed),
            Some(status) => Err(format!("{status}: {printed}")),
            None => Err(format!("not done after {} s: {printed}", longest.as_secs())),
        }
    }

    /// What it has written, to either of its outputs.
    pub(super) fn printed(&self) -> String {
        let bytes = fs::read(&self.output).unwrap_or_default();
        String::from_utf8_lossy(&bytes).into_owned()
    }

    /// The one that was started, and its children.
    pub(super) fn ids(&self) -> Vec<u32> {
        let own = self.child.id();
        let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
        let numbers = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
        let children = numbers.filter(|&id| {
            let stat = fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
            Stat::parse(&stat).is_some_and(|stat| stat.parent == own)
        });
        std::iter::once(own).chain(children).collect()
    }

    /// So far.
    pub(super) fn cpu(&self) -> Cpu {
        self.each("stat")
            .filter_map(|text| Stat::parse(&text))
            .fold(Cpu::default(), |sum, stat| Cpu {
                user: sum.user + stat.cpu.user,
                system: sum.system + stat.cpu.system,
            })
    }

    /// Now.
    pub(super) fn memory(&self) -> Memory {
        self.each("status")
            .map(|text| Memory::parse(&text))
            .fold(Memory::default(), |sum, each| Memory {
                resident: sum.resident + each.resident,
                virtual_: sum.virtual_ + each.virtual_,
            })
    }

    fn each(&self, file: &str) -> impl Iterator<Item = String> {
        let ids = self.ids().into_iter();
        // Some end meanwhile.
        ids.filter_map(move |id| fs::read_to_string(format!("/proc/{id}/{file}")).ok())
    }

    fn wait(&mut self, longest: Duration) -> Option<ExitStatus> {
        let last = Instant::now() + longest;
        loop {
            if let Ok(Some(status)) = self.child.try_wait() {
                return Some(status);
            }
            if Instant::now() > last {
                return None;
            }
            thread::sleep(PAUSE);
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        if !self.runs() {
            return;
        }
        let ids = self.ids();
        signal("TERM", &ids[..1]);
        if self.wait(TO_END).is_none() {
            signal("KILL", &ids);
            let _ = self.child.wait();
        }
    }
}

impl Cpu {
    pub(super) fn since(self, before: Self) -> Self {
        Self {
            user: self.user - before.user,
            system: self.system - before.system,
        }
    }

    pub(super) fn whole(self) -> f64 {
        self.user + self.system
    }
}

impl Memory {
    /// Of a `status` file.
    fn parse(text: &str) -> Self {
        let bytes = |name: &str| {
            let line = text.lines().find_map(|line| line.strip_prefix(name));
            let number: Option<u64> = line.and_then(|line| line.split_whitespace().next()?.parse().ok());
            number.unwrap_or(0) * 1024
        };
        Self {
            resident: bytes("VmRSS:"),
            virtual_: bytes("VmSize:"),
        }
    }
}

/// What is read of a `stat` file.
#[derive(Debug, PartialEq)]
struct Stat {
    parent: u32,
    cpu: Cpu,
}

impl Stat {
    fn parse(text: &str) -> Option<Self> {
        // Names may have spaces and parentheses.
        let fields: Vec<&str> = text.rsplit_once(')')?.1.split_whitespace().collect();
        let ticks = |at: usize| Some(fields.get(at)?.parse::<f64>().ok()? / TICKS);
        Some(Self {
            parent: fields.get(1)?.parse().ok()?,
            cpu: Cpu {
                user: ticks(11)?,
                system: ticks(12)?,
            },
        })
    }
}

/// `kill` is part of every shell, and no program everywhere.
fn signal(name: &str, ids: &[u32]) {
    let _ = Command::new("sh")
        .args(["-c", &format!("kill -{name} \"$@\""), "sh"])
        .args(ids.iter().map(u32::to_string))
        .stderr(Stdio::null())
        .status();
}

/// A folder of its own, gone where this is dropped.
pub(super) struct Folder(PathBuf);

impl Folder {
    pub(super) fn create() -> Result<Self, String> {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("polywire-bench-{}-{number}", std::process::id()));
        fs::create_dir(&path).map_err(|error| format!("{} can't be made: {error}", path.display()))?;
        Ok(Self(path))
    }

    pub(super) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Where a program is, on everybody's path or among what is for administrators, as Debian's nginx.
pub(super) fn program(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::env::split_paths(&path).chain(["/usr/local/sbin".into(), "/usr/sbin".into()]);
    folders.map(|folder| folder.join(name)).find(|file| file.is_file())
}

/// Raises how many descriptors this process may have, and those it starts, to this.
///
/// # Errors
/// It may not have as many.
pub(super) fn allow_descriptors(least: u64) -> Result<(), String> {
    let limits = fs::read_to_string("/proc/self/limits").unwrap_or_default();
    let (soft, hard) = descriptors(&limits).ok_or("/proc/self/limits can't be understood: this is for Linux")?;
    if soft >= least {
        return Ok(());
    }
    if hard < least {
        return Err(format!(
            "{least} descriptors are needed, and {hard} allowed (`ulimit -Hn`)"
        ));
    }
    let status = Command::new("prlimit")
        .args(["--pid", &std::process::id().to_string(), &format!("--nofile={least}:")])
        .status();
    match status.is_ok_and(|status| status.success()) {
        true => Ok(()),
        false => Err(format!(
            "prlimit failed: `ulimit -Sn {least}` before this does the same"
        )),
    }
}

/// How many there may be, and how many may be asked for.
fn descriptors(limits: &str) -> Option<(u64, u64)> {
    let line = limits.lines().find_map(|line| line.strip_prefix("Max open files"))?;
    let mut numbers = line.split_whitespace().map(|number| match number {
        "unlimited" => Some(u64::MAX),
        number => number.parse().ok(),
    });
    Some((numbers.next()??, numbers.next()??))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn started(script: &str, folder: &Folder) -> Process {
        Process::start(&["sh".to_owned(), "-c".to_owned(), script.to_owned()], folder.path()).unwrap()
    }

    #[test]
    fn what_the_kernel_writes_is_read() {
        let stat = "4242 (a) b (c) S 17 4242 4242 0 -1 4194560 1015 0 0 0 150 25 0 0 20 0 3 0 9 1 2";
        let cpu = Cpu {
            user: 1.5,
            system: 0.25,
        };
        assert_eq!(Stat::parse(stat), Some(Stat { parent: 17, cpu }));
        assert_eq!(Stat::parse("4242 (a"), None);
        let status = "Name:\tprobe\nVmPeak:\t  9 kB\nVmSize:\t   10 kB\nVmRSS:\t    4 kB\n";
        let memory = Memory {
            resident: 4096,
            virtual_: 10240,
        };
        assert_eq!(Memory::parse(status), memory);
        let limits = "Max processes   unlimited  unlimited  processes\nMax open files            1024                 unlimited            files\n";
        assert_eq!(descriptors(limits), Some((1024, u64::MAX)));
        assert!(descriptors(&fs::read_to_string("/proc/self/limits").unwrap()).is_some());
    }

    #[test]
    fn what_it_prints_is_kept_and_how_it_ends() {
        let folder = Folder::create().unwrap();
        let patience = Duration::from_secs(30);
        assert_eq!(
            started("echo a; echo b >&2", &folder).finish(patience),
            Ok("a\nb\n".to_owned())
        );
        let failed = started("echo c; exit 3", &folder).finish(patience).unwrap_err();
        assert_eq!(failed, "exit status: 3: c\n");
        let late = started("read never < /dev/zero", &folder)
            .finish(Duration::ZERO)
            .unwrap_err();
        assert_eq!(late, "not done after 0 s: ");
    }

    #[test]
    fn it_is_measured_with_its_children_and_ends_when_dropped() {
        let folder = Folder::create().unwrap();
        let mut process = started("sleep 60 & trap 'kill $!; exit' TERM; wait", &folder);
        while process.ids().len() < 2 {
            assert!(process.runs());
        }
        assert!(process.memory().virtual_ >= process.memory().resident);
        assert!(process.memory().resident > 0);
        let (id, path) = (process.child.id(), folder.path().to_owned());
        drop((process, folder));
        assert!(!Path::new(&format!("/proc/{id}")).exists());
        assert!(!path.exists());
    }
}
