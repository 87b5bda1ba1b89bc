"""What compare.py compares: how each server is built and started, what it must answer, what the kernel accounts for it.

Nothing here measures; the tables are in compare.py.
"""
import contextlib
import grp
import http.client
import json
import os
import pathlib
import pwd
import resource
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import tomllib
from dataclasses import dataclass

PEERS = pathlib.Path(__file__).resolve().parent
ROOT = PEERS.parent.parent
OURS = "polywire-"
FEATURE = "transport-"


@dataclass(frozen=True)
class Peer:
    """A server of this workspace: its package, the crate it is there for, what its command has besides the port."""

    package: str
    crate: str
    arguments: tuple = ()


BASE, NGINX, FLOOR = "hand-hyper", "nginx", "floor"
HAND_WRITTEN = {
    BASE: Peer("hand-hyper", "hyper"),
    "hand-hyper-per-core": Peer("hand-hyper", "hyper", ("--per-core",)),
    "hand-hyper-vectored": Peer("hand-hyper", "hyper", ("--vectored",)),
    "hand-axum": Peer("hand-axum", "axum"),
    "hand-actix": Peer("hand-actix", "actix-web"),
    "hand-ntex": Peer("hand-ntex", "ntex"),
    "hand-xitca": Peer("hand-xitca", "xitca-web"),
    "hand-may": Peer("hand-may", "may_minihttp"),
    FLOOR: Peer("floor", "tokio"),
}
USUAL = (BASE, "hand-axum", "hand-actix", "hand-may")

TICK = os.sysconf("SC_CLK_TCK")
START_SECONDS = 30

ECHOED = bytes(range(256)) * 4
USER, WAIT, FILES = "/users/42", "/wait", "/files/"
FILE_SIZES = (9_700, 2_100_000)
CONTENT = (bytes(range(251)) * (max(FILE_SIZES) // 251 + 1))[: max(FILE_SIZES)]
WAITED_SECONDS = 0.001
JSON, OCTETS = "application/json", "application/octet-stream"
ANSWERS = (
    ("GET", "/", None, "text/plain; charset=utf-8", b"ok"),
    ("GET", "/ping", None, JSON, b'{"ok":true}'),
    ("GET", USER, None, JSON, b'{"id":42,"name":"ann"}'),
    ("GET", "/search?q=a%20b&page=3", None, JSON, b'{"q":"a b","page":3}'),
    ("POST", "/echo", ECHOED, OCTETS, ECHOED),
    ("GET", WAIT, None, JSON, b'{"ok":true}'),
    *(("GET", f"{FILES}{size}", None, OCTETS, CONTENT[:size]) for size in FILE_SIZES),
)
# What those answer that don't answer everything.
ONLY = {FLOOR: {USER}, NGINX: {USER, *(f"{FILES}{size}" for size in FILE_SIZES)}}


def known():
    """Every server there is: the probe with each transport it has a feature for, the hand-written ones, and nginx."""
    return [*ours(), *HAND_WRITTEN, NGINX]


def usual():
    """Those that are compared if nobody says which: Polywire on each transport, and a peer of each kind."""
    return [*ours(), *USUAL]


def ours():
    packages = metadata(ROOT)["packages"]
    features = next(package["features"] for package in packages if package["name"] == "probe")
    return [OURS + name.removeprefix(FEATURE) for name in sorted(features) if name.startswith(FEATURE)]


def installed(names):
    """The servers named, without nginx where there is none, and a line about it."""
    names = list(names)
    if NGINX in names and not nginx():
        print("compare.py: nginx is left out: not installed (Debian package nginx)", file=sys.stderr)
        names.remove(NGINX)
    return names


def nginx():
    """Where it is. Debian's is among what is for administrators, not on everybody's path."""
    return shutil.which(NGINX, path=os.pathsep.join([os.environ.get("PATH", os.defpath), "/usr/local/sbin", "/usr/sbin"]))


def answers(name, target):
    """Whether this server has an answer to this target."""
    return target in ONLY.get(name, {target})


def closes(name):
    """Whether this server ends a connection whose client says `Connection: close`."""
    return name != FLOOR


def versions(names):
    """What each of the servers named is, as text: `{name: version}`. After `build`, which may update Cargo.lock."""
    return {name: version(name) for name in names}


def version(name):
    if name in HAND_WRITTEN:
        crate = HAND_WRITTEN[name].crate
        locked = tomllib.loads((PEERS / "Cargo.lock").read_text())["package"]
        return " and ".join(f"{crate} {package['version']}" for package in locked if package["name"] == crate)
    if name == NGINX:
        # "nginx version: nginx/1.22.1", among the errors.
        said = subprocess.run([nginx(), "-v"], check=True, capture_output=True, text=True).stderr
        return said.strip().rpartition(": ")[2].replace("/", " ")
    project = next(package for package in metadata(ROOT)["packages"] if package["name"] == "polywire")
    return f"polywire {project['version']}, {commit()}"


def commit():
    try:
        head, changed = (git("rev-parse", "--short=12", "HEAD"), git("status", "--porcelain"))
    except (OSError, subprocess.CalledProcessError):
        return "of no commit"
    return f"commit {head}{' with changes' if changed else ''}"


def git(*words):
    return subprocess.run(["git", *words], cwd=ROOT, check=True, capture_output=True, text=True).stdout.strip()


def metadata(workspace):
    cargo = ["cargo", "metadata", "--no-deps", "--format-version", "1"]
    return json.loads(subprocess.run(cargo, cwd=workspace, check=True, stdout=subprocess.PIPE).stdout)


def build(names):
    """Builds the servers named, and answers the command of each, with {port} in it, and {folder}: the server's own.

    Each is a build of its own: in one, cargo would give all of them the union of the features they ask of tokio. The
    probe's binary is the same file for every transport, so it is copied to a folder of the transport's own.
    """
    kept = pathlib.Path(metadata(PEERS)["target_directory"], "compare")
    commands = {}
    for name in names:
        if name == NGINX:
            commands[name] = [nginx(), "-e", "stderr", "-c", "{folder}/nginx.conf", "-g", "daemon off;"]
            continue
        print(f"building {name}", file=sys.stderr)
        if peer := HAND_WRITTEN.get(name):
            commands[name] = [executable(PEERS, "--package", peer.package), "{port}", *peer.arguments]
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


def configure_nginx(folder, port):
    """Writes what nginx needs into the folder, and has it write nowhere else: the log goes where its errors go.

    It has a listener for each worker, so that connections are spread over them, keeps the files open, as the others hold
    them in memory, and makes room for its connections when it starts, 430 bytes for each and worker: they are in what it
    takes before it is asked, not in what a connection takes.
    """
    (folder / FILES.strip("/")).mkdir()
    for size in FILE_SIZES:
        (folder / FILES.strip("/") / str(size)).write_bytes(CONTENT[:size])
    # It has directives only for what it was built with.
    built = subprocess.run([nginx(), "-V"], check=True, capture_output=True, text=True).stderr
    relays = ("proxy", "fastcgi", "uwsgi", "scgi")
    writers = ["client_body", *(relay for relay in relays if f"--without-http_{relay}_module" not in built)]
    places = [f'    {writer}_temp_path "{folder}/{writer}";' for writer in writers]
    connections = min(resource.getrlimit(resource.RLIMIT_NOFILE)[0], 20_000)
    # Its workers would be nobody's, who can't read the folder; without privileges it doesn't change them.
    user = f"user {pwd.getpwuid(0).pw_name} {grp.getgrgid(0).gr_name};" if os.geteuid() == 0 else ""
    (folder / "nginx.conf").write_text(f"""{user}
worker_processes auto;
pid "{folder}/nginx.pid";
lock_file "{folder}/nginx.lock";
error_log stderr;
events {{
    worker_connections {connections};
}}
http {{
    access_log off;
    sendfile on;
    open_file_cache max=16;
    keepalive_requests 1000000000;
{chr(10).join(places)}
    server {{
        listen 127.0.0.1:{port} reuseport backlog=1024;
        location = {USER} {{
            default_type {JSON};
            return 200 '{{"id":42,"name":"ann"}}';
        }}
        location {FILES} {{
            default_type {OCTETS};
            root "{folder}";
        }}
    }}
}}
""")


class Server:
    """A server's process on a free port, ended where the `with` block ends. `under` stands before its command."""

    def __init__(self, name, command, under=()):
        self.name = name
        self.port = free_port()
        self.output = tempfile.TemporaryFile()
        self.folder = tempfile.TemporaryDirectory(prefix="compare-")
        if name == NGINX:
            configure_nginx(pathlib.Path(self.folder.name), self.port)
        for place, value in (("{port}", str(self.port)), ("{folder}", self.folder.name)):
            command = [word.replace(place, value) for word in command]
        self.process = subprocess.Popen([*under, *command], stdout=self.output, stderr=self.output)

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
        """Until it answers."""
        last = time.monotonic() + START_SECONDS
        while not self.is_up():
            if self.process.poll() is not None or time.monotonic() > last:
                sys.exit(f"compare.py: {self.name} did not start:\n{self.printed()}")
            time.sleep(0.05)

    def is_up(self):
        # Connections to nginx are made before it has all of its workers.
        if self.name == NGINX and len(self.processes()) <= os.cpu_count():
            return False
        try:
            with self.client() as client:
                client.request("GET", USER)
                return client.getresponse().status == 200
        except (OSError, http.client.HTTPException):
            return False

    def stop(self):
        processes = self.processes()
        self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            for process in processes:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(process, signal.SIGKILL)
            self.process.wait()
        self.folder.cleanup()

    def printed(self, most=4000):
        """The last it wrote, to either of its outputs."""
        self.output.seek(0)
        return self.output.read()[-most:].decode(errors="replace")

    def connect(self):
        return socket.create_connection(("127.0.0.1", self.port), 10)

    def client(self):
        """One connection that keeps itself open, and closes where the `with` block ends."""
        return contextlib.closing(http.client.HTTPConnection("127.0.0.1", self.port, timeout=10))

    def processes(self):
        """Its processes: the one that was started, and its children."""
        children = []
        for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
            # Some end meanwhile.
            with contextlib.suppress(OSError):
                if stat_fields(stat)[1] == str(self.process.pid):
                    children.append(int(stat.parent.name))
        return [self.process.pid, *children]

    def cpu(self):
        """User and system seconds so far, of all its threads."""
        fields = [stat_fields(pathlib.Path(f"/proc/{process}/stat")) for process in self.processes()]
        return tuple(sum(int(each[at]) for each in fields) / TICK for at in (11, 12))

    def resident(self):
        """Resident memory in bytes. What its processes share counts for each."""
        return sum(map(resident, self.processes()))

    def check(self):
        """Exits unless it answers what all of them answer: otherwise nothing is compared."""
        with self.client() as client:
            for method, target, body, kind, expected in ANSWERS:
                if answers(self.name, target):
                    self.check_answer(client, method, target, body, (200, kind, str(len(expected)), expected))

    def check_answer(self, client, method, target, body, expected):
        start = time.monotonic()
        client.request(method, target, body)
        answer = client.getresponse()
        fields = (answer.getheader("content-type"), answer.getheader("content-length"))
        seen = (answer.status, *fields, answer.read())
        if seen != expected or not answer.getheader("date"):
            seen = (*seen[:-1], seen[-1][:100])
            sys.exit(f"compare.py: {self.name} answers {method} {target} with {seen}, {answer.getheaders()}")
        if target == WAIT and time.monotonic() - start < WAITED_SECONDS:
            sys.exit(f"compare.py: {self.name} answers {target} at once")


def stat_fields(stat):
    """The fields of a process behind its name, which may have spaces: the parent's id is the second."""
    return stat.read_text().rsplit(")", 1)[1].split()


def resident(process):
    lines = pathlib.Path(f"/proc/{process}/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmRSS:"))


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]
