#!/usr/bin/env python3
"""Counts instructions per request without a socket: a client and a server in one process over a pipe in memory.

    count.py --build 'cargo build --release -p probe --example pipe' polywire='target/release/examples/pipe {n}'

Each NAME=COMMAND is run from the project's root under callgrind with N and with 2N requests in the place of {n}; the
difference divided by N is what one request costs. The hand-written peers are built and counted beside it, and a null pipe
(no HTTP: the client, the pipe and the runtime alone), which is taken off before the ratio is made. The command's client
must send pipe::REQUEST and read the whole answer, one request at a time, on a current-thread runtime, as pipe/src/lib.rs
does. --max-ratio R exits with 1 if a NAME takes more than R times what hand-hyper takes; --max-ratio NAME=R says it of one.

Needs valgrind. Python 3.11, standard library only.
"""
import argparse
import json
import pathlib
import re
import shlex
import shutil
import subprocess
import sys

PEERS = pathlib.Path(__file__).resolve().parent
ROOT = PEERS.parent.parent
BASE = "hand-hyper"
COUNTED = ("pipe", BASE, "hand-axum")


def main():
    options = arguments()
    if not shutil.which("valgrind"):
        sys.exit("count.py: valgrind is not installed")
    for build in options.build:
        subprocess.run(shlex.split(build), cwd=ROOT, check=True)
    built = build_peers()
    commands = [
        ("null pipe", [built["null-pipe"], "{n}"]),
        (BASE, [built[BASE], "--pipe", "{n}"]),
        ("hand-axum", [built["hand-axum"], "--pipe", "{n}"]),
        *((name, shlex.split(command)) for name, command in options.commands),
    ]
    counts = {name: per_request(command, options.requests) for name, command in commands}
    report(counts)
    check(counts, [name for name, _ in options.commands], dict(options.max_ratio))


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("commands", nargs="*", metavar="NAME=COMMAND", type=named, help="with {n} for the number of requests")
    parser.add_argument("--build", action="append", default=[], metavar="COMMAND", help="run this first, from the root")
    parser.add_argument("--requests", type=int, default=2000, metavar="N")
    parser.add_argument("--max-ratio", action="append", default=[], metavar="[NAME=]R", type=ratio)
    options = parser.parse_args()
    unknown = {name for name, _ in options.max_ratio} - {None, *(name for name, _ in options.commands)}
    if unknown:
        parser.error(f"--max-ratio for what is not counted: {', '.join(sorted(unknown))}")
    return options


def named(argument):
    name, equals, command = argument.partition("=")
    if not equals or "{n}" not in command:
        raise argparse.ArgumentTypeError("NAME=COMMAND, with {n} in the command")
    return name, command


def ratio(argument):
    name, _, most = argument.rpartition("=")
    return name or None, float(most)


def build_peers():
    """Builds the peers that are counted, and no others, and answers where each binary is."""
    packages = [word for name in COUNTED for word in ("--package", name)]
    cargo = ["cargo", "build", "--release", *packages, "--message-format", "json-render-diagnostics"]
    messages = subprocess.run(cargo, cwd=PEERS, check=True, stdout=subprocess.PIPE, text=True).stdout
    artifacts = [json.loads(line) for line in messages.splitlines() if line.startswith("{")]
    return {a["target"]["name"]: a["executable"] for a in artifacts if a.get("executable")}


def per_request(command, requests):
    once, twice = (instructions([word.replace("{n}", str(n)) for word in command]) for n in (requests, 2 * requests))
    return (twice - once) / requests


def instructions(command):
    valgrind = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"]
    run = subprocess.run([*valgrind, *command], cwd=ROOT, capture_output=True, text=True)
    collected = re.search(r"Collected : (\d+)", run.stderr)
    if run.returncode != 0 or not collected:
        sys.exit(f"count.py: {shlex.join(command)} failed:\n{run.stderr[-2000:]}")
    return int(collected[1])


def report(counts):
    null = counts["null pipe"]
    base = counts[BASE] - null
    print(f"{'GET /users/42':<16}{'instructions':>14}{'above the pipe':>16}{'of ' + BASE:>16}")
    for name, count in counts.items():
        above = count - null
        print(f"{name:<16}{count:>14.0f}{above:>16.0f}{above / base:>16.3f}")


def check(counts, names, most):
    """`most` has a ratio by name, and under None what holds for names without one."""
    base = counts[BASE] - counts["null pipe"]
    over = []
    for name in names:
        limit = most.get(name, most.get(None))
        if limit is not None and counts[name] - counts["null pipe"] > limit * base:
            over.append(f"{name} (at most {limit})")
    if over:
        sys.exit(f"count.py: more than it may be of {BASE}: {', '.join(over)}")


if __name__ == "__main__":
    main()
