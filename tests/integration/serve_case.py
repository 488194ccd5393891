"""What the service's tests share: a service of the test's own, and asking it."""

from client import ask, fetch, processes_in, wait_for
from harness_case import BINARY, HarnessCase

TINY = {"workload": "mlp", "device": "host", "batch": [1, 2], "warmup": 0, "launches": 1,
        "time-per-cell": 0.005, "samples-max": 5}
# About a minute of work.
LONG = {**TINY, "launches": 30, "time-per-cell": 0.3, "samples-max": 2000}
# As long, but with cells that are done early: a worker for each number of warmups.
MANY = {**TINY, "warmup": list(range(60)), "time-per-cell": 0.1, "samples-max": 2000}
TOKEN = "correct-horse-battery"


class ServeCase(HarnessCase):
    def serve(self, *arguments, listen="127.0.0.1:0", **options):
        return self.start_service("serve", "--listen", listen, *arguments, **options)

    def ask(self, method, path, document=None, **headers):
        return ask(self.url + path, method, document, **headers)

    @property
    def port(self):
        return int(self.url.rsplit(":", 1)[1])

    def metrics(self):
        return fetch(self.url + "/metrics")[2]

    def processes(self):
        """The service's and its sweep's."""
        return processes_in(self.folder.resolve(), BINARY)

    def submit(self, document):
        status, sweep = self.ask("POST", "/v1/sweeps", document)
        self.assertEqual(202, status, sweep)
        return "/v1/sweeps/" + sweep["id"]

    def wait_for_state(self, path, *states):
        return wait_for(f"{path} to be {states}",
                        lambda: (state := self.ask("GET", path)[1]["state"]) in states and state, 120)
