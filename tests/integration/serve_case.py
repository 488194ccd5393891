"""What the service's tests share: a service of the test's own, and asking it."""

import json
import pathlib
import urllib.error
import urllib.request

from harness_case import BINARY, HarnessCase
from prometheus_servers import wait_for

TINY = {"workload": "mlp", "device": "host", "batch": [1, 2], "warmup": 0, "time-per-cell": 0.005,
        "samples-max": 5}
# About a minute of work.
LONG = {**TINY, "launches": 30, "time-per-cell": 0.3, "samples-max": 2000}
# As long, but with cells that are done early: a worker for each number of warmups.
MANY = {**TINY, "warmup": list(range(60)), "time-per-cell": 0.1, "samples-max": 2000}
TOKEN = "correct-horse-battery"


def processes_in(folder):
    """Processes of the binary under test whose working folder is the test's."""
    found = []
    for path in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            if (path / "cwd").resolve() == folder and (path / "exe").samefile(BINARY):
                found.append(path.name)
        except OSError:
            pass
    return found


class ServeCase(HarnessCase):
    def serve(self, *arguments, listen="127.0.0.1:0", **options):
        return self.start_service("serve", "--listen", listen, *arguments, **options)

    def ask(self, method, path, document=None, **headers):
        body = None if document is None else json.dumps(document).encode()
        headers = {"Content-Type": "application/json", **headers}
        request = urllib.request.Request(self.url + path, data=body, method=method, headers=headers)
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        try:
            with opener.open(request, timeout=10) as answer:
                return answer.status, json.loads(answer.read())
        except urllib.error.HTTPError as error:
            return error.code, json.loads(error.read())

    def submit(self, document):
        status, sweep = self.ask("POST", "/v1/sweeps", document)
        self.assertEqual(202, status, sweep)
        return "/v1/sweeps/" + sweep["id"]

    def wait_for_state(self, path, *states):
        return wait_for(f"{path} to be {states}",
                        lambda: (state := self.ask("GET", path)[1]["state"]) in states and state, 120)
