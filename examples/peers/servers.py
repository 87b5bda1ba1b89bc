"""What compare.py compares: how each server is built and started, what it must answer, what the kernel accounts for it.

Nothing here measures; the tables are in compare.py.
"""
import contextlib
import http.client
import json
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import time

PEERS = pathlib.Path(__file__).resolve().parent
ROOT = PEERS.parent.parent
BASE = "hand-hyper"
HAND_WRITTEN = (BASE, "hand-axum", "hand-actix", "hand-may")
OURS = "polywire-"
FEATURE = "transport-"

TICK = os.sysconf("SC_CLK_TCK")
START_SECONDS = 30

ECHOED = bytes(range(256)) * 4
ANSWERS = (
    ("GET", "/", None, "text/plain; charset=utf-8", b"ok"),
    ("GET", "/ping", None, "application/json", b'{"ok":true}'),
    ("GET", "/users/42", None, "application/json", b'{"id":42,"name":"ann"}'),
    ("GET", "/search?q=a%20b&page=3", None, "application/json", b'{"q":"a b","page":3}'),
    ("POST", "/echo", ECHOED, "application/octet-stream", ECHOED),
)


def known():
    """Every server there is: the probe with each transport it has a feature for, then the hand-written ones."""
    packages = metadata(ROOT)["packages"]
    features = next(package["features"] for package in packages if package["name"] == "probe")
    transports = sorted(name.removeprefix(FEATURE) for name in features if name.startswith(FEATURE))
    return [*(OURS + transport for transport in transports), *HAND_WRITTEN]


def metadata(workspace):
    cargo = ["cargo", "metadata", "--no-deps", "--format-version", "1"]
    return json.loads(subprocess.run(cargo, cwd=workspace, check=True, stdout=subprocess.PIPE).stdout)


def build(names):
    """Builds the servers named, and answers the command of each, with {port} in it.

    Each is a build of its own: in one, cargo would give all of them the union of the features they ask of tokio. The
    probe's binary is the same file for every transport, so it is copied to a folder of the transport's own.
    """
    kept = pathlib.Path(metadata(PEERS)["target_directory"], "compare")
    commands = {}
    for name in names:
        print(f"building {name}", file=sys.stderr)
        if name in HAND_WRITTEN:
            commands[name] = [executable(PEERS, "--package", name), "{port}"]
            continue
        binary = executable(ROOT, "--package", "probe", "--features", FEATURE + name.removeprefix(OURS))
        copy = kept / name / "probe"
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(binary, copy)
        commands[name] = [str(copy), "--listen", "127.0.0.1:{port}"]
    return commands


def executable(workspace, *options):
    cargo = ["cargo", "build", "--quiet", "--release", "--message-format", "json-render-diagnostics", *options]
    built = subprocess.run(cargo, cwd=workspace, stdout=subprocess.PIPE, text=True)
    if built.returncode != 0:
        sys.exit(f"compare.py: cargo build {' '.join(options)} failed")
    artifacts = [json.loads(line) for line in built.stdout.splitlines() if line.startswith("{")]
    return next(artifact["executable"] for artifact in artifacts if artifact.get("executable"))


class Server:
    """A server's process on a free port, ended where the `with` block ends. `under` stands before its command."""

    def __init__(self, name, command, under=()):
        self.name = name
        self.port = free_port()
        self.output = tempfile.TemporaryFile()
        command = [*under, *(word.replace("{port}", str(self.port)) for word in command)]
        self.process = subprocess.Popen(command, stdout=self.output, stderr=self.output)

    def __enter__(self):
        try:
            self.wait()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(self, *_):
        self.stop()

    def wait(self):
        """Until it accepts connections."""
        last = time.monotonic() + START_SECONDS
        while True:
            try:
                return self.connect().close()
            except OSError:
                if self.process.poll() is not None or time.monotonic() > last:
                    sys.exit(f"compare.py: {self.name} did not start:\n{self.printed()}")
                time.sleep(0.05)

    def stop(self):
        self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def printed(self):
        """The last it wrote, to either of its outputs."""
        self.output.seek(0)
        return self.output.read()[-4000:].decode(errors="replace")

    def connect(self):
        return socket.create_connection(("127.0.0.1", self.port), 10)

    def client(self):
        """One connection that keeps itself open, and closes where the `with` block ends."""
        return contextlib.closing(http.client.HTTPConnection("127.0.0.1", self.port, timeout=10))

    def cpu(self):
        """User and system seconds so far, of all its threads."""
        text = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text()
        user, system = text.rsplit(")", 1)[1].split()[11:13]
        return int(user) / TICK, int(system) / TICK

    def resident(self):
        """Resident memory in bytes."""
        lines = pathlib.Path(f"/proc/{self.process.pid}/status").read_text().splitlines()
        return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmRSS:"))

    def check(self):
        """Exits unless it answers what all of them answer: otherwise nothing is compared."""
        with self.client() as client:
            for method, target, body, kind, expected in ANSWERS:
                client.request(method, target, body)
                answer = client.getresponse()
                seen = (answer.status, answer.getheader("content-type"), answer.read())
                if seen != (200, kind, expected) or not answer.getheader("date"):
                    sys.exit(f"compare.py: {self.name} answers {method} {target} with {seen}, {answer.getheaders()}")


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]
