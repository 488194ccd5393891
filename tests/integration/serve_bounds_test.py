"""What requests may carry and name: long documents one at a time, plugins and steps of a folder each."""

import itertools
import json
import os
import shutil
import socket
import subprocess
import unittest

from client import memory_mib, wait_for
from flood import CHUNKED, ENDLESS, flood
from harness_case import TINY
from serve_case import LONG, TOKEN, ServeCase
from serve_case import TINY as SMALL
from torch_case import HAS_TORCH, PYTHON

MIB = 1024 * 1024
STEP = """
import torch


def build(batch, device):
    layer = torch.nn.Linear(8, 4).to(device)
    return layer, (torch.randn(batch, 8, device=device),)
"""


class ServeBounds(ServeCase):
    def connect(self):
        return self.enterContext(socket.create_connection(("127.0.0.1", self.port), timeout=60))

    def send_head(self, path, length, *headers):
        """A connection that has sent a head and nothing else."""
        client = self.connect()
        lines = [f"POST {path} HTTP/1.1", "Host: localhost", "Content-Type: application/json",
                 f"Content-Length: {length}", *headers, "", ""]
        client.sendall("\r\n".join(lines).encode())
        return client

    def test_event_streams_beyond_the_bound_are_refused(self):
        self.serve()
        request = f"GET {self.submit(LONG)}/events HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()
        clients = []
        for _ in range(65):
            client = self.connect()
            client.sendall(request)
            clients.append((client, client.recv(65536)))
        for client, answer in clients[:64]:
            self.assertTrue(answer.startswith(b"HTTP/1.1 200 "), answer)
        self.assertTrue(clients[64][1].startswith(b"HTTP/1.1 503 "), clients[64][1])
        self.assertIn(b"event streams is open", clients[64][1])
        for client, _ in clients[:64]:
            self.assertIn(b"\n\n", client.recv(1 << 20), "it goes on")

    def document(self, cells):
        """A result of this machine's, its cells repeated under other batches until there are so many."""
        self.run_graphbench(*TINY, "--workload", "mlp", "--quiet")
        document = self.result()
        made = [dict(cell, batch=batch) for batch, cell in
                zip(range(1, cells + 1), itertools.cycle(document["cells"]))]
        for cell in made:
            cell["summary"] = {}  # a gain over a cell that is not there would be refused
            cell["id"] = "{workload}/{preset}/{dtype}/{pass}/b{batch}/w{warmup}/{mode}".format(**cell)
        return {**document, "cells": made}

    def test_whole_documents_are_compared_while_others_begin_to_send_theirs(self):
        process = self.serve()
        document = self.document(2000)
        self.assertGreater(len(json.dumps(document)), 2 * MIB)
        for _ in range(3):
            self.send_head("/v1/compare", 64 * MIB - 4).sendall(b" " * 1000)
        for _ in range(3):
            status, comparison = self.ask("POST", "/v1/compare", {"base": document, "new": document})
            self.assertEqual((200, "graphbench.comparison/1"), (status, comparison["schema"]), comparison)
            self.assertEqual(2000, len(comparison["cells"]))
        self.assertIsNone(process.poll())

    def test_bodies_that_are_too_long_are_refused_before_they_are_sent(self):
        self.serve("--compare-mib", "1")
        small = 64 * 1024
        for path, length in (("/v1/compare", MIB + 1), ("/v1/sweeps", small + 1), ("/v1/none", small + 1)):
            with self.subTest(path):
                answer = self.send_head(path, length, "Expect: 100-continue").recv(65536)
                self.assertTrue(answer.startswith(b"HTTP/1.1 413 "), answer)
        body = json.dumps({"base": {}, "new": {}, "margin": " " * 500_000}).encode()
        client = self.send_head("/v1/compare", len(body), "Expect: 100-continue", "Connection: close")
        self.assertEqual(b"HTTP/1.1 100 Continue\r\n\r\n", client.recv(65536))
        client.sendall(body)
        self.assertTrue(client.recv(65536).startswith(b"HTTP/1.1 400 "))

    def test_a_request_without_end_costs_no_memory(self):
        process = self.serve()
        before = memory_mib(process.pid, most=True)
        for path in ("/v1/sweeps", "/v1/compare", "/v1/none"):
            for name, endless in ENDLESS.items():
                with self.subTest(path=path, endless=name):
                    answer = flood(self.port, f"POST {path} HTTP/1.1\r\n{CHUNKED}{endless}", 100)
                    self.assertTrue(answer.startswith(b"HTTP/1.1 431 "), answer)
        self.assertLess(memory_mib(process.pid, most=True) - before, 50)
        self.assertEqual(200, self.ask("GET", "/v1/sweeps")[0])

    def test_a_client_without_the_token_is_refused_before_a_body_is_sent(self):
        token = self.write("token", TOKEN + "\n")
        self.serve("--token-file", str(token))
        for path in ("/v1/sweeps", "/v1/compare", "/v1/sweeps/0123/resume", "/v1/none"):
            with self.subTest(path):
                answer = self.send_head(path, 1000, "Expect: 100-continue").recv(65536)
                self.assertTrue(answer.startswith(b"HTTP/1.1 401 "), answer)

    def plugins(self, **more):
        folder = self.folder / "plugins"
        folder.mkdir()
        folder.chmod(0o755)
        for name, copied in {"good_op": "mine", **more}.items():
            shutil.copy(self.plugin(name), folder / f"{copied}.so")
            (folder / f"{copied}.so").chmod(0o755)  # a build's umask may let a group write
        os.symlink(self.plugin("good_op"), folder / "leaving.so")
        return folder

    def test_plugins_come_from_the_folder_alone_and_by_bare_name(self):
        folder = self.plugins()
        self.serve("--plugin-folder", "plugins")
        self.assertEqual((200, {"plugins": [{"name": "mine"}]}), self.ask("GET", "/v1/plugins"))
        sweep = {**SMALL, "workload": ["good_op"]}
        for name in ("leaving", "../plugins/mine", str(folder / "mine.so"), "mine.so", "other", ""):
            status, answer = self.ask("POST", "/v1/sweeps", {**sweep, "plugins": [name]})
            self.assertEqual(400, status, name)
            self.assertIn('is not a plugin of this service: give one of', answer["error"])
        self.assertEqual(400, self.ask("POST", "/v1/sweeps", {**sweep, "plugin": "mine"})[0])
        path = self.submit({**sweep, "plugins": ["mine"]})
        self.assertIn("--plugin=mine", self.ask("GET", path)[1]["arguments"])
        self.wait_for_state(path, "done")
        result = self.ask("GET", path + "/results")[1]
        self.assertEqual({"good_op"}, {cell["workload"] for cell in result["cells"]})
        self.assertIn("--plugin=mine.so", result["plan"]["argv"], "the name, and not the service's folder")

    def steps(self):
        folder = self.folder / "steps"
        folder.mkdir()
        folder.chmod(0o755)
        outside = self.folder / "outside.py"
        for path in (folder / "linear.py", outside):
            path.write_text(STEP)
            path.chmod(0o644)
        (folder / "leaving.py").symlink_to(outside)
        return folder

    def test_steps_come_from_the_folder_alone_and_by_bare_name(self):
        folder = self.steps()
        self.serve("--torch-folder", "steps")
        self.assertEqual((200, {"steps": [{"name": "linear"}]}), self.ask("GET", "/v1/steps"))
        workloads = self.ask("GET", "/v1/workloads")[1]["workloads"]
        self.assertEqual("linear:build", workloads[-1])
        self.assertEqual(["mlp"], [name for name in workloads if name == "mlp"])
        for name in ("leaving:build", "../outside:build", f"{folder}/linear:build", "linear.py:build",
                     "other:build", ":build", "example:llama", "linear:", "linear:no()",
                     ["linear:build", "mlp"]):
            status, answer = self.ask("POST", "/v1/sweeps", {**SMALL, "workload": name})
            self.assertEqual(400, status, name)
            self.assert_all_in(("workload: ",), answer["error"])
        status, answer = self.ask("POST", "/v1/sweeps", {**SMALL, "torch": "linear.py:build"})
        self.assertEqual(400, status)
        self.assertEqual([], self.ask("GET", "/v1/sweeps")[1]["sweeps"])

    @unittest.skipUnless(HAS_TORCH, f"{PYTHON} has no torch")
    def test_a_step_of_the_folder_is_measured(self):
        self.steps()
        self.serve("--torch-folder", "steps", env={**os.environ, "GRAPHBENCH_PYTHON": PYTHON})
        path = self.submit({"workload": ["linear:build"], "device": "host", "mode": "eager", "batch": 1,
                            "launches": 1, "time-per-cell": 0.01})
        self.assertIn("--workload=linear:build", self.ask("GET", path)[1]["arguments"])
        self.assertEqual("done", self.wait_for_state(path, "done", "failed"), self.ask("GET", path)[1])
        result = self.ask("GET", path + "/results")[1]
        self.assertEqual(["ok"], [cell["status"] for cell in result["cells"]])
        self.assertIn("--torch=linear.py:build", result["plan"]["argv"], "not the service's folder")
        self.assertIn('workload="linear-build"', self.metrics())

    def test_a_service_without_steps_says_so(self):
        self.serve()
        self.assertEqual((200, {"steps": []}), self.ask("GET", "/v1/steps"))
        status, answer = self.ask("POST", "/v1/sweeps", {**SMALL, "workload": "linear:build"})
        self.assertEqual(400, status)
        self.assertIn("start the service with --torch-folder DIR", answer["error"])

    def test_a_plugins_names_are_known_before_the_sweep_is_queued(self):
        self.plugins(open_crash="open_crash", open_error="open_error")
        self.serve("--plugin-folder", "plugins")
        for sweep, words in (
                ({"workload": "good_op"}, ('workload: "good_op" is not a workload: give one of mlp',)),
                ({"workload": "god_op", "plugins": "mine"}, ('"god_op" is not a workload', "conv, good_op")),
                ({"plugins": "open_crash"},
                 ('plugins: "open_crash" crashed with SIGSEGV while the file was',)),
                ({"plugins": ["mine", "open_error"]}, ("plugins: ", "open_error", "the licence has"))):
            status, answer = self.ask("POST", "/v1/sweeps", sweep)
            self.assertEqual(400, status, answer)
            self.assert_all_in(words, answer["error"])
            self.assertNotIn(str(self.folder.resolve()), answer["error"])
        self.assertEqual([], self.ask("GET", "/v1/sweeps")[1]["sweeps"])

    def test_a_plugin_that_has_gone_is_a_sweep_that_failed(self):
        folder = self.plugins()
        process = self.serve("--plugin-folder", str(folder))
        running, queued = self.submit(LONG), self.submit({"workload": "good_op", "plugins": "mine"})
        self.end(process)
        self.serve()
        self.wait_for_state(queued, "failed")
        self.assertIn("plugin 'mine': the plugin is no longer in the plugin folder",
                      self.ask("GET", queued)[1]["message"])
        self.assertEqual("interrupted", self.ask("GET", running)[1]["state"])
