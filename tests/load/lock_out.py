#!/usr/bin/env python3
"""How long /healthz takes while clients hold every connection, in each form that costs them little.

Gives the service a sweep with a document of some MiB. Then, form by form, another process holds more
connections than the service has, and opens each again that is closed: idle ones, heads and bodies that come
byte by byte, comparisons, answers that are read slowly or not at all, event streams, and all of these.
Meanwhile this process asks for /healthz, and for what any client may ask for, and prints a row of the table.
Fails where /healthz takes longer than its limit or is not answered, or where memory grows beyond it."""

import asyncio
import contextlib
import itertools
import multiprocessing
import pathlib
import resource
import socket
import sys
import tempfile
import time
import urllib.parse

from scrape import quantile
from service import Service, end, read_options
from slow_readers import TINY, enlarge

# About a minute of work, so that streams stay open.
LONG = {**TINY, "launches": 30, "time-per-cell": 0.3, "samples-max": 2000}
ASKED_MAX_SECONDS = 25
SENDS_AFTER_SECONDS = 0.02  # as a client on a busy machine does


class Attack:
    """Clients of one form, in a process of their own so that they do not slow down who measures."""

    def __init__(self, options, url, sweep, running):
        self.options, self.url, self.sweep, self.running = options, urllib.parse.urlsplit(url), sweep, running

    def head(self, method, path, *headers):
        lines = [f"{method} {path} HTTP/1.1", f"Host: {self.url.netloc}", *headers, "", ""]
        return "\r\n".join(lines).encode()

    async def connect(self, loop):
        bare = socket.socket()
        bare.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 16384)
        bare.setblocking(False)
        await loop.sock_connect(bare, (self.url.hostname, self.url.port))
        return bare

    async def trickle(self, loop, bare, data):
        for byte in data:
            await loop.sock_sendall(bare, bytes([byte]))
            await asyncio.sleep(0.2)

    async def idle(self, loop, bare):
        await loop.sock_recv(bare, 1)

    async def heads(self, loop, bare):
        await self.trickle(loop, bare, b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Y: " + b"z" * 400)

    async def body(self, loop, bare, path, length):
        await loop.sock_sendall(bare, self.head("POST", path, f"Content-Length: {length}",
                                                "Content-Type: application/json"))
        await self.trickle(loop, bare, b" " * length)

    async def bodies(self, loop, bare):
        await self.body(loop, bare, "/v1/sweeps", 60_000)

    async def comparisons(self, loop, bare):
        await self.body(loop, bare, "/v1/compare", 64 * 2**20 - 4)

    async def slow_readers(self, loop, bare):
        await loop.sock_sendall(bare, self.head("GET", f"/v1/sweeps/{self.sweep}/results"))
        began, got = time.monotonic(), 0
        while chunk := await loop.sock_recv(bare, 4096):
            got += len(chunk)
            await asyncio.sleep(max(0, got / self.options.rate - (time.monotonic() - began)))

    async def non_readers(self, loop, bare):
        await loop.sock_sendall(bare, self.head("GET", f"/v1/sweeps/{self.sweep}/results"))
        await asyncio.sleep(self.options.seconds)

    async def streams(self, loop, bare):
        await loop.sock_sendall(bare, self.head("GET", f"/v1/sweeps/{self.running}/events"))
        while await loop.sock_recv(bare, 4096):
            pass

    async def hold(self, form):
        loop = asyncio.get_running_loop()
        while True:
            with contextlib.suppress(OSError):
                bare = await self.connect(loop)
                with bare:
                    await getattr(self, form)(loop, bare)
            await asyncio.sleep(0.02)

    def run(self, form, clients):
        async def all_of_them():
            forms = itertools.cycle(FORMS if form == "mixed" else [form])
            await asyncio.gather(*(self.hold(next(forms)) for _ in range(clients)))

        resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
        asyncio.run(all_of_them())


FORMS = {"idle": 1000, "heads": 300, "bodies": 300, "comparisons": 300, "slow_readers": 270,
         "non_readers": 400, "streams": 1000}
# No clients, for what the machine's other work costs, and clients of all forms in turns.
MORE_FORMS = {"none": 0, "mixed": 1000}


def seconds_of(url, path):
    """How long the answer takes, and whether it is one; a refusal in time is an answer too."""
    began = time.monotonic()
    try:
        with socket.create_connection((url.hostname, url.port), ASKED_MAX_SECONDS) as bare:
            time.sleep(SENDS_AFTER_SECONDS)
            began += SENDS_AFTER_SECONDS
            bare.sendall(f"GET {path} HTTP/1.1\r\nHost: {url.netloc}\r\nConnection: close\r\n\r\n".encode())
            status = bare.recv(100)[9:12]
    except OSError:
        status = b""
    return time.monotonic() - began, status == b"200"


def trial(options, service, attack, form):
    url = urllib.parse.urlsplit(service.url)
    before = most = service.memory_mib()
    clients = {**FORMS, **MORE_FORMS}[form]
    attacker = multiprocessing.Process(target=attack.run, args=(form, clients), daemon=True)
    attacker.start()
    time.sleep(options.settle)
    asked = {"/healthz": [], "/readyz": [], "/v1/sweeps": []}
    until = time.monotonic() + options.seconds
    while time.monotonic() < until:
        for path, answers in asked.items():
            answers.append(seconds_of(url, path))
        most = max(most, service.memory_mib())
        time.sleep(0.05)
    attacker.terminate()
    attacker.join()
    healthz = [seconds for seconds, _ in asked["/healthz"]]
    answered = {path: sum(good for _, good in answers) for path, answers in asked.items()}
    unanswered = len(healthz) - answered["/healthz"]
    others = ", ".join(f"{path} {answered[path]}/{len(asked[path])}" for path in ("/readyz", "/v1/sweeps"))
    print(f"{form:13}{clients:5} clients: /healthz {len(healthz)} asked, {unanswered} not answered, "
          f"median {quantile(healthz, 0.5):.3f} s, worst {max(healthz):.3f} s; {others}; "
          f"{before:.1f} -> {most:.1f} MiB", flush=True)
    faults = []
    if unanswered:
        faults.append(f"{form}: {unanswered} of {len(healthz)} requests to /healthz were not answered")
    if max(healthz) > options.healthz_max:
        faults.append(f"{form}: /healthz took {max(healthz):.2f} s, at most {options.healthz_max} s will do")
    if most - before > options.limit_mib:
        faults.append(f"{form}: memory grew by {most - before:.0f} MiB, at most {options.limit_mib} will do")
    return faults


def main():
    # Slow readers read so many bytes in a second.
    options = read_options(__doc__, forms=",".join(["none", *FORMS, "mixed"]), seconds=20.0, settle=2.0,
                           mib=2, rate=12_000.0, limit_mib=100.0, healthz_max=0.5)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name).resolve()
        with Service(options.binary, folder) as service:
            sweep = service.submit(TINY)
            service.wait_for_state(sweep, "done", 120)
            service.kill()
            enlarge(folder, sweep, options.mib)
            faults = []
            for form in options.forms.split(","):
                service.start()
                running = service.submit(LONG) if form in ("streams", "mixed") else sweep
                faults += trial(options, service, Attack(options, service.url, sweep, running), form)
                service.kill()
            service.start()
    return end(faults)


if __name__ == "__main__":
    sys.exit(main())
