"""10,000 broken requests over sockets, and 1,000 over TLS: each is answered or dropped, none is a 5xx
other than the refusal of a transfer coding, and the service lives."""

import collections
import json
import random
import socket
import ssl

from certificates import Certificates
from harness_case import HarnessCase

COUNT = 10_000
TLS_COUNT = 1_000
SEED = 5
BODY = json.dumps({"workload": ["mlp"], "batch": [0], "device": "host", "set": {"mlp.hidden": 64}})
COMPARE = json.dumps({"base": "0123", "new": {"schema": "graphbench.result/1", "cells": []}, "margin": "2%"})


def post(path, body, headers=""):
    return (f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n{headers}"
            f"Content-Length: {len(body)}\r\n\r\n{body}").encode()


SEEDS = [
    b"GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n",
    b"GET /v1/sweeps/0123/events HTTP/1.1\r\nHost: localhost\r\nLast-Event-ID: 7\r\n\r\n",
    b"DELETE /v1/sweeps/0123 HTTP/1.1\r\nHost: localhost\r\n\r\n",
    b"HEAD /healthz HTTP/1.0\r\n\r\n",
    post("/v1/sweeps", BODY),
    post("/v1/sweeps", BODY, "Idempotency-Key: k\r\n"),
    post("/v1/compare", COMPARE),
    post("/v1/sweeps/0123/resume", ""),
    b"POST /v1/sweeps HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
    b"5\r\n{}   \r\n0\r\n\r\n",
]


def mutated(chance):
    request = bytearray(chance.choice(SEEDS))
    for _ in range(chance.randint(1, 6)):
        at = chance.randrange(len(request) + 1)
        kind = chance.randrange(6)
        if kind == 0:
            request[at:at + chance.randint(1, 20)] = b""
        elif kind == 1:
            request[at:at] = bytes(chance.randrange(256) for _ in range(chance.randint(1, 20)))
        elif kind == 2 and at < len(request):
            request[at] ^= 1 << chance.randrange(8)
        elif kind == 3:
            request[at:at] = chance.choice([b"\r\n", b"\0", b"../", b"%2e%2e/", b": ", b"9" * 30, b"[" * 200])
        elif kind == 4:
            request += chance.choice(SEEDS)
        else:
            del request[at:]
        if not request:
            request += b"\n"
    return bytes(request)


def answers_to(address, request, context):
    """All that comes back; the client closes its side, so that neither waits."""
    with socket.create_connection(address, timeout=20) as bare:
        client = context.wrap_socket(bare, server_hostname="127.0.0.1") if context else bare
        got = b""
        try:
            client.sendall(request)
            socket.socket.shutdown(client, socket.SHUT_WR)  # that of SSLSocket would end TLS both ways
            while chunk := client.recv(65536):
                got += chunk
        except (ConnectionResetError, BrokenPipeError):
            pass
        if context:
            client.close()
        return got


class MalformedRequests(HarnessCase):
    def test_each_is_answered_or_dropped_and_the_service_lives(self):
        self.hold(COUNT)

    def test_over_tls_too(self):
        made = Certificates(self.folder)
        ca = made.authority("ca")
        certificate, key = made.signed("server", "ca")
        self.hold(TLS_COUNT, ssl.create_default_context(cafile=ca), "--tls-certificate", certificate,
                  "--tls-key", key)

    def hold(self, count, context=None, *arguments):
        process = self.start_service("serve", "--listen", "127.0.0.1:0", *arguments,
                                     scheme="https" if context else "http")
        address = ("127.0.0.1", int(self.url.rsplit(":", 1)[1]))
        chance = random.Random(SEED)
        seen = collections.Counter()
        for number in range(count):
            request = mutated(chance)
            answer = answers_to(address, request, context)
            if not answer:
                seen["dropped"] += 1
                continue
            self.assertRegex(answer, rb"\AHTTP/1\.1 \d\d\d ", (number, request))
            status = int(answer[9:12])
            if status != 501 or b"Transfer-Encoding: give chunked" not in answer:
                self.assertLess(status, 500, (number, request, answer[:300]))
            seen[status] += 1
        self.assertIsNone(process.poll())
        healthy = answers_to(address, SEEDS[3], context)
        self.assertTrue(healthy.startswith(b"HTTP/1.1 200 "), healthy)
        # The mutations reach the parser, the router and the readers of bodies.
        self.assertLessEqual({200, 400, 404, 405}, set(seen), seen)
