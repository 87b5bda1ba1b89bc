//! The programs that load a server, wrk and ab: how each is run, and what it said.

use std::collections::BTreeMap;
use std::fs;
use std::time::Duration;

use super::process::{Cpu, Folder, Process};
use super::servers::Running;

/// The shares of requests, in percent, whose latency is told.
pub(super) const PERCENTILES: [&str; 6] = ["50", "75", "90", "99", "99.9", "100"];
/// Of what ab tells, the same where it has it.
pub(super) const PERCENTILES_OF_AB: [&str; 5] = ["50", "75", "90", "99", "100"];

/// Beyond the time of the load.
const SPARE: Duration = Duration::from_secs(60);

/// What wrk asks, and how.
#[derive(Clone, Debug)]
pub(super) struct Load {
    pub(super) target: String,
    pub(super) connections: usize,
    /// Requests in one write.
    pub(super) pipelined: usize,
    /// Whether each request is a connection's only one.
    pub(super) close: bool,
    pub(super) seconds: u64,
}

/// What became of a load.
#[derive(Debug, PartialEq)]
pub(super) struct Loaded {
    pub(super) requests: f64,
    /// Of all that came, also of answers that were cut off at the end.
    pub(super) bytes: f64,
    pub(super) seconds: f64,
    /// In microseconds, in the order of the percentiles.
    pub(super) latencies: Vec<f64>,
    /// Answers other than 2xx, and connections and answers that did not come.
    pub(super) failures: f64,
    /// Of the server, meanwhile.
    pub(super) cpu: Cpu,
}

/// # Errors
/// wrk is not installed, or failed.
pub(super) fn wrk(server: &Running<'_>, load: &Load) -> Result<Loaded, String> {
    let folder = Folder::create()?;
    let script = folder.path().join("load.lua");
    fs::write(&script, lua(load.pipelined))
        .map_err(|error| format!("{} can't be written: {error}", script.display()))?;
    let mut command = vec![tool("wrk", "wrk")?];
    let (connections, duration) = (load.connections.to_string(), format!("{}s", load.seconds));
    command.extend(["--threads", "1", "--connections", &connections, "--duration", &duration].map(str::to_owned));
    // Slow answers are told by their latency: only what never comes is a failure.
    command.extend(["--timeout", "20s"].map(str::to_owned));
    if load.close {
        command.extend(["--header", "Connection: close"].map(str::to_owned));
    }
    command.extend(["--script".to_owned(), script.to_string_lossy().into_owned()]);
    command.push(format!("http://127.0.0.1:{}{}", server.port, load.target));
    let (printed, cpu) = accounted(server, &command, &folder, load.seconds)?;
    parse_wrk(&printed, cpu).ok_or_else(|| server.complaint(&format!("was loaded by wrk, which said {printed:?}")))
}

/// ab with connections that are kept.
///
/// # Errors
/// ab is not installed, or failed.
pub(super) fn ab(server: &Running<'_>, target: &str, connections: usize, seconds: u64) -> Result<Loaded, String> {
    let folder = Folder::create()?;
    let mut command = vec![tool("ab", "apache2-utils")?];
    let (connections, duration) = (connections.to_string(), seconds.to_string());
    // A number of requests behind the time, which has one of its own: whichever ends first, ends it.
    let shares = folder.path().join("shares.csv");
    command.extend(["-e".to_owned(), shares.to_string_lossy().into_owned()]);
    let options = [
        "-k",
        "-q",
        "-c",
        &connections,
        "-s",
        "5",
        "-t",
        &duration,
        "-n",
        "5000000",
    ];
    command.extend(options.map(str::to_owned));
    command.push(format!("http://127.0.0.1:{}{target}", server.port));
    let (printed, cpu) = accounted(server, &command, &folder, seconds)?;
    // What it prints is in whole milliseconds.
    let shares = fs::read_to_string(&shares).unwrap_or_default();
    parse_ab(&printed, &shares, cpu)
        .ok_or_else(|| server.complaint(&format!("was loaded by ab, which said {printed:?}")))
}

/// Whether there is an ab.
pub(super) fn has_ab() -> Result<(), String> {
    tool("ab", "apache2-utils").map(drop)
}

fn tool(name: &str, package: &str) -> Result<String, String> {
    match super::process::program(name) {
        Some(path) => Ok(path.to_string_lossy().into_owned()),
        None => Err(format!(
            "{name} is not installed: `apt-get install {package}`, or another package manager's"
        )),
    }
}

/// Runs it: what it printed, and what the server took meanwhile.
fn accounted(server: &Running<'_>, command: &[String], folder: &Folder, seconds: u64) -> Result<(String, Cpu), String> {
    let before = server.process.cpu();
    let printed = Process::start(command, folder.path())?
        .finish(Duration::from_secs(seconds) + SPARE)
        .map_err(|error| server.complaint(&format!("was loaded by {}: {error}", command[0])))?;
    Ok((printed, server.process.cpu().since(before)))
}

/// What wrk runs: at its end it prints a line that is meant for us.
fn lua(pipelined: usize) -> String {
    let percentiles = PERCENTILES.map(|each| match each {
        "100" => ", latency.max".to_owned(),
        _ => format!(", latency:percentile({each})"),
    });
    let mut script = format!(
        "\
done = function(summary, latency)
  local e = summary.errors
  print(string.format(\"result{} %d\", summary.requests, summary.bytes, summary.duration{},
    e.connect + e.read + e.write + e.timeout + e.status))
end
",
        " %d".repeat(3 + PERCENTILES.len()),
        percentiles.concat()
    );
    if pipelined > 1 {
        script.push_str(&format!(
            "\
local batch
init = function() batch = string.rep(wrk.format(\"GET\"), {pipelined}) end
request = function() return batch end
"
        ));
    }
    script
}

fn parse_wrk(printed: &str, cpu: Cpu) -> Option<Loaded> {
    let line = printed.lines().find_map(|line| line.strip_prefix("result "))?;
    let numbers: Vec<f64> = line.split(' ').map(str::parse).collect::<Result<_, _>>().ok()?;
    let [requests, bytes, microseconds, latencies @ .., failures] = numbers.as_slice() else {
        return None;
    };
    (latencies.len() == PERCENTILES.len()).then(|| Loaded {
        requests: *requests,
        bytes: *bytes,
        seconds: microseconds / 1e6,
        latencies: latencies.to_vec(),
        failures: *failures,
        cpu,
    })
}

fn parse_ab(printed: &str, shares: &str, cpu: Cpu) -> Option<Loaded> {
    let mut said = BTreeMap::new();
    for line in printed.lines() {
        // "Complete requests:      9" and "  100%      2 (longest request)".
        if let Some((name, rest)) = line.split_once([':', '%'])
            && let Some(number) = rest.split_whitespace().next().and_then(|word| word.parse::<f64>().ok())
        {
            said.insert(name.trim(), number);
        }
    }
    // "50,0.631"; older ones say nothing of the longest.
    for line in shares.lines() {
        if let Some((share, milliseconds)) = line.split_once(',')
            && let Ok(number) = milliseconds.parse()
        {
            said.insert(share, number);
        }
    }
    let latencies = PERCENTILES_OF_AB.map(|each| Some(said.get(each)? * 1e3));
    Some(Loaded {
        requests: *said.get("Complete requests")?,
        bytes: *said.get("Total transferred")?,
        seconds: *said.get("Time taken for tests")?,
        latencies: latencies.into_iter().collect::<Option<_>>()?,
        failures: said.get("Failed requests")? + said.get("Non-2xx responses").unwrap_or(&0.0),
        cpu,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const CPU: Cpu = Cpu { user: 1.0, system: 2.0 };

    #[test]
    fn wrk_says_a_line() {
        let printed = "\
Running 1s test @ http://127.0.0.1:37213/users/42
  1 threads and 64 connections
  Thread Stats   Avg      Stdev     Max   +/- Stdev
    Latency   568.81us  201.95us   5.85ms   83.13%
    Req/Sec   112.40k     3.26k  117.01k    63.64%
  123030 requests in 1.10s, 22.64MB read
Requests/sec: 111855.28
Transfer/sec:     20.59MB
result 123030 23742790 1099904 541 649 776 1204 2203 5848 3
";
        let loaded = parse_wrk(printed, CPU).unwrap();
        let expected = Loaded {
            requests: 123_030.0,
            bytes: 23_742_790.0,
            seconds: 1.099904,
            latencies: vec![541.0, 649.0, 776.0, 1204.0, 2203.0, 5848.0],
            failures: 3.0,
            cpu: CPU,
        };
        assert_eq!(loaded, expected);
        assert_eq!(
            parse_wrk("unable to connect to 127.0.0.1:1 Connection refused\n", CPU),
            None
        );
        assert_eq!(parse_wrk("result 1 2 3 4\n", CPU), None);
    }

    #[test]
    fn ab_says_tables() {
        let printed = "\
Document Length:        22 bytes

Concurrency Level:      100
Time taken for tests:   1.000 seconds
Complete requests:      89350
Failed requests:        0
Keep-Alive requests:    89350
Total transferred:      13759900 bytes
HTML transferred:       1965700 bytes
Requests per second:    89348.93 [#/sec] (mean)
Time per request:       1.119 [ms] (mean)
Time per request:       0.011 [ms] (mean, across all concurrent requests)

Connection Times (ms)
              min  mean[+/-sd] median   max
Connect:        0    0   0.1      0       3
Total:          0    1   0.5      1       9

Percentage of the requests served within a certain time (ms)
  50%      1
  75%      1
  90%      2
  99%      3
 100%      9 (longest request)
";
        let shares = "Percentage served,Time in ms\n0,0.023\n50,1.053\n75,1.300\n90,1.614\n99,3.066\n";
        let loaded = parse_ab(printed, shares, CPU).unwrap();
        assert_eq!(loaded.latencies, [1053.0, 1300.0, 1614.0, 3066.0, 9000.0]);
        assert_eq!((loaded.requests, loaded.failures), (89_350.0, 0.0));
        assert_eq!((loaded.bytes, loaded.seconds), (13_759_900.0, 1.0));
        let whole = format!("{shares}100,8.527\n");
        assert_eq!(parse_ab(printed, &whole, CPU).unwrap().latencies[4], 8527.0);
        let failed = format!(
            "{}\nNon-2xx responses:      1\n",
            printed.replace("Failed requests:        0", "Failed requests:        2")
        );
        assert_eq!(parse_ab(&failed, shares, CPU).unwrap().failures, 3.0);
        assert_eq!(
            parse_ab("apr_socket_recv: Connection refused (111)\n", shares, CPU),
            None
        );
    }

    #[test]
    fn the_line_is_what_the_script_prints() {
        let script = lua(1);
        assert!(script.contains("latency:percentile(50), latency:percentile(75)"));
        assert!(script.contains("latency:percentile(99.9), latency.max"));
        assert_eq!(script.matches("%d").count(), 3 + PERCENTILES.len() + 1);
        assert!(!script.contains("request =") && lua(16).contains("wrk.format(\"GET\"), 16)"));
    }
}
