#!/usr/bin/env python3
"""Fails every system call of a command in turn: of each kind the first, the second, and so on until a run
ends without a failure. strace injects the error, or SIGKILL, as each thread's call of that number.
Allocations and threads fail by the library --preload, at --samples places.

A run may neither hang, end by a signal, leave something half written or lose what was finished. Exit code 0
promises all; another has a line that says what failed. Then the same command must do all that is missing.

    faults.py BINARY                        every command, every call after the loader's, in its own process
    faults.py BINARY --of children          in its children too
    faults.py BINARY --kill 1               killed once before each call that changes the disk
    faults.py BINARY --kill 100 --calls rename,fsync,fdatasync      a hundred times before each of these
    faults.py BINARY --commands sweep --calls fsync --first 3 --most 1      one of them again
    faults.py BINARY --preload libgraphbench_fail.so --calls malloc,pthread_create"""

import collections
import concurrent.futures
import contextlib
import json
import os
import pathlib
import random
import select
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile

from service import client, end, read_options

# What each call fails with.
ERRORS = {
    "EMFILE": "openat pipe2 memfd_create dup2 pidfd_open socket accept accept4 epoll_create1 eventfd2",
    "EIO": "read pread64 fsync fdatasync ftruncate newfstatat getdents64 lseek", "ENOSPC": "write pwrite64",
    "EACCES": "rename unlink mkdir", "ENOMEM": "mmap mprotect epoll_ctl timerfd_create", "EAGAIN": "clone3",
    "EINVAL": "fcntl prctl sched_setaffinity setsockopt", "EADDRINUSE": "bind listen", "EPIPE": "sendmsg",
    "ECONNRESET": "recvmsg", "EINTR": "epoll_wait", "ENOLCK": "flock", "ENOSYS": "getrandom",
}
ERRORS = {call: error for error, calls in ERRORS.items() for call in calls.split()}
CHANGES = ["write", "pwrite64", "fsync", "fdatasync", "ftruncate", "rename", "unlink"]  # what is on the disk
PRELOADED = ["malloc", "pthread_create"]
MEASURE = ["--device", "host", "--workload", "mlp", "--mode", "eager,whole", "--batch", "1", "--warmup", "0",
           "--time-per-cell", "0.005", "--samples-max", "5", "--launches", "1"]
SECONDS_MAX = 120
# What libraries do: a call, and a part of what is said then. Boost.Asio does not look whether its signals'
# pipe became non-blocking, which Linux never refuses. CLI11, simdjson and nlohmann-json allocate in functions
# that are noexcept. libgomp ends the process itself. hwloc and oneDNN use memory that they did not get.
KNOWN = {("fcntl", "hangs"), ("malloc", "terminate called"), ("malloc", "libgomp: Out of memory"),
         ("malloc", "`m_type != value_t::object || m_value.object != nullptr'"),
         ("malloc", "libhwloc.so.15: ends by signal"), ("mmap", "ends by signal 11")}
SEED = 42


class Fault(Exception):
    """What a run did that is not allowed."""


def require(condition, what):
    if not condition:
        raise Fault(what)


def strace(call, when, options, log):
    which = f"signal=KILL:when={when}" if options.kill else f"error={ERRORS[call]}:when={when}"
    own = ["-b", "execve"] if options.of == "itself" else []
    return ["strace", "-f", "-qq", *own, "-o", log, "-e", f"trace={call}", "-e", f"inject={call}:{which}"]


class Command:
    """What is run over copies of `seeds`; prints the same whenever nothing fails."""

    refused = ()  # with which it is refused where it has no seeds

    def __init__(self, seeds, *arguments):
        self.seeds, self.arguments, self.usual = seeds, arguments, None

    def run(self, prefix, options, folder, environment, more=()):
        """Exit code, what was printed, errors."""
        process = subprocess.Popen([*prefix, options.binary, *self.arguments, *more], cwd=folder, text=True,
                                   env={**os.environ, "XDG_RUNTIME_DIR": str(folder), **environment},
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   start_new_session=True)
        said = self.use(process, folder, bool(prefix))
        try:
            out, err = process.communicate(timeout=SECONDS_MAX)
        except subprocess.TimeoutExpired as hung:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            raise Fault(f"hangs for more than {SECONDS_MAX} s") from hung
        return process.returncode, out, said + err

    def use(self, process, folder, traced):
        return ""

    def check_whole(self, folder, out):
        """After exit code 0."""
        require(out == self.usual, f"exit code 0, and prints {out[-200:]!r}")

    def check_left(self, folder, seeds):
        """However it ended."""


class Sweep(Command):
    """Over an earlier result, and a journal that has `finished` tasks."""

    refused = ("--plugin", "none.so")

    def __init__(self, seeds, finished):
        super().__init__(["r.json", *seeds], "--sweep", *MEASURE, "--json", "r.json")
        self.finished = finished

    def check_whole(self, folder, out):
        document = json.loads((folder / "r.json").read_text(encoding="utf-8"))
        states = [cell["status"] for cell in document["cells"]]
        require(document["complete"] and states == ["ok", "ok"], f"exit code 0 with cells {states}")
        require(not (folder / "r.json.partial").exists(), "exit code 0, and the journal is still there")

    def check_left(self, folder, seeds):
        text, journal = (folder / "r.json").read_text(encoding="utf-8"), folder / "r.json.partial"
        require(json.loads(text)["complete"], "the document is not complete")
        kept = journal.read_text(encoding="utf-8").count('"event":"task"') if journal.exists() else 0
        is_old = text == (seeds / "r.json").read_text(encoding="utf-8")
        require(not is_old or kept >= self.finished, f"of {self.finished} finished tasks {kept} are kept")


class Serve(Command):
    """A service that is given one sweep, which it may refuse."""

    refused = ("--token-file", "none")

    def __init__(self):
        super().__init__([], "serve", "--listen", "127.0.0.1:0", "--state", "state", "--grace", "3")

    def use(self, process, folder, traced):
        told = select.select([process.stderr], [], [], SECONDS_MAX / 2)[0]  # that write may be what fails
        said = process.stderr.readline() if told else ""
        is_serving = "serving http://" in said
        if told and not is_serving:  # it ends now, or it has warned and serves
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(5)
                return said
        own = client.children_of(process.pid)[0] if traced else process.pid
        with contextlib.suppress(OSError, ValueError, AssertionError, KeyError):  # it may end at any moment
            if is_serving:
                self.ask_for_a_sweep(said.split()[-1] + "/v1/sweeps", folder / "accepted")
        with contextlib.suppress(ProcessLookupError):
            os.kill(own, signal.SIGTERM)
        return said

    @staticmethod
    def ask_for_a_sweep(url, accepted):
        if not accepted.exists():
            sweep = {name.removeprefix("--"): value for name, value in zip(MEASURE[::2], MEASURE[1::2])}
            status, answer = client.ask(url, "POST", sweep, timeout=10)
            if status != 202:
                return
            accepted.write_text(answer["id"], encoding="utf-8")
        url += "/" + accepted.read_text(encoding="utf-8")

        def ended():
            sweep = client.ask(url, timeout=10)[1]
            return sweep["state"] not in ("queued", "running") and sweep

        if client.wait_for("its end", ended, seconds=30)["resumable"]:
            client.ask(url + "/resume", "POST", timeout=10)
            client.wait_for("its end", ended, seconds=30)
        accepted.with_name("document").write_text(client.fetch(url + "/results")[2], encoding="utf-8")

    def check_whole(self, folder, out):
        """A service that ends well may have told its client why a sweep cannot be."""

    def check_done(self, folder):
        states = [cell["status"] for cell in json.loads((folder / "document").read_text("utf-8"))["cells"]]
        require(states == ["ok", "ok"], f"what was accepted is done with cells {states}")


class History(Command):
    def __init__(self):
        super().__init__(["new.json", "h.sqlite"], "history", "add", "new.json", "--history", "h.sqlite")

    def check_whole(self, folder, out):
        require(self.entries(folder) == 2, "exit code 0, and nothing is added")

    def check_left(self, folder, seeds):
        require(self.entries(folder) in (1, 2), "entries are lost")

    @staticmethod
    def entries(folder):
        with contextlib.closing(sqlite3.connect(folder / "h.sqlite")) as database:
            state = database.execute("PRAGMA integrity_check").fetchone()
            require(state == ("ok",), f"the history is damaged: {state}")
            return database.execute("SELECT count(*) FROM entries").fetchone()[0]


class Compile(Command):
    """Over an earlier package and its weights."""

    refused = ("--plugin", "none.so")

    def __init__(self):
        super().__init__(["p.gbp", "w"], "compile", "--workload", "mlp", "--batch", "1,2", "--device", "host",
                         "--weights", "w", "-o", "p.gbp", "--cache", "off")

    def check_whole(self, folder, out):
        require("batches 1 2" in self.inspect(folder), "exit code 0, and the package is not there")

    def check_left(self, folder, seeds):
        require("batches 1" in self.inspect(folder), "the package is half written")
        require((folder / "w").read_bytes() == (seeds / "w").read_bytes(), "the weights are half written")

    def inspect(self, folder):
        """Its programs, where all digests are right."""
        return subprocess.run([self.binary, "package", "inspect", "p.gbp"], cwd=folder, check=False,
                              capture_output=True, text=True).stdout


class Report(Command):
    """Over an earlier report, which stays or is replaced as a whole."""

    def __init__(self):
        super().__init__(["r.json", "r.html"], "report", "r.json", "-o", "r.html")

    def check_whole(self, folder, out):
        require((folder / "r.html").read_bytes() == self.usual, "exit code 0 with another report")

    def check_left(self, folder, seeds):
        whole = [self.usual, (seeds / "r.html").read_bytes()]
        require((folder / "r.html").read_bytes() in whole, "the report is half written")


COMMANDS = {"sweep": Sweep([], 0), "resume": Sweep(["r.json.partial"], 1), "serve": Serve(),
            "history": History(), "compile": Compile(), "show": Command(["r.json"], "show", "r.json"),
            "report": Report(),
            "compare": Command(["r.json"], "compare", "r.json", "r.json", "--format", "json")}


def whole_codes(arguments):
    """With which all is done and written. A comparison of one launch is blind."""
    return (0, 11) if "compare" in arguments else (0,)


def make_seeds(options, folder):
    """What the commands are run over, and what they print where nothing fails."""
    # A journal is of the libraries that its sweep had loaded.
    loaded = {**os.environ, **(preload("malloc", -1, options, "") if options.preload.name else {})}

    def run(*arguments):
        done = subprocess.run([options.binary, *arguments], cwd=folder, capture_output=True, text=True,
                              env=loaded)
        require(done.returncode in whole_codes(arguments), f"without a failure: {arguments}: {done.stderr}")
        return done.stdout

    for name in ("r.json", "new.json"):
        run("--sweep", *MEASURE, "--json", name)
    run("history", "add", "r.json", "--history", "h.sqlite")
    packing = list(COMMANDS["compile"].arguments)
    packing[packing.index("1,2")] = "1"
    run(*packing)
    run(*COMMANDS["report"].arguments)
    COMMANDS["report"].usual = (folder / "r.html").read_bytes()
    (folder / "r.html").write_text("an earlier report", encoding="utf-8")
    for name in ("show", "compare"):
        COMMANDS[name].usual = run(*COMMANDS[name].arguments)
    # A journal with one task of two: the second's worker is killed with the sweep, which may be too late.
    journal = folder / "j.json.partial"
    tasks = lambda: journal.exists() and journal.read_bytes().count(b'"event":"task"')  # noqa: E731
    for _ in range(20):
        journal.unlink(missing_ok=True)
        sweep = subprocess.Popen([options.binary, "--sweep", *MEASURE, "--json", "j.json", "--quiet"],
                                 cwd=folder, env=loaded)
        client.wait_for("a task", lambda: tasks() or sweep.poll() is not None)  # noqa: B023
        sweep.kill()
        sweep.wait()
        if tasks() == 1:
            break
    require(tasks() == 1, "the sweep was too fast to leave a journal with one task")
    journal.rename(folder / "r.json.partial")


@contextlib.contextmanager
def work_folder(command, seeds):
    """Where it runs, with its seeds if it is to get them, and where what was failed is written."""
    with tempfile.TemporaryDirectory(prefix="graphbench-faults-") as made:
        folder = pathlib.Path(made).resolve() / "work"
        folder.mkdir()
        for seed in command.seeds if seeds else ():
            shutil.copy(seeds / seed, folder)
        yield folder, folder.with_name("log")


def preload(call, when, options, log):
    return {"LD_PRELOAD": str(options.preload.resolve()), "FAIL_CALL": call, "FAIL_AT": str(when),
            "FAIL_OF": options.of, "FAIL_LOG": str(log)}


def try_once(name, call, when, options, seeds):
    """How the run ended; None where nothing was left to fail."""
    command = COMMANDS[name]
    with work_folder(command, seeds) as (folder, log):
        quiet = preload(call, -1, options, log) if call in PRELOADED else {}
        if quiet:
            ended = command.run([], options, folder, preload(call, when, options, log))
        else:
            ended = command.run(strace(call, when, options, log), options, folder, {})
        code, _, err = ended
        said = log.read_text("utf-8", "replace") if log.exists() else ""
        if code != -signal.SIGKILL and "INJECTED" not in said:
            return None
        try:
            check(command, folder, seeds, ended, options)
        except Fault as fault:
            raise Fault(f"{said.split()[-1]}: {fault}" if quiet else str(fault)) from fault
        left = [each.name for each in folder.iterdir() if each.name.endswith(".tmp")]
        require(options.kill or not left, f"leaves {left}")
        again, out, why = command.run([], options, folder, quiet)
        require(again == 0, f"exit code {code}; again without a failure {again}: {last_line(why)}")
        command.check_whole(folder, out)
        if (folder / "accepted").exists():
            command.check_done(folder)
        return "killed" if code == -signal.SIGKILL else f"exit {code}", last_line(err)


def last_line(text):
    return text.strip().rsplit("\n", 1)[-1]


def check(command, folder, seeds, ended, options):
    code, out, err = ended
    stay = lambda: client.processes_in(folder, options.binary)  # noqa: E731
    with contextlib.suppress(AssertionError):
        client.wait_for("nothing to stay", lambda: not stay(), seconds=10)
    require(not stay(), "a process stays behind")
    require(code >= 0 or options.kill, f"ends by signal {-code}: {err.strip()[-200:]}")
    if code in (1, 2):
        line = last_line(err)
        require(line.startswith("graphbench: ") and line.count(": ") > 1, f"exit code {code} with {line!r}")
    elif code >= 0:
        allowed = (0, 3) if "--sweep" in command.arguments else whole_codes(command.arguments)
        require(code in allowed, f"exit code {code}: {err.strip()}")
    if code in whole_codes(command.arguments):
        command.check_whole(folder, out)
    command.check_left(folder, seeds)


def try_all(name, call, options, seeds):
    """Ends, with how many there were of each, and faults with how to see them again."""
    ends, faults, said = collections.Counter(), [], set()
    for when in (place for place in places(name, call, options, seeds) for _ in range(options.kill or 1)):
        try:
            ended = try_once(name, call, when, options, seeds)
            if ended is None:
                break
            ends[ended[0]] += 1
            said.add(ended[1])
        except (Fault, OSError, ValueError, KeyError) as fault:
            known = any(call == of and part in str(fault) for of, part in KNOWN)
            ends["known" if known else "fault"] += 1
            faults += [] if known else [f"--commands {name} --calls {call} --first {when} --most 1: {fault}"]
    # Printed at once, because a run of hours may be ended early.
    print(f"{name} {call}: {dict(ends)}", *faults, sep="\n", file=sys.stderr, flush=True)
    return ends, faults, said


def calls_before(call, options, seeds):
    """Of the loader, and the few of --version: what fails there is not ours."""
    log = seeds / f"{call}.log"
    subprocess.run(["strace", "-f", "-qq", "-o", log, "-e", f"trace={call}", options.binary, "--version"],
                   check=True, capture_output=True)
    return log.read_text("utf-8", "replace").count(f"{call}(")


def allocations(command, call, options, seeds, *refused):
    with work_folder(command, seeds) as (folder, log):
        command.run([], options, folder, preload(call, 0, options, log), refused)
        return max(map(int, log.read_text("ascii").split()), default=0) if log.exists() else 0


def places(name, call, options, seeds):
    if call not in PRELOADED or options.first:
        first = options.first or 1 + calls_before(call, options, seeds)
        behind = first + options.step * options.most if options.most else sys.maxsize
        return range(first, behind, options.step)
    # CLI11, which reads the command line, allocates where it must not throw: what follows it is tried.
    command = COMMANDS[name]
    first = 1 + allocations(command, call, options, None, *command.refused)
    among = range(first, 1 + allocations(command, call, options, seeds))
    return sorted(random.Random(SEED).sample(among, min(options.samples, len(among))))


def main():
    options = read_options(__doc__, commands=",".join(COMMANDS), calls="", first=0, step=1, most=0, kill=0,
                           of=("itself", "children"), preload=pathlib.Path(), samples=100, jobs=2, messages=0)
    Command.binary = options.binary = options.binary.resolve()
    calls = options.calls.split(",") if options.calls else CHANGES if options.kill else ERRORS
    with tempfile.TemporaryDirectory(prefix="graphbench-faults-") as name:
        seeds = pathlib.Path(name).resolve()
        make_seeds(options, seeds)
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            faults = []
            for command in options.commands.split(","):
                tried = {call: pool.submit(try_all, command, call, options, seeds) for call in calls}
                faults += report(command, {call: job.result() for call, job in tried.items()}, options)
    return end(faults)


def report(command, tried, options):
    """Prints the command's row of the table; returns its faults."""
    ends, faults = collections.Counter(), []
    for call, (of_call, bad, said) in tried.items():
        ends += of_call
        faults += bad
        for line in sorted(said) if options.messages else ():
            print(f"  {call}: {line}")
    if not ends:
        faults.append(f"{command}: none of its calls was failed, so nothing was shown: {', '.join(tried)}")
    print(f"{command:8} {sum(ends.values()):6} tried: " +
          ", ".join(f"{ended} {count}" for ended, count in sorted(ends.items())), flush=True)
    return faults


if __name__ == "__main__":
    sys.exit(main())
