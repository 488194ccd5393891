"""A real prometheus of our own: on the loopback, on a free port, in a temporary folder."""

import json
import pathlib
import socket
import subprocess
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request

STARTUP_SECONDS = 60  # on a machine that does much else
CONFIG = """global: {{scrape_interval: 1s, scrape_timeout: 1s, evaluation_interval: 1s}}
rule_files: {rules}
scrape_configs:
  - job_name: graphbench
    static_configs: [{{targets: {targets}}}]
"""


class QueryError(Exception):
    """Prometheus refused an expression."""


class Prometheus:
    """Scrapes `targets` (HOST:PORT) with these rule files, as a context; the queries of its HTTP API."""

    def __init__(self, targets, rule_files):
        self.targets = targets
        self.rule_files = [str(path) for path in rule_files]

    def configuration(self):
        return CONFIG.format(rules=json.dumps(self.rule_files), targets=json.dumps(self.targets))

    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory(prefix="graphbench-prometheus-")
        folder = pathlib.Path(self.folder.name)
        config = folder / "prometheus.yml"
        config.write_text(self.configuration())
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.address = f"127.0.0.1:{probe.getsockname()[1]}"
        self.log = open(folder / "log", "w+", encoding="utf-8")
        self.process = subprocess.Popen(
            ["prometheus", f"--config.file={config}", f"--storage.tsdb.path={folder / 'data'}",
             f"--web.listen-address={self.address}", "--log.level=warn"],
            stdout=self.log, stderr=subprocess.STDOUT, cwd=folder)
        try:
            self.wait_for(lambda: self.get("/-/ready"), "start")
        except Exception:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.log.close()
        self.folder.cleanup()

    def wait_for(self, condition, what):
        """Until the condition holds; an operation that takes long is a failure that says which."""
        deadline = time.monotonic() + STARTUP_SECONDS
        while time.monotonic() < deadline:
            try:
                if (result := condition()):
                    return result
            except (OSError, urllib.error.URLError):
                if self.process.poll() is not None:
                    break
            time.sleep(0.1)
        self.log.seek(0)
        raise AssertionError(f"prometheus did not {what} in {STARTUP_SECONDS} s:\n{self.log.read()[-3000:]}")

    def get(self, path, **parameters):
        query = urllib.parse.urlencode(parameters, doseq=True)
        with urllib.request.urlopen(f"http://{self.address}{path}?{query}", timeout=10) as answer:
            return answer.read()

    def data(self, path, **parameters):
        try:
            return json.loads(self.get(path, **parameters))["data"]
        except urllib.error.HTTPError as error:
            raise QueryError(json.loads(error.read())["error"]) from error

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
        asked = f'sum_over_time(up{{job="graphbench"}}[1m]) >= {count}'
        self.wait_for(lambda: len(self.instant(asked)) == len(self.targets), f"scrape {self.targets}")
