"""Asking a graphbench or another server of this machine, and looking at its processes. Stdlib only."""

import contextlib
import json
import pathlib
import socket
import time
import urllib.error
import urllib.request

# Whatever proxy the environment names, these servers are on this machine.
_OPENER = urllib.request.build_opener(urllib.request.ProxyHandler({}))


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def open_url(url, timeout=10, method=None, body=None, **headers):
    """The answer as urllib has it, to be read and closed; an HTTP error is raised."""
    return _OPENER.open(urllib.request.Request(url, body, headers, method=method), timeout=timeout)


def fetch(url, timeout=10, method=None, body=None, **headers):
    """Status, headers and text; an HTTP error is an answer like any other."""
    try:
        with open_url(url, timeout, method, body, **headers) as answer:
            return answer.status, answer.headers, answer.read().decode("utf-8")
    except urllib.error.HTTPError as error:
        return error.code, error.headers, error.read().decode("utf-8")


def ask(url, method="GET", document=None, timeout=60, **headers):
    """Status and document, for a document or nothing."""
    body = None if document is None else json.dumps(document).encode()
    headers = {"Content-Type": "application/json", **headers}
    status, _, text = fetch(url, timeout, method, body, **headers)
    return status, json.loads(text)


def wait_for(what, answer, seconds=180):
    """Asks until the answer is true; what was last seen is in the failure."""
    end = time.monotonic() + seconds
    seen = None
    while time.monotonic() < end:
        try:
            seen = answer()
            if seen:
                return seen
        except OSError as error:
            seen = error
        time.sleep(0.05)
    raise AssertionError(f"waited {seconds} s in vain for {what}; last seen: {seen}")


def processes_in(folder, binary):
    """Processes of this program whose working folder that is, the service and what it started, by number."""
    found = []
    for path in pathlib.Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):  # it has ended, or is another user's
            if (path / "cwd").resolve() == folder and (path / "exe").samefile(binary):
                found.append(path.name)
    return found


def children_of(pid):
    """Processes that it started and that still run; asking disturbs it not at all."""
    found = []
    for path in pathlib.Path(f"/proc/{pid}/task").glob("*/children"):
        with contextlib.suppress(OSError):  # it has ended
            found += map(int, path.read_text(encoding="ascii").split())
    return found


def memory_mib(pid, most=False):
    """What the process holds now, or the most that it ever held."""
    name = "VmHWM:" if most else "VmRSS:"
    lines = pathlib.Path(f"/proc/{pid}/status").read_text(encoding="ascii").splitlines()
    return int(next(line.split()[1] for line in lines if line.startswith(name))) / 1024
