#!/usr/bin/env python3
"""HTTPS as a person sets it up: certificates of the openssl program, clients polite and rude."""

import contextlib
import http.client
import json
import random
import signal
import socket
import ssl
import time
import unittest

from certificates import Certificates
from client import wait_for
from harness_case import TINY as SWEEP
from harness_case import HarnessCase
from prometheus_servers import lint
from serve_case import TINY, TOKEN

RUDE_COUNT = 500
CLIENT_HELLO = b"\x16\x03\x01\x00\x20\x01\x00\x00\x1c\x03\x03"  # its first bytes


class Tls(HarnessCase):
    def setUp(self):
        super().setUp()
        self.made = Certificates(self.folder)
        self.ca = self.made.authority("ca")
        self.certificate, self.key = self.made.signed("server", "ca")
        self.tls = ["--tls-certificate", self.certificate, "--tls-key", self.key]

    def begin(self, *arguments):
        process = self.start_service(*arguments, scheme="https")
        self.port = int(self.url.split("https://")[1].split(":")[1].split("/")[0])
        return process

    def serve(self, *arguments):
        return self.begin("serve", "--listen", "127.0.0.1:0", *self.tls, *arguments)

    def context(self):
        return ssl.create_default_context(cafile=self.ca)

    def ask(self, method, path, document=None, **headers):
        connection = http.client.HTTPSConnection("127.0.0.1", self.port, timeout=30,
                                                 context=self.context())
        with contextlib.closing(connection):
            body = None if document is None else json.dumps(document)
            connection.request(method, path, body, {"Content-Type": "application/json", **headers})
            answer = connection.getresponse()
            return answer.status, answer.read().decode("utf-8")

    def test_sweeps_run_and_are_followed_over_tls_with_a_token(self):
        self.write("token", TOKEN + "\n")
        self.serve("--token-file", "token")
        self.assertEqual(401, self.ask("GET", "/v1/sweeps")[0])
        self.assertEqual(401, self.ask("GET", "/v1/sweeps", Authorization="Bearer wrong-horse-battery")[0])
        bearer = {"Authorization": "Bearer " + TOKEN}
        status, text = self.ask("POST", "/v1/sweeps", TINY, **bearer)
        self.assertEqual(202, status, text)
        path = "/v1/sweeps/" + json.loads(text)["id"]
        # Returns at the end of the stream, which ends with the sweep.
        status, events = self.ask("GET", path + "/events", **bearer)
        self.assertEqual(200, status)
        self.assertIn('event: cell', events)
        self.assertIn('"state":"done"', events.replace(" ", "").splitlines()[-2])
        self.assertTrue(json.loads(self.ask("GET", path + "/results", **bearer)[1])["complete"])
        self.assertEqual("", lint(self.ask("GET", "/metrics", **bearer)[1]))
        self.assertEqual(200, self.ask("GET", "/healthz")[0])

    def test_without_a_token_only_loopback_names_are_answered(self):
        self.serve()
        self.assertEqual(421, self.ask("GET", "/v1/sweeps", Host="bench.example")[0])
        self.assertEqual(200, self.ask("GET", "/v1/sweeps")[0])

    def say(self, request):
        with socket.create_connection(("127.0.0.1", self.port), timeout=20) as client:
            got = b""
            with contextlib.suppress(ConnectionResetError, BrokenPipeError):
                client.sendall(request)
                while chunk := client.recv(65536):
                    got += chunk
            return got

    def test_rude_clients_do_no_harm(self):
        process = self.serve()
        mute = socket.create_connection(("127.0.0.1", self.port), timeout=60)
        self.addCleanup(mute.close)
        begin = time.monotonic()
        answer = self.say(b"GET /v1/sweeps HTTP/1.1\r\nHost: localhost\r\n\r\n")
        self.assertTrue(answer.startswith(b"HTTP/1.1 400 "), answer)
        self.assertIn(b"https://", answer)
        chance = random.Random(5)
        for number in range(RUDE_COUNT):
            noise = bytes(chance.randrange(256) for _ in range(chance.randint(1, 300)))
            start = chance.choice([b"", b"GET ", b"\x16\x03\x01", CLIENT_HELLO])
            with socket.create_connection(("127.0.0.1", self.port), timeout=20) as client:
                client.sendall(start + noise)
                client.shutdown(socket.SHUT_WR)
                with contextlib.suppress(ConnectionResetError):
                    self.assertNotIn(b"HTTP/1.1 5", client.recv(65536), (number, start, noise))
        # A hundred connections that ended in the middle of a request.
        for _ in range(100):
            with socket.create_connection(("127.0.0.1", self.port)) as bare:
                with self.context().wrap_socket(bare, server_hostname="127.0.0.1") as client:
                    client.sendall(b"GET /v1/sw")
        self.assertEqual(b"", mute.recv(1), "a handshake that never begins is cut off")
        self.assertLess(time.monotonic() - begin, 60)
        self.assertEqual(200, self.ask("GET", "/v1/sweeps")[0])
        process.send_signal(signal.SIGTERM)
        self.assertEqual(0, process.wait(timeout=30))

    def test_a_sweep_serves_its_metrics_over_tls(self):
        sweep = [*SWEEP, "--workload", "mlp", "--linger", "60", "--prometheus-listen"]
        process = self.begin(*sweep, "0.0.0.0:0", *self.tls, "--prometheus-allow-remote")
        wait_for("the sweep", lambda: "graphbench_last_success" in self.ask("GET", "/metrics")[1])
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=30)
        self.assertEqual(0, process.returncode)
        done = self.run_graphbench(*SWEEP, *self.tls, "--json", "other.json", code=2)
        self.assertIn("--tls-certificate: it does nothing without --prometheus-listen", done.stderr)

    def test_options_that_will_not_do(self):
        """tls_test.cpp has what is said of each file."""
        other = self.made.signed("other", "ca")
        noise = str(self.write("noise", "nothing\n"))
        for arguments, words in (
                (["--tls-certificate", self.certificate], ("--tls-certificate: ", "--tls-key", "give both")),
                (["--tls-key", self.key], ("--tls-key: ", "--tls-certificate", "give both")),
                (["--tls-certificate", "none", "--tls-key", self.key], ("--tls-certificate: ", '"none"')),
                (["--tls-certificate", self.certificate, "--tls-key", other[1]],
                 ("--tls-key: ", 'other.key": it is not the key of the certificate')),
                (["--tls-certificate", noise, "--tls-key", self.key], ("--tls-certificate: ", "PEM")),
                ([*self.tls, "--listen", "0.0.0.0:0"], ("--listen", "--token-file")),
                (["--tls-certificat", "x"], ("--tls-certificat: ", "--tls-certificate"))):
            with self.subTest(arguments=arguments):
                self.assert_refused(self.run_graphbench("serve", *arguments), *words)
                self.assertFalse((self.folder / "graphbench-state").exists())


if __name__ == "__main__":
    unittest.main()
