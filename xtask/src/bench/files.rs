//! The layers of files: `files`, which most servers hold in memory, and `static`, from a folder.

use super::Options;
use super::answers::{FILE_SIZES, USER, content};
use super::client::Client;
use super::load::{self, Load};
use super::loopback::{DESCRIPTORS, SECONDS, column, kept};
use super::process;
use super::rounds::{Figures, Measure, in_rounds};
use super::run::{Better, Column, Table};
use super::servers::{self, BASE_OF_FILES, NGINX, Running, Server};

const CONNECTIONS: [usize; 3] = [10, 500, 1000];
/// Of an answer, about.
const HEAD: usize = 150;

/// Files of 9.7 kB and 2.1 MB, from memory.
pub(super) fn files(options: &Options) -> Result<Vec<Table>, String> {
    process::allow_descriptors(DESCRIPTORS)?;
    let servers = servers::built(options, BASE_OF_FILES)?;
    let rounds = if options.quick { 1 } else { 3 };
    let measures = FILE_SIZES.map(|size| Measure {
        table: Table {
            name: format!("files-{size}"),
            title: format!("`/files/{size}`: {CONNECTIONS:?} connections, kept").replace(['[', ']'], ""),
            about: format!(
                "{rounds} x {} s under wrk for each number of connections. nginx sends a file it keeps open, the \
                 others what they hold in memory. Answers that were cut off at the end count by what had come of them.",
                seconds_of(size)
            ),
            base: Some(BASE_OF_FILES.to_owned()),
            ..table()
        },
        takes_part: Box::new(move |server| server.answers(&format!("/files/{size}"))),
        sample: Box::new(move |server| sample(&format!("/files/{size}"), size, false, || server.start())),
    });
    in_rounds("files", rounds, &servers, measures.into())
}

/// The same from a folder, beside nginx.
pub(super) fn of_a_folder(options: &Options) -> Result<Vec<Table>, String> {
    process::allow_descriptors(DESCRIPTORS)?;
    let servers = servers::built_of(options, NGINX, servers::has_folder)?;
    if !servers.iter().any(|server| server.name == NGINX) {
        return Ok(Vec::new());
    }
    for server in &servers {
        check(&server.start_with_folder()?)?;
    }
    let rounds = if options.quick { 1 } else { 3 };
    let mut measures = Vec::new();
    for (size, close) in [
        (FILE_SIZES[0], false),
        (FILE_SIZES[1], false),
        (FILE_SIZES[0], true),
        (FILE_SIZES[1], true),
    ] {
        let (name, how) = match close {
            false => (format!("static-{size}"), "kept"),
            true => (format!("static-{size}-close"), "a new one for every request"),
        };
        measures.push(Measure {
            table: Table {
                name,
                title: format!("A file of {size} bytes in a folder: {CONNECTIONS:?} connections, {how}").replace(['[', ']'], ""),
                about: format!(
                    "{rounds} x {} s under wrk for each number of connections. All send it from the file system; nginx has \
                     sendfile and open_file_cache, and as many workers as there are cores. Memory is resident, after 1,000 connections.",
                    seconds_of(size)
                ),
                base: Some(NGINX.to_owned()),
                ..table()
            },
            takes_part: Box::new(|_: &Server| true),
            sample: Box::new(move |server: &Server| {
                sample(&format!("/static/{size}"), size, close, || server.start_with_folder())
            }),
        });
    }
    in_rounds("static", rounds, &servers, measures)
}

/// Nothing is compared that does not answer alike.
fn check(running: &Running<'_>) -> Result<(), String> {
    let mut client = Client::connect(running.port).map_err(|error| running.complaint(&error.to_string()))?;
    for size in FILE_SIZES {
        let answer = client
            .ask("GET", &format!("/static/{size}"), b"")
            .map_err(|error| running.complaint(&format!("does not answer /static/{size}: {error}")))?;
        if answer.status != 200 || answer.body != content(size) || answer.field("etag").is_none() {
            return Err(running.complaint(&format!("answers /static/{size} unlike the others: {}", answer.status)));
        }
    }
    Ok(())
}

/// Without a name, and without rows.
fn table() -> Table {
    let mut columns = Vec::new();
    for connections in CONNECTIONS {
        columns.push(Column {
            drawn: true,
            ..column(&format!("CPU/request at {connections}"), "µs", Better::Less, 1)
        });
        columns.push(column(&format!("sent at {connections}"), "MB/s", Better::More, 0));
    }
    columns.push(column("resident", "kB", Better::Less, 0));
    columns.push(column("failures", "", Better::Less, 0));
    Table {
        name: String::new(),
        title: String::new(),
        about: String::new(),
        rows_are: "server".to_owned(),
        base: None,
        columns,
        rows: Vec::new(),
    }
}

/// Of large files so few come in a second that those on their way matter.
fn seconds_of(size: usize) -> u64 {
    if size > 1_000_000 { 2 * SECONDS } else { SECONDS }
}

fn sample<'a>(target: &str, size: usize, close: bool, start: impl Fn() -> Result<Running<'a>, String>) -> Figures {
    let (mut figures, mut failures, mut resident) = (Vec::new(), 0.0, 0);
    for connections in CONNECTIONS {
        let running = start()?;
        running.warm(USER)?;
        let load = Load {
            close,
            seconds: seconds_of(size),
            ..kept(target, connections)
        };
        let loaded = load::wrk(&running, &load)?;
        // With a thousand connections, much of it may be on its way when the time is over.
        let requests = (loaded.bytes / (size + HEAD) as f64).max(1.0);
        figures.push(Some(loaded.cpu.whole() * 1e6 / requests));
        figures.push(Some(loaded.bytes / 1e6 / loaded.seconds));
        failures += loaded.failures;
        resident = running.process.memory().resident;
    }
    figures.push(Some(resident as f64 / 1e3));
    figures.push(Some(failures));
    Ok(figures)
}
