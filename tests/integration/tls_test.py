"""HTTPS as a person sets it up, with certificates of the openssl program; malformed_requests_test is rude."""

import contextlib
import http.client
import json
import ssl

from certificates import Certificates
from client import wait_for
from harness_case import TINY as SWEEP
from harness_case import HarnessCase
from prometheus_servers import lint
from serve_case import TINY, TOKEN


class Tls(HarnessCase):
    def setUp(self):
        super().setUp()
        self.made = Certificates(self.folder)
        self.ca = self.made.authority("ca")
        self.certificate, self.key = self.made.signed("server", "ca")
        self.tls = ["--tls-certificate", self.certificate, "--tls-key", self.key]

    def listen(self, *arguments):
        process = self.start_service(*arguments, scheme="https")
        self.port = int(self.url.split("https://")[1].split(":")[1].split("/")[0])
        return process

    def serve(self, *arguments):
        return self.listen("serve", "--listen", "127.0.0.1:0", *self.tls, *arguments)

    def ask(self, method, path, document=None, **headers):
        context = ssl.create_default_context(cafile=self.ca)
        connection = http.client.HTTPSConnection("127.0.0.1", self.port, timeout=30, context=context)
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

    def test_a_sweep_serves_its_metrics_over_tls(self):
        sweep = [*SWEEP, "--workload", "mlp", "--linger", "60", "--prometheus-listen"]
        process = self.listen(*sweep, "0.0.0.0:0", *self.tls, "--prometheus-allow-remote")
        wait_for("the sweep", lambda: "graphbench_last_success" in self.ask("GET", "/metrics")[1])
        self.assertEqual(0, self.end(process).returncode)
        done = self.run_graphbench(*SWEEP, *self.tls, "--json", "other.json", code=2)
        self.assertIn("--tls-certificate: the option does nothing without --prometheus-listen", done.stderr)

    def test_options_that_will_not_do(self):
        """tls_server_test.cpp has what is said of each file."""
        other = self.made.signed("other", "ca")
        noise = str(self.write("noise", "nothing\n"))
        for arguments, words in (
                (["--tls-certificate", self.certificate], ("--tls-certificate: ", "--tls-key", "give both")),
                (["--tls-key", self.key], ("--tls-key: ", "--tls-certificate", "give both")),
                (["--tls-certificate", "none", "--tls-key", self.key], ("--tls-certificate: ", '"none"')),
                (["--tls-certificate", self.certificate, "--tls-key", other[1]],
                 ("--tls-key: ", 'other.key": the key does not belong to the certificate')),
                (["--tls-certificate", noise, "--tls-key", self.key], ("--tls-certificate: ", "PEM")),
                ([*self.tls, "--listen", "0.0.0.0:0"], ("--listen", "--token-file")),
                (["--tls-certificat", "x"], ("--tls-certificat: ", "--tls-certificate"))):
            with self.subTest(arguments=arguments):
                self.assert_refused(self.run_graphbench("serve", *arguments), *words)
                self.assertFalse((self.folder / "graphbench-state").exists())
