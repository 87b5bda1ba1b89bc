//! nginx as one of the servers: what it is told, so that it answers what it can of what the others do.

use std::fs;
use std::path::Path;
use std::process::Command;

use super::answers::{FILE_SIZES, content};
use super::process;

/// Room for this many connections of each worker: it makes it when it starts, 430 bytes for each, so that they are in what it
/// takes before it is asked, not in what a connection takes.
const CONNECTIONS: u32 = 20_000;

/// The program, where it is installed.
pub(super) fn program() -> Option<String> {
    let found = process::program("nginx")?;
    Some(found.to_string_lossy().into_owned())
}

/// What it is started with, behind the program's name: it stays in the foreground, and its errors are printed.
pub(super) const ARGUMENTS: &[&str] = &["-e", "stderr", "-c", "{folder}/nginx.conf", "-g", "daemon off;"];

/// Writes all it needs into the folder, and has it write nowhere else.
pub(super) fn configure(program: &str, folder: &Path, port: u16) -> Result<(), String> {
    write_files(folder)?;
    let status = fs::read_to_string("/proc/self/status").map_err(|error| error.to_string())?;
    let text = configuration(&built(program)?, is_root(&status), &folder.to_string_lossy(), port);
    let path = folder.join("nginx.conf");
    fs::write(&path, text).map_err(|error| format!("{} can't be written: {error}", path.display()))
}

/// Writes the files that are served, each by its size.
pub(super) fn write_files(folder: &Path) -> Result<(), String> {
    let files = folder.join("files");
    let sizes = || FILE_SIZES.iter();
    fs::create_dir(&files)
        .and_then(|()| sizes().try_for_each(|&size| fs::write(files.join(size.to_string()), content(size))))
        .map_err(|error| format!("{} can't be filled: {error}", folder.display()))
}

/// It has a listener for each worker, so that connections are spread over them, and keeps files open, as the others hold them
/// in memory.
fn configuration(built: &str, root: bool, folder: &str, port: u16) -> String {
    // It has directives only for what it was built with.
    let relays = ["proxy", "fastcgi", "uwsgi", "scgi"];
    let writers = relays
        .iter()
        .filter(|relay| !built.contains(&format!("--without-http_{relay}_module")));
    let places: String = std::iter::once(&"client_body")
        .chain(writers)
        .map(|writer| format!("    {writer}_temp_path \"{folder}/{writer}\";\n"))
        .collect();
    // Its workers would be nobody's, who can't read the folder; without privileges it doesn't change them.
    let user = if root { "user root root;\n" } else { "" };
    format!(
        "\
{user}worker_processes auto;
worker_rlimit_nofile {CONNECTIONS};
pid \"{folder}/nginx.pid\";
lock_file \"{folder}/nginx.lock\";
error_log stderr;
events {{
    worker_connections {CONNECTIONS};
}}
http {{
    access_log off;
    sendfile on;
    open_file_cache max=16;
    keepalive_requests 1000000000;
{places}    server {{
        listen 127.0.0.1:{port} reuseport backlog=1024;
        location = /users/42 {{
            default_type application/json;
            return 200 '{{\"id\":42,\"name\":\"ann\"}}';
        }}
        location /files/ {{
            default_type application/octet-stream;
            root \"{folder}\";
        }}
        location /static/ {{
            alias \"{folder}/files/\";
        }}
    }}
}}
"
    )
}

fn is_root(status: &str) -> bool {
    let line = status.lines().find_map(|line| line.strip_prefix("Uid:"));
    line.and_then(|line| line.split_whitespace().nth(1)) == Some("0")
}

/// What it was built with: it says so among its errors.
fn built(program: &str) -> Result<String, String> {
    let output = Command::new(program)
        .arg("-V")
        .output()
        .map_err(|error| format!("{program} can't be started: {error}"))?;
    Ok(String::from_utf8_lossy(&output.stderr).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_told_what_it_was_built_for() {
        let built = "configure arguments: --with-pcre --without-http_uwsgi_module";
        let text = configuration(built, true, "/f", 8080);
        assert!(text.starts_with("user root root;\nworker_processes auto;\n"));
        assert!(text.contains("    scgi_temp_path \"/f/scgi\";\n    server {\n        listen 127.0.0.1:8080 "));
        assert!(text.contains("return 200 '{\"id\":42,\"name\":\"ann\"}';\n"));
        assert!(!text.contains("uwsgi"));
        assert!(configuration(built, false, "/f", 8080).starts_with("worker_processes"));
    }

    #[test]
    fn root_is_who_may_do_what_root_may() {
        assert!(is_root("Name:\ta\nUid:\t1000\t0\t0\t0\n"));
        assert!(!is_root("Name:\ta\nUid:\t1000\t1000\t1000\t1000\n"));
    }
}
