//! What came back, against what a case expects and what every response must keep to.

use std::collections::BTreeMap;

use crate::case::{Case, Level};
use crate::exchange::Got;
use crate::pattern::Pattern;
use crate::python;
use crate::response::{Response, State};
use crate::text::{Values, expand, raw};

/// One thing that is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// How bad it is.
    pub level: Level,
    /// What it is.
    pub text: String,
}

/// All that is wrong with an answer; nothing if the case passed.
pub fn judge(case: &Case, got: &Got, values: &Values) -> Vec<Fault> {
    let mut verdict = Verdict {
        case,
        got,
        values,
        faults: Vec::new(),
    };
    verdict.statuses();
    verdict.connection();
    verdict.bytes();
    verdict.content();
    verdict.first();
    verdict.websocket();
    verdict.every_response();
    verdict.faults
}

struct Verdict<'v> {
    case: &'v Case,
    got: &'v Got,
    values: &'v Values,
    faults: Vec<Fault>,
}

impl Verdict<'_> {
    fn bad(&mut self, level: Level, text: String) {
        self.faults.push(Fault { level, text });
    }

    fn statuses(&mut self) {
        let (expect, level) = (&self.case.expect, self.case.level);
        let status = self.got.first_status();
        let allowed = expect.status_any.as_deref();
        if let Some(allowed) = allowed.filter(|allowed| !allowed.contains(&status)) {
            let detail = match &self.got.responses.state {
                State::Broken(why) if !why.is_empty() => format!(" ({why})"),
                _ => String::new(),
            };
            self.bad(level, format!("status {status}, allowed {allowed:?}{detail}"));
        }
        if let Some(prefer) = &expect.status_prefer
            && !prefer.is_empty()
            && !prefer.contains(&status)
            && allowed.is_none_or(|allowed| allowed.contains(&status))
        {
            let level = expect.prefer_level.unwrap_or(Level::Hardening);
            self.bad(level, format!("status {status}, better {prefer:?}"));
        }
        for (at, (ok, response)) in expect.statuses.iter().zip(&self.got.responses.finals).enumerate() {
            if let Some(ok) = ok.as_ref().filter(|ok| !ok.contains(&response.status.into())) {
                let (at, status) = (at + 1, response.status);
                self.bad(level, format!("response {at} has status {status}, allowed {ok:?}"));
            }
        }
        let n = self.got.responses.finals.len();
        if let Some(wanted) = expect.responses.filter(|wanted| n != *wanted) {
            self.bad(level, format!("{n} responses, wanted exactly {wanted}"));
        }
        if let Some(least) = expect.responses_min.filter(|least| n < *least) {
            self.bad(level, format!("{n} responses, wanted at least {least}"));
        }
        if let Some(most) = expect.responses_max.filter(|most| n > *most) {
            self.bad(level, format!("{n} responses, wanted at most {most}"));
        }
    }

    fn connection(&mut self) {
        let expect = &self.case.expect;
        if let Some(wanted) = expect.connection_closed.filter(|wanted| *wanted != self.got.closed) {
            let level = expect.closed_level.unwrap_or(self.case.level);
            let (is, should) = (ended(self.got.closed), if wanted { "closed" } else { "left open" });
            self.bad(level, format!("connection {is}, wanted it {should}"));
        }
    }

    fn bytes(&mut self) {
        let (expect, level, seen) = (&self.case.expect, self.case.level, &self.got.raw);
        for text in expect.must_contain.all() {
            if !contains(seen, &raw(text, self.values)) {
                self.bad(level, format!("{} is missing from what came back", shown(text)));
            }
        }
        if !expect.must_not_contain.all().is_empty() {
            let lower = seen.to_ascii_lowercase();
            for text in expect.must_not_contain.all() {
                if contains(&lower, &raw(text, self.values).to_ascii_lowercase()) {
                    self.bad(level, format!("{} came back", shown(text)));
                }
            }
        }
        if let Some(most) = expect.max_bytes.filter(|most| seen.len() > *most) {
            self.bad(level, format!("{} bytes came back, limit {most}", seen.len()));
        }
    }

    fn content(&mut self) {
        let (expect, level) = (&self.case.expect, self.case.level);
        for (at, (text, response)) in expect.bodies_contain.iter().zip(&self.got.responses.finals).enumerate() {
            if let Some(text) = text
                .as_ref()
                .filter(|text| !contains(&response.body, &raw(text, &Values::new())))
            {
                let start: String = text.chars().take(40).collect();
                self.bad(level, format!("body {} lacks {}", at + 1, python::text(&start)));
            }
        }
        if let Some(wanted) = &expect.interim {
            let seen: Vec<u16> = self.got.responses.interims.iter().map(|r| r.status).collect();
            if seen != *wanted {
                self.bad(level, format!("interim responses {seen:?}, wanted {wanted:?}"));
            }
        }
    }

    /// What only the first response is asked.
    fn first(&mut self) {
        let (expect, level) = (&self.case.expect, self.case.level);
        let Some(first) = self.got.responses.finals.first() else {
            return;
        };
        let success = (200..300).contains(&first.status);
        let start = python::bytes(&first.body[..first.body.len().min(60)]);
        let len = first.body.len();
        if let Some(body) = expect
            .body
            .as_ref()
            .filter(|body| success && first.body != raw(body, self.values))
        {
            let wanted = shown(&expand(body, self.values));
            self.bad(level, format!("body is {start} ({len} bytes), wanted {wanted}"));
        }
        if let Some(wanted) = expect.body_len.filter(|wanted| success && len != *wanted) {
            self.bad(level, format!("body has {len} bytes, wanted {wanted}"));
        }
        self.fields(first, &expect.headers, expect.headers_level.unwrap_or(level));
        let Some(special) = expect.by_status.get(&first.status.to_string()) else {
            return;
        };
        let status = first.status;
        if let Some(body) = special
            .body
            .as_ref()
            .filter(|body| first.body != raw(body, self.values))
        {
            self.bad(
                level,
                format!("on {status} the body is {start}, wanted {}", shown(body)),
            );
        }
        self.fields(first, &special.headers, special.level.unwrap_or(level));
        let n = self.got.responses.finals.len();
        if let Some(most) = special.responses_max.filter(|most| n > *most) {
            self.bad(level, format!("on {status}: {n} responses, wanted at most {most}"));
        }
        if special
            .connection_closed
            .is_some_and(|wanted| wanted != self.got.closed)
        {
            self.bad(level, format!("on {status}: connection {}", ended(self.got.closed)));
        }
    }

    fn fields(&mut self, response: &Response, wanted: &BTreeMap<String, Option<String>>, level: Level) {
        for (name, pattern) in wanted {
            let value = response.field(name);
            let short = |value: &str| python::text(&value.chars().take(80).collect::<String>());
            match (pattern, value) {
                (None, Some(value)) => {
                    self.bad(level, format!("header {name} must be absent, is {}", short(&value)));
                }
                (Some(_), None) => self.bad(level, format!("header {name} is missing")),
                (Some(pattern), Some(value)) => match Pattern::new(pattern) {
                    Ok(compiled) if compiled.is_in(&value) => {}
                    Ok(_) => self.bad(level, format!("header {name} is {}, wanted /{pattern}/", short(&value))),
                    Err(why) => self.bad(Level::Must, format!("the case itself is wrong: {why}")),
                },
                (None, None) => {}
            }
        }
    }

    fn websocket(&mut self) {
        let (expect, got) = (&self.case.expect, self.got);
        if got.first_status() != 101 {
            return;
        }
        if let Some(wanted) = &expect.ws_msgs {
            let wanted: Vec<(u8, Vec<u8>)> = wanted
                .iter()
                .map(|(opcode, text)| (*opcode, raw(text, &Values::new())))
                .collect();
            if got.websocket.whole != wanted {
                let (seen, wanted) = (listed(&got.websocket.whole), listed(&wanted));
                self.bad(self.case.level, format!("WebSocket messages {seen}, wanted {wanted}"));
            }
        }
        if expect.ws_close_any.is_empty() {
            return;
        }
        let code = got.websocket.close.map_or(if got.closed { 0 } else { -1 }, i32::from);
        let (allowed, better) = (&expect.ws_close_any, &expect.ws_close_prefer);
        if !allowed.contains(&code) {
            self.bad(
                self.case.level,
                format!("WebSocket close code {code}, allowed {allowed:?}"),
            );
        } else if !better.is_empty() && !better.contains(&code) {
            self.bad(Level::Should, format!("WebSocket close code {code}, better {better:?}"));
        }
        if !got.closed {
            self.bad(
                Level::Should,
                "TCP connection left open after the WebSocket was closed".to_owned(),
            );
        }
    }

    /// Rules for every response, whatever the case.
    fn every_response(&mut self) {
        let got = self.got;
        for response in got.responses.finals.iter().chain(&got.responses.interims) {
            for fault in &response.faults {
                self.bad(Level::Must, format!("response {}: {fault}", response.status));
            }
        }
        for fault in &got.websocket.faults {
            self.bad(Level::Must, fault.clone());
        }
        match &got.responses.state {
            State::Broken(why) if !got.responses.finals.is_empty() => {
                self.bad(Level::Must, format!("bytes after the last response: {why}"));
            }
            State::Partial if got.closed && !got.reset => {
                self.bad(Level::Must, "a response was cut short by the close".to_owned());
            }
            _ => {}
        }
    }
}

fn ended(closed: bool) -> &'static str {
    if closed { "closed" } else { "left open" }
}

fn contains(bytes: &[u8], part: &[u8]) -> bool {
    part.is_empty() || bytes.windows(part.len()).any(|window| window == part)
}

fn shown(text: &str) -> String {
    python::text(&text.chars().take(60).collect::<String>())
}

fn listed(messages: &[(u8, Vec<u8>)]) -> String {
    let short: Vec<String> = messages
        .iter()
        .take(6)
        .map(|(opcode, payload)| format!("({opcode}, {})", python::bytes(&payload[..payload.len().min(30)])))
        .collect();
    format!("[{}]", short.join(", "))
}
