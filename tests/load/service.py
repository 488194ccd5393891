"""A real `graphbench serve` on a free port of loopback, for the programs beside this file. Stdlib only."""

import json
import os
import pathlib
import subprocess
import sys
import time
import urllib.request


def wait_for(what, ask, seconds=60):
    end = time.monotonic() + seconds
    while not (answer := ask()):
        if time.monotonic() > end:
            sys.exit(f"{pathlib.Path(sys.argv[0]).stem}: waited {seconds} s for {what}")
        time.sleep(0.01)
    return answer


class Service:
    """The process, and requests to it. Used as a context it is killed at the end."""

    def __init__(self, binary, folder, *arguments):
        self.binary, self.folder, self.arguments = binary.resolve(), folder, arguments
        self.start()

    def start(self):
        command = [self.binary, "serve", "--listen", "127.0.0.1:0", *self.arguments]
        environment = {**os.environ, "XDG_RUNTIME_DIR": str(self.folder)}  # takes turns with no other service
        self.process = subprocess.Popen(command, cwd=self.folder, stderr=subprocess.PIPE, text=True,
                                        env=environment)
        said = self.process.stderr.readline()
        if "serving http://" not in said:
            self.kill()
            sys.exit(f"{pathlib.Path(sys.argv[0]).stem}: graphbench serve said: {said.strip()}")
        self.url = said.split()[-1]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.kill()

    def ask(self, method, path, document=None):
        body = None if document is None else json.dumps(document).encode()
        request = urllib.request.Request(self.url + path, data=body, method=method,
                                         headers={"Content-Type": "application/json"})
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(request, timeout=20) as answer:
            return json.loads(answer.read())

    def submit(self, sweep):
        return self.ask("POST", "/v1/sweeps", sweep)["id"]

    def sweeps(self):
        """All of them, page by page."""
        found, path = [], "/v1/sweeps?limit=1000"
        while path:
            page = self.ask("GET", path)
            found += page["sweeps"]
            path = page["next"]
        return found

    def kill(self):
        self.process.kill()
        self.process.wait()
        self.process.stderr.close()

    def processes(self):
        """The service and what it started, by number."""
        found = []
        for path in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                if (path / "cwd").resolve() == self.folder and (path / "exe").samefile(self.binary):
                    found.append(path.name)
            except OSError:
                pass
        return found

    def children(self):
        """Processes that the service started and that still run; asking disturbs it not at all."""
        found = []
        for path in pathlib.Path(f"/proc/{self.process.pid}/task").glob("*/children"):
            try:
                found += path.read_text(encoding="ascii").split()
            except OSError:
                pass
        return found

    def resident_mib(self):
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text(encoding="ascii")
        for line in status.splitlines():
            if line.startswith("VmRSS:"):
                return int(line.split()[1]) / 1024
        raise RuntimeError("the service has ended")
