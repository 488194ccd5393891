"""Real servers of Debian's packages on loopback, each in a folder and on a port of its own."""

import contextlib
import http.server
import json
import pathlib
import shutil
import subprocess
import tempfile
import threading
import time
import urllib.parse

from client import fetch, free_port, wait_for


def program(name):
    path = shutil.which(name)
    if path is None:
        raise FileNotFoundError(f"{name} is not installed: ci/packages installs it")
    return path


def lint(text):
    """What promtool says of an exposition; empty where it is content."""
    check = subprocess.run([program("promtool"), "check", "metrics"], input=text, capture_output=True,
                           text=True, check=False)
    said = check.stdout + check.stderr
    return said or (f"exit code {check.returncode}" if check.returncode != 0 else "")


@contextlib.contextmanager
def running(arguments, folder, ready, name="server", seconds=60):
    """A program that is told to stop at the end; its messages are in a file of that name. Yields what `ready`
    made of them, which is true once it serves."""
    log = folder / f"{name}.log"
    with open(log, "w", encoding="utf-8") as out:
        process = subprocess.Popen([str(word) for word in arguments], cwd=folder, stdin=subprocess.DEVNULL,
                                   stdout=out, stderr=out)
    try:
        def answer():
            if process.poll() is not None:
                raise AssertionError(log.read_text(encoding="utf-8"))
            return ready(log.read_text(encoding="utf-8"))
        yield wait_for(name, answer, seconds)
    finally:
        process.terminate()
        try:
            process.wait(30)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def answers(url):
    return lambda _: fetch(url)[0] == 200


class QueryError(Exception):
    """Prometheus refused an expression."""


class Prometheus:
    """Scrapes `targets` (HOST:PORT) with these rule files, as a context; the queries of its HTTP API."""

    def __init__(self, targets, rule_files=(), interval="1s"):
        self.targets = targets
        times = {name: interval for name in ("scrape_interval", "scrape_timeout", "evaluation_interval")}
        job = {"job_name": "graphbench", "static_configs": [{"targets": targets}]}
        self.config = {"global": times, "rule_files": list(map(str, rule_files)), "scrape_configs": [job]}

    def __enter__(self):
        with contextlib.ExitStack() as stack:
            folder = pathlib.Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="graphbench-test-")))
            (folder / "prometheus.yml").write_text(json.dumps(self.config), encoding="utf-8")  # JSON is YAML
            self.address = f"127.0.0.1:{free_port()}"
            arguments = [program("prometheus"), "--config.file=prometheus.yml", "--storage.tsdb.path=data",
                         f"--web.listen-address={self.address}", "--log.level=warn"]
            stack.enter_context(running(arguments, folder, answers(f"http://{self.address}/-/ready")))
            self.stack = stack.pop_all()
        return self

    def __exit__(self, *_):
        self.stack.close()

    def data(self, path, **parameters):
        query = urllib.parse.urlencode(parameters, doseq=True)
        answer = json.loads(fetch(f"http://{self.address}{path}?{query}")[2])
        if answer["status"] != "success":
            raise QueryError(answer["error"])
        return answer["data"]

    def instant(self, expression):
        return self.data("/api/v1/query", query=expression)["result"]

    def range(self, expression, seconds):
        now = time.time()
        asked = {"query": expression, "start": now - seconds, "end": now, "step": 1}
        return self.data("/api/v1/query_range", **asked)["result"]

    def label_values(self, selector, label):
        return self.data(f"/api/v1/label/{label}/values", **{"match[]": selector})

    def wait_for_scrapes(self, count):
        """Good ones. Rates want two samples at least; the rules want to have been evaluated over them."""
        asked = f'sum_over_time(up{{job="graphbench"}}[1h]) >= {count}'
        wait_for(f"scrapes of {self.targets}", lambda: len(self.instant(asked)) == len(self.targets), 60)


@contextlib.contextmanager
def serving(handler):
    """A server of this process on the loopback, until the end."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def answering(answer, requests=None):
    """The same, where `answer` gives an answer to each path of a GET or a PUT: status, type and text.

    Method, path and authorization of each are appended to `requests`, if any."""
    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):  # noqa: N802
            self.rfile.read(int(self.headers.get("Content-Length", 0)))
            if requests is not None:
                requests.append((self.command, self.path, self.headers["Authorization"]))
            status, kind, text = answer(self.path)
            body = text.encode()
            self.send_response(status)
            self.send_header("Content-Type", kind + "; charset=utf-8")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        do_PUT = do_GET  # noqa: N815

        def log_message(self, *_):
            pass

    return serving(Handler)


@contextlib.contextmanager
def pushgateway(folder):
    """Yields the gateway's URL."""
    folder.mkdir()
    address = f"127.0.0.1:{free_port()}"
    # Debian's build keeps what was pushed in /var/lib unless told not to.
    with running([program("prometheus-pushgateway"), "--persistence.file=",
                  f"--web.listen-address={address}"], folder, answers(f"http://{address}/-/ready")):
        yield f"http://{address}"
