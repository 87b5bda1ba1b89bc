//! A browser, told what to do through chromedriver: the few commands of WebDriver (W3C) that a test of a page needs.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};
use tempfile::TempDir;

/// How long a command may take. The browser gives up on a page or a script earlier, and says so.
const PATIENCE: Duration = Duration::from_secs(60);

/// The same for pages and scripts, in milliseconds.
const SCRIPT: u64 = 30_000;

/// A headless Chromium with a profile of its own. It ends with this.
pub(crate) struct Browser {
    driver: Child,
    /// Kept open: a driver that can't speak any more would end.
    said: BufReader<ChildStdout>,
    port: u16,
    session: String,
    /// Chromium's id, in case that its driver can't end it.
    process: Option<u64>,
    /// All that driver and browser write to.
    folder: TempDir,
}

impl Browser {
    /// Starts one. `None` where chromium or chromedriver is not installed.
    pub(crate) fn start() -> Option<Self> {
        let chromium = find("chromium")?;
        let folder = TempDir::new().unwrap();
        let mut driver = Command::new(find("chromedriver")?)
            .arg("--port=0")
            .env("TMPDIR", folder.path())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let said = BufReader::new(driver.stdout.take().unwrap());
        let mut browser = Self {
            driver,
            said,
            port: 0,
            session: String::new(),
            process: None,
            folder,
        };
        browser.port = browser.find_port();
        browser.open(&chromium);
        Some(browser)
    }

    fn find_port(&mut self) -> u16 {
        let mut lines = self.said.by_ref().lines();
        let port = lines.find_map(|line| {
            let line = line.unwrap();
            let (_, port) = line.split_once("started successfully on port ")?;
            port.trim_end_matches('.').parse().ok()
        });
        port.expect("chromedriver says its port")
    }

    fn open(&mut self, chromium: &Path) {
        let mut arguments = vec![
            "--headless=new".to_owned(),
            "--disable-gpu".to_owned(),
            "--disable-dev-shm-usage".to_owned(),
            "--no-first-run".to_owned(),
            format!("--user-data-dir={}", self.folder.path().join("profile").display()),
        ];
        // Chromium's sandbox does not work for root, as which containers run.
        if std::fs::metadata("/proc/self").is_ok_and(|own| own.uid() == 0) {
            arguments.push("--no-sandbox".to_owned());
        }
        let wanted = json!({"capabilities": {"alwaysMatch": {
            "browserName": "chrome",
            "timeouts": {"script": SCRIPT, "pageLoad": SCRIPT},
            "goog:chromeOptions": {"args": arguments, "binary": chromium},
            "goog:loggingPrefs": {"browser": "ALL"},
        }}});
        let opened = self.ask("POST", "/session", &wanted).unwrap();
        self.session = opened["sessionId"]
            .as_str()
            .unwrap_or_else(|| panic!("no session: {opened}"))
            .to_owned();
        self.process = opened["capabilities"]["goog:processID"].as_u64();
    }

    /// Opens a page in a new tab, and goes there.
    pub(crate) fn tab(&self, url: &str) -> Value {
        let tab = self.command("POST", "/window/new", &json!({"type": "tab"}))["handle"].clone();
        self.switch(&tab);
        self.command("POST", "/url", &json!({"url": url}));
        tab
    }

    /// Goes to a tab.
    pub(crate) fn switch(&self, tab: &Value) {
        self.command("POST", "/window", &json!({"handle": tab}));
    }

    /// Types into the element that a selector finds, as a person would.
    pub(crate) fn type_into(&self, selector: &str, keys: &str) {
        let element = self.command("POST", "/element", &json!({"using": "css selector", "value": selector}));
        let id = element.as_object().and_then(|element| element.values().next());
        let id = id.and_then(Value::as_str).expect("an element");
        self.command("POST", &format!("/element/{id}/value"), &json!({"text": keys}));
    }

    /// What the body of a function returns in the page.
    pub(crate) fn run(&self, script: &str) -> Value {
        self.command("POST", "/execute/sync", &json!({"script": script, "args": []}))
    }

    /// Until an expression is true in the page, which is looked at whenever the page changes.
    ///
    /// # Panics
    /// It does not become true in time.
    pub(crate) fn until(&self, expression: &str) {
        let script = format!(
            "const [done] = arguments, holds = () => {expression};
             if (holds()) return done();
             new MutationObserver((_, observer) => {{
                 if (holds()) {{ observer.disconnect(); done(); }}
             }}).observe(document, {{subtree: true, childList: true, characterData: true, attributes: true}});"
        );
        let body = json!({"script": script, "args": []});
        let path = format!("/session/{}/execute/async", self.session);
        let answer = self.ask("POST", &path, &body).unwrap();
        if let Some(error) = answer["error"].as_str() {
            let page = self.run("return document.body.innerText");
            panic!("{expression}: {error}\n{}", page.as_str().unwrap_or_default());
        }
    }

    /// What the current tab's console says, since this was last asked.
    pub(crate) fn console(&self) -> Vec<Value> {
        match self.command("POST", "/se/log", &json!({"type": "browser"})) {
            Value::Array(lines) => lines,
            other => panic!("{other} is no log"),
        }
    }

    fn command(&self, method: &str, path: &str, body: &Value) -> Value {
        let answer = self.ask(method, &format!("/session/{}{path}", self.session), body);
        let answer = answer.unwrap();
        assert!(answer["error"].is_null(), "{path} {body}: {answer}");
        answer
    }

    /// The value that chromedriver answers with.
    fn ask(&self, method: &str, path: &str, body: &Value) -> io::Result<Value> {
        let mut socket = TcpStream::connect(("127.0.0.1", self.port))?;
        socket.set_read_timeout(Some(PATIENCE))?;
        let body = body.to_string();
        let length = body.len();
        let request = format!(
            "{method} {path} HTTP/1.1\r\nhost: localhost:{}\r\ncontent-type: application/json\r\n\
             content-length: {length}\r\nconnection: close\r\n\r\n{body}",
            self.port
        );
        socket.write_all(request.as_bytes())?;
        let mut socket = BufReader::new(socket);
        let mut length = 0;
        loop {
            let mut line = String::new();
            if socket.read_line(&mut line)? == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            let line = line.trim_end().to_ascii_lowercase();
            if let Some(value) = line.strip_prefix("content-length:") {
                length = value.trim().parse().map_err(io::Error::other)?;
            }
            if line.is_empty() {
                break;
            }
        }
        let mut answer = vec![0; length];
        socket.read_exact(&mut answer)?;
        let mut answer: Value = serde_json::from_slice(&answer)?;
        Ok(answer["value"].take())
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let quit = self.ask("DELETE", &format!("/session/{}", self.session), &json!({}));
        let _ = self.driver.kill();
        let _ = self.driver.wait();
        if let (Err(_), Some(process)) = (quit, self.process) {
            let _ = Command::new("kill").args(["-KILL", &process.to_string()]).status();
        }
    }
}

/// Where a program is.
fn find(program: &str) -> Option<PathBuf> {
    std::env::split_paths(&std::env::var_os("PATH")?)
        .map(|folder| folder.join(program))
        .find(|path| path.is_file())
}
