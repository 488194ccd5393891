"""Sweeps of steps side by side, each within its time: a hang costs no other step."""

import concurrent.futures
import os
import queue
import signal
import subprocess
import time

BRIEFEST = 20  # seconds: a sweep that has less is not begun


def exit_code(command, log_path, limit):
    """Runs a command in the folder of its log. It is interrupted after `limit` seconds."""
    with log_path.open("wb") as log:
        process = subprocess.Popen(command, cwd=log_path.parent, stdin=subprocess.DEVNULL, stdout=log,
                                   stderr=log, start_new_session=True)
        for seconds, end in ((limit, lambda: process.send_signal(signal.SIGINT)),  # it writes what it has
                             (15, lambda: os.killpg(process.pid, signal.SIGKILL))):
            try:
                process.wait(seconds)
            except subprocess.TimeoutExpired:
                end()
        return process.wait()


def last_line(log_path):
    return (log_path.read_text(encoding="utf-8", errors="replace").splitlines() or ["it said nothing"])[-1]


def ended(command, log_path, limit):
    """Runs a sweep. Returns why it may lack cells; empty: it came to its end."""
    code = exit_code(command, log_path, limit)
    if code in (0, 3):
        return ""
    return (f"ended after {limit:.0f} s" if code in (-signal.SIGKILL, 130)
            else f"exit code {code}: {last_line(log_path)}")


def side_by_side(names, one, arguments):
    """Calls one(name, cpu, limit) for each name, in lanes, of which each has a CPU to submit from. The
    arguments `limit` and `seconds` bound each call and all of them. Returns what each call returned."""
    ends_at, lanes = time.monotonic() + arguments.seconds, queue.SimpleQueue()
    cpus = sorted(os.sched_getaffinity(0), reverse=True)
    for lane in range(arguments.lanes):
        lanes.put(cpus[2 * lane % len(cpus)])

    def within(name):
        cpu, began = lanes.get(), time.monotonic()
        limit = min(arguments.limit, ends_at - began)
        try:
            said = one(name, cpu, limit) if limit >= BRIEFEST else f"not begun within {arguments.seconds} s"
        finally:
            lanes.put(cpu)
        print(f"{name}: {time.monotonic() - began:.0f} s {said}", flush=True)
        return said

    with concurrent.futures.ThreadPoolExecutor(arguments.lanes) as pool:
        return dict(zip(names, pool.map(within, names)))
