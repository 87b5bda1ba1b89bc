//! Many cases at once, and the report on them.

use std::fmt::Write;
use std::net::SocketAddr;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use serde::Serialize;

use crate::case::{Case, Expect, Level, When};
use crate::exchange::{Got, Patience, exchange};
use crate::judge::{Fault, judge};
use crate::text::{Values, from_latin1, needs};

/// What a case came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// All was as expected.
    Pass,
    /// Something was not.
    Fail,
    /// The server lacks what the case needs.
    Skip,
}

/// One case and what it came to.
#[derive(Clone, Debug)]
pub struct Outcome<'c> {
    /// The case.
    pub case: &'c Case,
    /// The verdict.
    pub verdict: Verdict,
    /// What was wrong.
    pub faults: Vec<Fault>,
    /// Why it was skipped.
    pub skipped: Option<String>,
    /// What came back, if a connection was made.
    pub got: Option<Got>,
}

impl Outcome<'_> {
    /// The worst of its faults.
    pub fn severity(&self) -> Option<Level> {
        self.faults.iter().map(|fault| fault.level).min()
    }

    /// Its faults in one line.
    pub fn faults_line(&self) -> String {
        let texts: Vec<&str> = self.faults.iter().map(|fault| fault.text.as_str()).collect();
        texts.join("; ")
    }
}

/// All outcomes of a run.
#[derive(Clone, Debug)]
pub struct Report<'c> {
    /// In the order of the cases.
    pub outcomes: Vec<Outcome<'c>>,
    /// Whether the server still answers.
    pub alive_after: bool,
    /// How long it took.
    pub time: Duration,
}

/// Why nothing was run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotRun {
    /// No case was chosen.
    NoCase,
    /// `GET /` is not answered with 200.
    NoAnswer,
}

/// Runs cases against a server, `jobs` of them at a time.
///
/// # Errors
/// There is no case, or no server.
pub fn run<'c>(cases: &[&'c Case], server: SocketAddr, patience: Patience, jobs: usize) -> Result<Report<'c>, NotRun> {
    if cases.is_empty() {
        return Err(NotRun::NoCase);
    }
    if !is_alive(server, patience) {
        return Err(NotRun::NoAnswer);
    }
    let values = validators(server, patience);
    let begun = Instant::now();
    let next = Mutex::new(cases.iter().enumerate());
    let mut outcomes: Vec<(usize, Outcome<'c>)> = std::thread::scope(|scope| {
        let worker = || {
            let mut mine = Vec::new();
            loop {
                // The lock is held for the step alone.
                let step = next.lock().expect("no worker panics in the iterator").next();
                let Some((at, case)) = step else { break mine };
                mine.push((at, run_one(case, server, patience, &values)));
            }
        };
        let workers: Vec<_> = (0..jobs.clamp(1, cases.len())).map(|_| scope.spawn(worker)).collect();
        workers
            .into_iter()
            .flat_map(|worker| worker.join().expect("a case does not panic"))
            .collect()
    });
    outcomes.sort_by_key(|(at, _)| *at);
    Ok(Report {
        outcomes: outcomes.into_iter().map(|(_, outcome)| outcome).collect(),
        alive_after: is_alive(server, patience),
        time: begun.elapsed(),
    })
}

fn run_one<'c>(case: &'c Case, server: SocketAddr, patience: Patience, values: &Values) -> Outcome<'c> {
    let mut outcome = Outcome {
        case,
        verdict: Verdict::Pass,
        faults: Vec::new(),
        skipped: None,
        got: None,
    };
    let text = format!("{}{}", case.send, case.then.as_deref().unwrap_or_default());
    let missing: Vec<String> = needs(&text)
        .into_iter()
        .filter(|name| !values.contains_key(name.as_str()))
        .collect();
    if !missing.is_empty() {
        outcome.verdict = Verdict::Skip;
        outcome.skipped = Some(format!("server sent no {}", missing.join(", ")));
        return outcome;
    }
    match exchange(case, server, patience, values) {
        Ok(got) => {
            outcome.faults = judge(case, &got, values);
            outcome.got = Some(got);
        }
        Err(why) => outcome.faults.push(Fault {
            level: Level::Must,
            text: format!("cannot connect: {why}"),
        }),
    }
    if !outcome.faults.is_empty() {
        outcome.verdict = Verdict::Fail;
    }
    outcome
}

impl Report<'_> {
    /// How many cases came to a verdict.
    pub fn count(&self, verdict: Verdict) -> usize {
        self.outcomes
            .iter()
            .filter(|outcome| outcome.verdict == verdict)
            .count()
    }

    /// The failures of a level. A case is counted once, at its worst fault.
    pub fn failures(&self, level: Level) -> impl Iterator<Item = &Outcome<'_>> {
        self.outcomes
            .iter()
            .filter(move |outcome| outcome.severity() == Some(level))
    }

    /// Whether no `must` check failed and the server lives.
    pub fn is_good(&self) -> bool {
        self.alive_after && self.failures(Level::Must).next().is_none()
    }

    /// The report for people, the passed cases too if `verbose`.
    pub fn text(&self, verbose: bool) -> String {
        let mut out = String::new();
        for outcome in &self.outcomes {
            self.line(outcome, verbose, &mut out).expect("a string takes all");
        }
        if !self.alive_after {
            out.push_str("FAIL  must      the server no longer answers GET / after the run\n");
        }
        let [must, should, hardening] = Level::ALL.map(|level| self.failures(level).count());
        writeln!(
            out,
            "cases={} pass={} fail_must={must} fail_should={should} fail_hardening={hardening} skipped={} alive_after={} \
             seconds={:.1}",
            self.outcomes.len(),
            self.count(Verdict::Pass),
            self.count(Verdict::Skip),
            if self.alive_after { "yes" } else { "NO" },
            self.time.as_secs_f64(),
        )
        .expect("a string takes all");
        out
    }

    fn line(&self, outcome: &Outcome<'_>, verbose: bool, out: &mut String) -> std::fmt::Result {
        let Case { id, level, why, .. } = outcome.case;
        match outcome.severity() {
            Some(severity) => {
                writeln!(out, "FAIL  {severity:<9} {id}: {}", outcome.faults_line())?;
                writeln!(out, "      why: {why}")
            }
            None if !verbose => Ok(()),
            None => match &outcome.skipped {
                Some(lack) => writeln!(out, "skip  {level:<9} {id}: {lack}"),
                None => writeln!(out, "pass  {level:<9} {id}"),
            },
        }
    }

    /// The report for programs: JSON.
    pub fn json(&self, server: SocketAddr) -> String {
        let results = self.outcomes.iter().map(Row::from).collect();
        let document = Document {
            host: server.ip().to_string(),
            port: server.port(),
            alive_after: self.alive_after,
            results,
        };
        serde_json::to_string_pretty(&document).expect("strings and numbers are always serialisable")
    }
}

#[derive(Serialize)]
struct Document<'r> {
    host: String,
    port: u16,
    alive_after: bool,
    results: Vec<Row<'r>>,
}

#[derive(Serialize)]
struct Row<'r> {
    id: &'r str,
    area: &'r str,
    level: Level,
    result: Verdict,
    faults: Vec<(&'r str, &'r str)>,
    #[serde(skip_serializing_if = "Option::is_none")]
    severity: Option<Level>,
    #[serde(flatten)]
    seen: Option<Seen>,
}

#[derive(Serialize)]
struct Seen {
    statuses: Vec<i32>,
    interim: Vec<u16>,
    closed: bool,
    reset: bool,
    seconds: f64,
    raw: String,
}

impl<'r> From<&'r Outcome<'_>> for Row<'r> {
    fn from(outcome: &'r Outcome<'_>) -> Self {
        let faults = outcome
            .faults
            .iter()
            .map(|fault| (fault.level.as_str(), fault.text.as_str()));
        let skipped = outcome.skipped.iter().map(|lack| ("", lack.as_str()));
        Self {
            id: &outcome.case.id,
            area: &outcome.case.area,
            level: outcome.case.level,
            result: outcome.verdict,
            faults: faults.chain(skipped).collect(),
            severity: outcome.severity(),
            seen: outcome.got.as_ref().map(Seen::from),
        }
    }
}

impl From<&Got> for Seen {
    fn from(got: &Got) -> Self {
        let mut statuses: Vec<i32> = got.responses.finals.iter().map(|r| r.status.into()).collect();
        if statuses.is_empty() {
            statuses.push(got.first_status());
        }
        Self {
            statuses,
            interim: got.responses.interims.iter().map(|r| r.status).collect(),
            closed: got.closed,
            reset: got.reset,
            seconds: (got.time.as_secs_f64() * 1000.0).round() / 1000.0,
            raw: from_latin1(&got.raw[..got.raw.len().min(400)]),
        }
    }
}

/// Whether `GET /` is answered with 200.
pub fn is_alive(server: SocketAddr, patience: Patience) -> bool {
    let mut case = plain("GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    case.expect.connection_closed = Some(true);
    exchange(&case, server, patience, &Values::new()).is_ok_and(|got| got.first_status() == 200)
}

/// `ETag` and `Last-Modified` of `/static/hello.txt`, the date in all three forms.
fn validators(server: SocketAddr, patience: Patience) -> Values {
    let case = plain("GET /static/hello.txt HTTP/1.1\r\nHost: localhost\r\n\r\n");
    let mut values = Values::new();
    let Ok(got) = exchange(&case, server, patience, &values) else {
        return values;
    };
    let Some(first) = got.responses.finals.first().filter(|first| first.status == 200) else {
        return values;
    };
    if let Some(etag) = first.field("etag") {
        values.insert("ETAG_OPAQUE", etag.strip_prefix("W/").unwrap_or(&etag).to_owned());
        values.insert("ETAG", etag);
    }
    if let Some(date) = first.field("last-modified") {
        if let Some((rfc850, asctime)) = other_dates(&date) {
            values.insert("LASTMOD_RFC850", rfc850);
            values.insert("LASTMOD_ASCTIME", asctime);
        }
        values.insert("LASTMOD", date);
    }
    values
}

/// An IMF-fixdate in the two obsolete forms (RFC 9110 5.6.7): RFC 850's, and asctime's.
fn other_dates(date: &str) -> Option<(String, String)> {
    let [day_name, day, month, year, time, "GMT"] = date.split(' ').collect::<Vec<_>>()[..] else {
        return None;
    };
    let day_name = day_name.strip_suffix(',')?;
    let long = [
        "Monday",
        "Tuesday",
        "Wednesday",
        "Thursday",
        "Friday",
        "Saturday",
        "Sunday",
    ]
    .into_iter()
    .find(|long| day_name.len() == 3 && long.starts_with(day_name))?;
    let short_year = year.get(2..)?;
    let number: u8 = day.parse().ok()?;
    let rfc850 = format!("{long}, {number:02}-{month}-{short_year} {time} GMT");
    Some((rfc850, format!("{day_name} {month} {number:>2} {time} {year}")))
}

fn plain(send: &str) -> Case {
    Case {
        id: String::new(),
        area: String::new(),
        level: Level::Must,
        why: String::new(),
        send: send.to_owned(),
        expect: Expect::default(),
        then: None,
        then_when: When::Either,
        dribble: None,
        dribble_then: None,
        half_close: false,
        methods: None,
        timeout_s: None,
        slow: false,
    }
}

#[cfg(test)]
mod tests {
    use super::other_dates;

    #[test]
    fn dates_have_three_forms() {
        let (rfc850, asctime) = other_dates("Sun, 06 Nov 1994 08:49:37 GMT").unwrap();
        assert_eq!(rfc850, "Sunday, 06-Nov-94 08:49:37 GMT");
        assert_eq!(asctime, "Sun Nov  6 08:49:37 1994");
        assert_eq!(other_dates("yesterday"), None);
    }
}
