//! A strict reader of HTTP/1.x responses: it tells what is whole, what is under way and what is broken.

use crate::python;
use crate::text::from_latin1;

/// One response, with the rules it breaks.
#[derive(Clone, Debug, Default)]
pub struct Response {
    /// The status code.
    pub status: u16,
    /// The fields in order, names in lower case.
    pub fields: Vec<(String, String)>,
    /// The content, with the chunked coding taken off.
    pub body: Vec<u8>,
    /// What every response must keep to and this one does not.
    pub faults: Vec<String>,
}

impl Response {
    /// All values of a field.
    pub fn all(&self, name: &str) -> Vec<&str> {
        self.fields
            .iter()
            .filter(|(n, _)| n == name)
            .map(|(_, value)| value.as_str())
            .collect()
    }

    /// The values of a field joined by `, `, if it is there.
    pub fn field(&self, name: &str) -> Option<String> {
        let values = self.all(name);
        (!values.is_empty()).then(|| values.join(", "))
    }

    /// Whether this is a 1xx that another response follows.
    pub fn is_interim(&self) -> bool {
        (100..200).contains(&self.status) && self.status != 101
    }

    /// Whether the bytes after this response are no longer HTTP.
    fn opens_tunnel(&self, method: &str) -> bool {
        self.status == 101 || method == "CONNECT" && (200..300).contains(&self.status)
    }
}

/// Why there is no response.
#[derive(Debug, PartialEq, Eq)]
pub enum Missing {
    /// More bytes are needed.
    Incomplete,
    /// The bytes are no valid HTTP/1.x response.
    Broken(String),
}

/// Where the bytes of a connection end.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum State {
    /// After a response: nothing is left.
    #[default]
    Clean,
    /// Within a response.
    Partial,
    /// In bytes after a 101, or after a 2xx to CONNECT.
    Tunnel,
    /// In bytes that are no response.
    Broken(String),
}

/// All that came on a connection, taken apart.
#[derive(Clone, Debug, Default)]
pub struct Responses {
    /// Final responses.
    pub finals: Vec<Response>,
    /// 1xx, other than 101.
    pub interims: Vec<Response>,
    /// What stands after them.
    pub tail: Vec<u8>,
    /// What the tail is.
    pub state: State,
}

/// Takes the bytes of a connection apart.
///
/// `methods` are those of the requests in order, GET beyond; `http10` tells that the first request was HTTP/1.0; `eof` that no more bytes
/// will come.
pub fn split(bytes: &[u8], methods: &[String], http10: bool, eof: bool) -> Responses {
    let mut out = Responses::default();
    let mut rest = bytes;
    while !rest.is_empty() {
        let at = out.finals.len();
        let method = methods.get(at).map_or("GET", String::as_str);
        match read(rest, method, http10 && at == 0, eof) {
            Ok((response, after)) => {
                rest = after;
                if response.is_interim() {
                    out.interims.push(response);
                    continue;
                }
                let tunnel = response.opens_tunnel(method);
                out.finals.push(response);
                if tunnel {
                    out.state = State::Tunnel;
                    break;
                }
            }
            Err(missing) => {
                out.state = match missing {
                    Missing::Incomplete => State::Partial,
                    Missing::Broken(why) => State::Broken(why),
                };
                break;
            }
        }
    }
    out.tail = rest.to_vec();
    out
}

/// Reads the response at the start of `bytes`, and gives what follows it.
///
/// # Errors
/// It is not whole yet, or no response.
pub fn read<'b>(bytes: &'b [u8], method: &str, http10: bool, eof: bool) -> Result<(Response, &'b [u8]), Missing> {
    let mut out = Response::default();
    if !b"HTTP/".starts_with(&bytes[..bytes.len().min(5)]) {
        return Err(Missing::Broken(format!(
            "not a status line: {}",
            python::bytes(&bytes[..bytes.len().min(40)])
        )));
    }
    let (line, mut rest) = read_line(bytes)?;
    let shown = || python::bytes(&line[..line.len().min(60)]);
    out.status = status(line).ok_or_else(|| Missing::Broken(format!("not a status line: {}", shown())))?;
    if !is_status_line(line) {
        out.faults.push(format!("status line breaks the grammar: {}", shown()));
    }
    loop {
        let (line, after) = read_line(rest)?;
        rest = after;
        if line.is_empty() {
            break;
        }
        out.push_field(line);
    }
    let coding = out.field("transfer-encoding");
    let length = out.check_framing(coding.is_some(), http10)?;
    let bodiless = method == "HEAD"
        || (100..200).contains(&out.status)
        || matches!(out.status, 204 | 304)
        || method == "CONNECT" && (200..300).contains(&out.status);
    if bodiless {
        return Ok((out, rest));
    }
    if let Some(coding) = coding {
        if !coding.eq_ignore_ascii_case("chunked") {
            return Err(Missing::Broken(format!("Transfer-Encoding {}", python::text(&coding))));
        }
        (out.body, rest) = read_chunked(rest)?;
    } else if let Some(length) = length {
        let (body, after) = rest.split_at_checked(length).ok_or(Missing::Incomplete)?;
        (out.body, rest) = (body.to_vec(), after);
    } else if eof {
        (out.body, rest) = (rest.to_vec(), &[]);
    } else {
        return Err(Missing::Incomplete);
    }
    Ok((out, rest))
}

impl Response {
    fn push_field(&mut self, line: &[u8]) {
        let shown = || python::bytes(&line[..line.len().min(60)]);
        let colon = line.iter().position(|b| *b == b':');
        let (name, value) = match colon {
            Some(at) => (&line[..at], &line[at + 1..]),
            None => (line, &[][..]),
        };
        if colon.is_none() || !is_token(name) {
            self.faults.push(format!("bad header line {}", shown()));
        }
        if value.iter().any(|b| matches!(b, 0..=8 | 0x0a..=0x1f | 0x7f)) {
            self.faults.push(format!("control byte in header {}", shown()));
        }
        self.fields
            .push((from_latin1(name).to_lowercase(), from_latin1(trim(value))));
    }

    /// Notes what the framing fields break, and gives the declared length.
    fn check_framing(&mut self, coded: bool, http10: bool) -> Result<Option<usize>, Missing> {
        let lengths: Vec<String> = self.all("content-length").into_iter().map(str::to_owned).collect();
        if lengths.len() > 1 {
            self.faults.push(format!("Content-Length sent {} times", lengths.len()));
        }
        let length = match lengths.first() {
            Some(text) if (1..=18).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_digit()) => {
                Some(text.parse().expect("18 digits fit"))
            }
            Some(text) => return Err(Missing::Broken(format!("Content-Length {}", python::text(text)))),
            None => None,
        };
        let interim = (100..200).contains(&self.status);
        let dates = self.all("date").len();
        let mut fault = |text: &str| self.faults.push(text.to_owned());
        if length.is_some() && coded {
            fault("both Content-Length and Transfer-Encoding");
        }
        if (interim || self.status == 204) && (length.is_some() || coded) {
            fault(&format!("Content-Length/Transfer-Encoding on {}", self.status));
        }
        if coded && http10 {
            fault("Transfer-Encoding sent to an HTTP/1.0 client");
        }
        if interim && http10 && self.status != 101 {
            fault("1xx sent to an HTTP/1.0 client");
        }
        if dates > 1 {
            fault("Date sent more than once");
        }
        Ok(length)
    }
}

fn read_line(bytes: &[u8]) -> Result<(&[u8], &[u8]), Missing> {
    let end = bytes.iter().position(|b| *b == b'\n').ok_or(Missing::Incomplete)?;
    let line = &bytes[..end];
    let whole = line.strip_suffix(b"\r").ok_or_else(|| {
        Missing::Broken(format!(
            "line ended by bare LF: {}",
            python::bytes(&line[..line.len().min(60)])
        ))
    })?;
    Ok((whole, &bytes[end + 1..]))
}

fn read_chunked(bytes: &[u8]) -> Result<(Vec<u8>, &[u8]), Missing> {
    let (mut out, mut rest) = (Vec::new(), bytes);
    loop {
        let (line, after) = read_line(rest)?;
        rest = after;
        let size = trim(line.split(|b| *b == b';').next().unwrap_or_default());
        let digits = (1..=16).contains(&size.len()) && size.iter().all(u8::is_ascii_hexdigit);
        let size = std::str::from_utf8(size)
            .ok()
            .filter(|_| digits)
            .and_then(|digits| usize::from_str_radix(digits, 16).ok())
            .ok_or_else(|| Missing::Broken(format!("bad chunk size {}", python::bytes(&line[..line.len().min(40)]))))?;
        if size == 0 {
            loop {
                let (line, after) = read_line(rest)?;
                rest = after;
                if line.is_empty() {
                    return Ok((out, rest));
                }
            }
        }
        let (data, after) = rest.split_at_checked(size).ok_or(Missing::Incomplete)?;
        let (end, after) = after.split_at_checked(2).ok_or(Missing::Incomplete)?;
        if end != b"\r\n" {
            return Err(Missing::Broken("chunk data not followed by CRLF".to_owned()));
        }
        out.extend_from_slice(data);
        rest = after;
    }
}

/// The code, where the line begins as `HTTP/d.d ddd`.
fn status(line: &[u8]) -> Option<u16> {
    let shape = b"HTTP/0.0 000";
    let fits = line.len() >= shape.len()
        && line
            .iter()
            .zip(shape)
            .all(|(b, s)| if *s == b'0' { b.is_ascii_digit() } else { b == s });
    std::str::from_utf8(line.get(9..12)?)
        .ok()
        .filter(|_| fits)?
        .parse()
        .ok()
}

fn is_status_line(line: &[u8]) -> bool {
    (line.starts_with(b"HTTP/1.0 ") || line.starts_with(b"HTTP/1.1 "))
        && matches!(line.get(9), Some(b'1'..=b'5'))
        && line.get(12) == Some(&b' ')
        && line[13..].iter().all(|b| matches!(b, b'\t' | 0x20..=0x7e | 0x80..))
}

fn is_token(name: &[u8]) -> bool {
    !name.is_empty()
        && name
            .iter()
            .all(|b| b.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(b))
}

/// Without the spaces and tabs around it.
fn trim(bytes: &[u8]) -> &[u8] {
    let start = bytes
        .iter()
        .position(|b| !matches!(b, b' ' | b'\t'))
        .unwrap_or(bytes.len());
    let end = bytes
        .iter()
        .rposition(|b| !matches!(b, b' ' | b'\t'))
        .map_or(start, |at| at + 1);
    &bytes[start..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn states(bytes: &[u8], methods: &[&str], eof: bool) -> (Vec<u16>, State) {
        let methods: Vec<String> = methods.iter().map(|m| (*m).to_owned()).collect();
        let out = split(bytes, &methods, false, eof);
        (out.finals.iter().map(|r| r.status).collect(), out.state)
    }

    #[test]
    fn responses_are_told_apart() {
        let ok = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok";
        assert_eq!(
            states(&[&ok[..], ok].concat(), &[], false),
            (vec![200, 200], State::Clean)
        );
        assert_eq!(states(&ok[..30], &[], false), (vec![], State::Partial));
        let chunked = b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2;x=y\r\nok\r\n0\r\nt: 1\r\n\r\n";
        assert_eq!(states(chunked, &[], false), (vec![200], State::Clean));
        assert_eq!(split(chunked, &[], false, false).finals[0].body, b"ok");
        let open = b"HTTP/1.1 200 OK\r\n\r\nuntil the end";
        assert_eq!(states(open, &[], false), (vec![], State::Partial));
        assert_eq!(states(open, &[], true), (vec![200], State::Clean));
        let head = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n";
        assert_eq!(states(head, &["HEAD"], false), (vec![200], State::Clean));
        let upgrade = b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 101 Switching Protocols\r\n\r\n\x81\0";
        assert_eq!(states(upgrade, &[], false), (vec![101], State::Tunnel));
    }

    #[test]
    fn what_is_no_response_is_broken() {
        for bytes in [
            &b"hello\r\n"[..],
            b"HTTP/x\r\n\r\n",
            b"HTTP/1.1 200 OK\n\n",
            b"HTTP/1.1 200 OK\r\ncontent-length: +2\r\n\r\nok",
            b"HTTP/1.1 200 OK\r\ntransfer-encoding: gzip\r\n\r\n",
            b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\nokk",
        ] {
            assert!(
                matches!(states(bytes, &[], false).1, State::Broken(_)),
                "{}",
                python::bytes(bytes)
            );
        }
    }

    #[test]
    fn faults_are_noted() {
        for (head, wanted) in [
            ("HTTP/1.1 200\r\ncontent-length: 0", "status line breaks the grammar"),
            (
                "HTTP/1.1 200 OK\r\ncontent-length: 0\r\ncontent-length: 0",
                "Content-Length sent 2 times",
            ),
            (
                "HTTP/1.1 204 No Content\r\ncontent-length: 0",
                "Content-Length/Transfer-Encoding on 204",
            ),
            ("HTTP/1.1 200 OK\r\ncontent-length: 0\r\na b: c", "bad header line"),
            (
                "HTTP/1.1 200 OK\r\ncontent-length: 0\r\na: \u{1}",
                "control byte in header",
            ),
        ] {
            let wire = format!("{head}\r\n\r\n");
            let (response, _) = read(wire.as_bytes(), "GET", false, false).unwrap();
            assert!(
                response.faults.iter().any(|f| f.contains(wanted)),
                "{head}: {:?}",
                response.faults
            );
        }
    }
}
