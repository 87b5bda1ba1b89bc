#!/usr/bin/env python3
"""Polywire on each of its transports beside the hand-written peers, over sockets of this machine.

    examples/peers/compare.py
    examples/peers/compare.py --tables single,idle --rounds 3 --servers polywire-hyper,hand-axum
    examples/peers/compare.py --tables single,pipelined --servers all

Builds the probe once per transport it has a feature for, and the peers, asks each whether it answers what the others do,
says what version each is, and prints a table for each of:

    single       64 connections, one request at a time, under wrk
    pipelined    the same, 16 requests in one write
    close        the same as single, a new connection for every request
    many         the same as single with 500 connections
    idle         what a connection holds that has made one request
    silent       what a connection holds that has made none
    allocations  heap allocations per request, counted by valgrind

The order is shuffled in every round, so that a machine that slows down charges everybody. Figures are medians over the
rounds. CPU is the server's own, user and system; the ratio is the median of the ratios within each round, with the least
and the greatest behind it: where these are far apart, the machine was too noisy to tell. Quote ratios of one run, no
single figures. Pipelined has no p99, since wrk's is wrong there. Resident memory hardly varies: those tables take 3 rounds
at most, and allocations are counted once.

An answer other than 2xx, a socket error or a connection that was not kept is reported, and the exit status is 1.

Without --servers, those of each kind that are best known are compared. Of the others, floor parses nothing and shows what
is left for an HTTP server to lose, and nginx is left out where it isn't installed. A server that does not answer what a table
asks for is not in that table.

Needs wrk (Debian package) for the first four, valgrind for the last. Python 3.11, standard library only.
"""
import argparse
import random
import re
import resource
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass

import servers
from servers import BASE, Server


@dataclass
class Load:
    """How wrk asks."""

    connections: int
    pipeline: int = 1
    close: bool = False


LOADS = {
    "single": Load(64),
    "pipelined": Load(64, pipeline=16),
    "close": Load(64, close=True),
    "many": Load(500),
}
HOLDING = ("idle", "silent")
TABLES = (*LOADS, *HOLDING, "allocations")
WIDTH = 21
TOOLS = {**dict.fromkeys(LOADS, "wrk"), "allocations": "valgrind"}

HOLDING_ROUNDS = 3
WARM_SECONDS = 1
SETTLE_SECONDS = 3
SPARE_DESCRIPTORS = 200
COUNTED_REQUESTS = 1000

ERRORS = ("connections refused", "read errors", "write errors", "timeouts", "answers other than 2xx")
SCRIPT = """
done = function(summary, latency)
  local e = summary.errors
  print(string.format("result %d %d %d %d %d %d %d %d", summary.requests, summary.duration, latency:percentile(99),
    e.connect, e.read, e.write, e.timeout, e.status))
end
"""
PIPELINED = """
local batch
init = function() batch = string.rep(wrk.format("GET"), {n}) end
request = function() return batch end
"""


def main():
    options = arguments()
    needed = {TOOLS[table] for table in options.tables if table in TOOLS}
    if missing := [tool for tool in sorted(needed) if not shutil.which(tool)]:
        sys.exit(f"compare.py: not installed: {', '.join(missing)} (Debian packages of these names)")
    if set(HOLDING) & set(options.tables):
        allow_descriptors(options.connections)
    # So that it ends its servers when it is ended.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("compare.py: ended"))
    commands = servers.build(options.servers)
    for name, command in commands.items():
        with Server(name, command) as server:
            server.check()
    for name, version in servers.versions(commands).items():
        print(f"{name:<{WIDTH}}{version}")
    complaints = []
    for table in options.tables:
        able = {name: command for name, command in commands.items() if takes_part(name, table, options.path)}
        if table in LOADS:
            complaints += compare_load(table, able, options)
        elif table in HOLDING:
            complaints += compare_memory(table, able, options)
        else:
            compare_allocations(able, options)
    if complaints:
        sys.exit("compare.py: " + "\ncompare.py: ".join(complaints))


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    known, usual = servers.known(), servers.usual()
    parser.add_argument("--rounds", type=positive, default=7)
    parser.add_argument("--seconds", type=positive, default=3, help="of load, each")
    parser.add_argument("--path", default="/users/42", help="what is asked for")
    parser.add_argument("--connections", type=positive, default=10_000, help="held open in idle and silent")
    parser.add_argument("--tables", type=among(TABLES), default=list(TABLES), metavar="A,B", help=", ".join(TABLES))
    several = f"{', '.join(known)}, or all of them: all"
    parser.add_argument("--servers", type=among(known), default=usual, metavar="A,B", help=several)
    options = parser.parse_args()
    options.servers = servers.installed(name for name in known if name in options.servers or name == BASE)
    return options


def positive(argument):
    number = int(argument)
    if number < 1:
        raise ValueError
    return number


def among(names):
    def parse(argument):
        chosen = list(names) if argument == "all" else argument.split(",")
        if unknown := [name for name in chosen if name not in names]:
            raise argparse.ArgumentTypeError(f"no {', '.join(unknown)}; there are {', '.join(names)}")
        return chosen

    return parse


def allow_descriptors(connections):
    """For this process and, as they inherit it, the servers."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < connections + SPARE_DESCRIPTORS:
        sys.exit(f"compare.py: at most {hard} descriptors (ulimit -Hn): too few for --connections {connections}")
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


def takes_part(name, table, path):
    return servers.answers(name, path) and (table not in LOADS or not LOADS[table].close or servers.closes(name))


def in_rounds(table, commands, rounds, measure):
    """What `measure` answers for each server, round by round: a list of `{name: sample}`."""
    samples = []
    for number in range(1, rounds + 1):
        print(f"{table}: round {number} of {rounds}", file=sys.stderr)
        samples.append({})
        for name in random.sample(list(commands), len(commands)):
            with Server(name, commands[name]) as server:
                samples[-1][name] = measure(server)
    return samples


def median(samples, name, field):
    return statistics.median(sample[name][field] for sample in samples)


def ratio(samples, name, field):
    """The median of the ratios to the base within each round, the least and the greatest."""
    ratios = [sample[name][field] / max(sample[BASE][field], 1e-9) for sample in samples]
    return f"{statistics.median(ratios):.2f} ({min(ratios):.2f}-{max(ratios):.2f})"


def complain(table, samples):
    for number, sample in enumerate(samples, 1):
        for name, seen in sample.items():
            for what, count in seen["errors"].items():
                if count:
                    yield f"{table}, round {number}, {name}: {count} {what}"


def compare_load(table, commands, options):
    load = LOADS[table]

    def measure(server):
        under_load(server, load, options.path, WARM_SECONDS)
        return under_load(server, load, options.path, options.seconds)

    samples = in_rounds(table, commands, options.rounds, measure)
    print(f"\n{table}: {options.path}, {load.connections} connections", end="")
    print(f", {load.pipeline} requests in one write" * (load.pipeline > 1), end="")
    print(f"{', one request per connection' * load.close}; {options.rounds} rounds of {options.seconds} s")
    print(f"{'server':<{WIDTH}}{'CPU µs':>9}{'of ' + BASE:>22}{'user µs':>10}{'requests/s':>13}{'p99 µs':>10}")
    for name in commands:
        cpu, user, rate, p99 = (median(samples, name, field) for field in ("cpu", "user", "rate", "p99"))
        p99 = "-" if load.pipeline > 1 else round(p99)
        print(f"{name:<{WIDTH}}{cpu:>9.2f}{ratio(samples, name, 'cpu'):>22}{user:>10.2f}{rate:>13.0f}{p99:>10}", flush=True)
    return list(complain(table, samples))


def under_load(server, load, path, seconds):
    wrk = ["wrk", "--threads", "1", "--connections", str(load.connections), "--duration", f"{seconds}s"]
    if load.close:
        wrk += ["--header", "Connection: close"]
    with tempfile.NamedTemporaryFile("w", suffix=".lua") as script:
        script.write(SCRIPT + (PIPELINED.format(n=load.pipeline) if load.pipeline > 1 else ""))
        script.flush()
        wrk += ["--script", script.name, f"http://127.0.0.1:{server.port}{path}"]
        before = server.cpu()
        run = subprocess.run(wrk, capture_output=True, text=True, timeout=seconds + 60)
        user, system = (after - start for after, start in zip(server.cpu(), before))
    result = re.search("^result (.*)$", run.stdout, re.MULTILINE)
    if not result:
        sys.exit(f"compare.py: wrk failed on {server.name}: {run.stdout}{run.stderr}\n{server.printed()}")
    requests, microseconds, p99, *errors = map(int, result[1].split())
    return {
        "cpu": (user + system) * 1e6 / max(requests, 1),
        "user": user * 1e6 / max(requests, 1),
        "rate": requests * 1e6 / microseconds,
        "p99": p99,
        "errors": dict(zip(ERRORS, errors)),
    }


def compare_memory(table, commands, options):
    rounds = min(options.rounds, HOLDING_ROUNDS)
    request = f"GET {options.path} HTTP/1.1\r\nHost: a\r\n\r\n".encode() if table == "idle" else b""
    samples = in_rounds(table, commands, rounds, lambda server: held(server, options.connections, request))
    what = "that have made one request" if request else "that have made none"
    print(f"\n{table}: {options.connections} connections {what}; {rounds} rounds")
    print(f"{'server':<{WIDTH}}{'bytes each':>12}{'of ' + BASE:>22}{'before, kB':>13}")
    for name in commands:
        each, before = median(samples, name, "each"), median(samples, name, "before")
        print(f"{name:<{WIDTH}}{each:>12.0f}{ratio(samples, name, 'each'):>22}{before / 1000:>13.0f}", flush=True)
    return list(complain(table, samples))


def held(server, connections, request):
    """By how much the server grows while it has that many connections, each of which has sent `request`."""
    before = server.resident()
    held, refused = [], 0
    try:
        for _ in range(connections):
            held.append(server.connect())
            if request:
                held[-1].sendall(request)
                refused += not held[-1].recv(4096).startswith(b"HTTP/1.1 2")
        each = (settled(server) - before) / connections
        lost = sum(map(is_closed, held))
    finally:
        for connection in held:
            connection.close()
    return {"each": each, "before": before, "errors": {ERRORS[-1]: refused, "connections not kept": lost}}


def settled(server):
    """Its resident memory, once that has stopped changing."""
    last, seen = time.monotonic() + SETTLE_SECONDS, []
    while len(seen) < 4 or (len(set(seen[-4:])) > 1 and time.monotonic() < last):
        time.sleep(0.25)
        seen.append(server.resident())
    return seen[-1]


def is_closed(connection):
    connection.setblocking(False)
    try:
        while connection.recv(4096):
            pass
        return True
    except BlockingIOError:
        return False
    except OSError:
        return True


def compare_allocations(commands, options):
    print(f"\nallocations: {options.path}, one connection, the difference that {COUNTED_REQUESTS} requests make")
    print(f"{'server':<{WIDTH}}{'per request':>12}")
    for name, command in commands.items():
        once, twice = (allocated(name, command, options.path, n * COUNTED_REQUESTS) for n in (1, 2))
        # Before the first and after the last request there may be one more or less: not -0.00.
        each = round((twice - once) / COUNTED_REQUESTS, 2) + 0.0
        print(f"{name:<{WIDTH}}{each:>12.2f}", flush=True)


def allocated(name, command, path, requests):
    """How often the server has allocated by its end, after that many requests."""
    with Server(name, command, under=["valgrind", "--undef-value-errors=no"]) as server, server.client() as client:
        for _ in range(requests):
            client.request("GET", path)
            client.getresponse().read()
    # Each of its processes has one.
    totals = re.findall(r"total heap usage: ([\d,]+) allocs", server.printed(most=1 << 20))
    if not totals:
        sys.exit(f"compare.py: no total from valgrind for {name}:\n{server.printed()}")
    return sum(int(total.replace(",", "")) for total in totals)


if __name__ == "__main__":
    main()
