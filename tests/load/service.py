"""A real `graphbench serve` on a free port of loopback, for the programs beside this file. Stdlib only."""

import argparse
import os
import pathlib
import subprocess
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "integration"))
import client  # noqa: E402


def read_options(description, program="binary", **options):
    """The command line's: a program, and options by their defaults, by their types where they have none, or
    by what they may be, the default first."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument(program, type=pathlib.Path)
    for name, default in options.items():
        choices = default if isinstance(default, tuple) else None
        default = choices[0] if choices else default
        kind, default = (default, None) if isinstance(default, type) else (type(default), default)
        parser.add_argument("--" + name.replace("_", "-"), type=kind, default=default, choices=choices)
    return parser.parse_args()


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
        status, answer = client.ask(self.url + path, method, document)
        if status >= 400:
            sys.exit(f"{pathlib.Path(sys.argv[0]).stem}: {method} {path}: {status} {answer}")
        return answer

    def submit(self, sweep):
        return self.ask("POST", "/v1/sweeps", sweep)["id"]

    def wait_for_state(self, sweep, state, seconds=60):
        client.wait_for(f"the sweep to be {state}",
                        lambda: self.ask("GET", f"/v1/sweeps/{sweep}")["state"] == state, seconds)

    def memory_mib(self):
        return client.memory_mib(self.process.pid)

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


def end(faults, nothing="no fault"):
    """Prints the faults and how many they are; returns the exit code."""
    for fault in faults:
        print(f"{pathlib.Path(sys.argv[0]).name}: {fault}", file=sys.stderr)
    print(f"{len(faults)} faults" if faults else nothing)
    return 1 if faults else 0
