"""Real servers of Debian's packages on loopback, each in a folder and on a port of its own."""

import contextlib
import json
import shutil
import socket
import subprocess
import time
import urllib.error
import urllib.parse
import urllib.request

# Whatever proxy the environment names, these servers are on this machine.
_OPENER = urllib.request.build_opener(urllib.request.ProxyHandler({}))


def program(name):
    path = shutil.which(name)
    if path is None:
        raise FileNotFoundError(f"{name} is not installed: ci/packages installs it")
    return path


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def fetch(url, timeout=10, **headers):
    """Status, headers and text; an HTTP error is an answer like any other."""
    try:
        with _OPENER.open(urllib.request.Request(url, headers=headers), timeout=timeout) as answer:
            return answer.status, answer.headers, answer.read().decode("utf-8")
    except urllib.error.HTTPError as error:
        return error.code, error.headers, error.read().decode("utf-8")


def wait_for(what, ask, seconds=30):
    """Asks until the answer is true; what was last seen is in the failure."""
    end = time.monotonic() + seconds
    seen = None
    while time.monotonic() < end:
        try:
            seen = ask()
            if seen:
                return seen
        except OSError as error:
            seen = error
        time.sleep(0.05)
    raise AssertionError(f"waited {seconds} s in vain for {what}; last seen: {seen}")


def lint(text):
    """What promtool says of an exposition; empty where it is content."""
    check = subprocess.run([program("promtool"), "check", "metrics"], input=text, capture_output=True,
                           text=True, check=False)
    said = check.stdout + check.stderr
    return said or (f"exit code {check.returncode}" if check.returncode != 0 else "")


@contextlib.contextmanager
def running(arguments, folder, ready_url):
    with open(folder / "server.log", "w", encoding="utf-8") as log:
        process = subprocess.Popen(arguments, cwd=folder, stdout=log, stderr=log)
    try:
        def ready():
            if process.poll() is not None:
                raise AssertionError((folder / "server.log").read_text(encoding="utf-8"))
            return fetch(ready_url)[0] == 200
        wait_for(arguments[0], ready)
        yield process
    finally:
        process.terminate()
        process.wait(timeout=30)


@contextlib.contextmanager
def prometheus(folder, targets):
    """A server that scrapes the targets five times a second; yields a function that runs a query."""
    folder.mkdir()
    config = {"global": {"scrape_interval": "200ms", "scrape_timeout": "200ms"},
              "scrape_configs": [{"job_name": "graphbench", "static_configs": [{"targets": targets}]}]}
    (folder / "prometheus.yml").write_text(json.dumps(config), encoding="utf-8")  # JSON is YAML
    address = f"127.0.0.1:{free_port()}"

    def query(expression):
        text = fetch(f"http://{address}/api/v1/query?" + urllib.parse.urlencode({"query": expression}))[2]
        answer = json.loads(text)
        if answer["status"] != "success":
            raise AssertionError(text)
        return answer["data"]["result"]

    with running([program("prometheus"), "--config.file=prometheus.yml", "--storage.tsdb.path=data",
                  f"--web.listen-address={address}"], folder, f"http://{address}/-/ready"):
        # It takes seconds to find its targets, answering or not.
        wait_for("the first scrapes", lambda: len(query("up")) == len(targets))
        yield query


@contextlib.contextmanager
def pushgateway(folder):
    """Yields the gateway's URL."""
    folder.mkdir()
    address = f"127.0.0.1:{free_port()}"
    # Debian's build keeps what was pushed in /var/lib unless told not to.
    with running([program("prometheus-pushgateway"), "--persistence.file=",
                  f"--web.listen-address={address}"], folder, f"http://{address}/-/ready"):
        yield f"http://{address}"
