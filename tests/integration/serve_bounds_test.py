"""What requests to the service may carry and name: long documents one at a time, plugins of one folder."""

import json
import os
import shutil
import socket
import unittest

from client import memory_mib, wait_for
from flood import CHUNKED, ENDLESS, flood
from harness_case import TINY
from serve_case import ServeCase

MIB = 1024 * 1024


class ServeBounds(ServeCase):
    def begin(self, path, length, *headers):
        """A connection that has sent a head and nothing else."""
        client = socket.create_connection(("127.0.0.1", self.port), timeout=60)
        self.addCleanup(client.close)
        lines = [f"POST {path} HTTP/1.1", "Host: localhost", "Content-Type: application/json",
                 f"Content-Length: {length}", *headers, "", ""]
        client.sendall("\r\n".join(lines).encode())
        return client

    def test_event_streams_beyond_the_bound_are_refused(self):
        self.serve()
        sweep = self.ask("POST", "/v1/sweeps", {"workload": "mlp", "device": "host", "launches": 30,
                                                "time-per-cell": 0.3})[1]["id"]
        request = f"GET /v1/sweeps/{sweep}/events HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()
        clients = []
        for _ in range(65):
            client = socket.create_connection(("127.0.0.1", self.port), timeout=60)
            self.addCleanup(client.close)
            client.sendall(request)
            clients.append((client, client.recv(65536)))
        for client, answer in clients[:64]:
            self.assertTrue(answer.startswith(b"HTTP/1.1 200 "), answer)
        self.assertTrue(clients[64][1].startswith(b"HTTP/1.1 503 "), clients[64][1])
        self.assertIn(b"event streams are open", clients[64][1])
        for client, _ in clients[:64]:
            self.assertIn(b"\n\n", client.recv(1 << 20), "it goes on")

    def document(self, cells):
        """A result of this machine's, its cells repeated under other batches until there are so many."""
        self.run_graphbench(*TINY, "--workload", "mlp", "--quiet")
        document = self.result()
        first = document["cells"]
        document["cells"] = []
        for number in range(cells):
            cell = dict(first[number % len(first)], batch=number + 1)
            names = ("workload", "preset", "dtype", "pass")
            cell["id"] = "/".join([*(cell[name] for name in names), f"b{number + 1}", f"w{cell['warmup']}",
                                   cell["mode"]])
            document["cells"].append(cell)
        return document

    def test_whole_documents_are_compared_while_others_are_answered(self):
        process = self.serve()
        document = self.document(2000)
        self.assertGreater(len(json.dumps(document)), 2 * MIB)
        begun = self.begin("/v1/compare", 1000)
        busy = wait_for("the first to have the turn", lambda: self.ask("POST", "/v1/compare", {})[0] == 503)
        self.assertTrue(busy)
        self.assertEqual(200, self.ask("GET", "/v1/sweeps")[0])
        begun.close()
        wait_for("the turn to be free", lambda: self.ask("POST", "/v1/compare", {})[0] == 400)
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
                answer = self.begin(path, length, "Expect: 100-continue").recv(65536)
                self.assertTrue(answer.startswith(b"HTTP/1.1 413 "), answer)
        body = json.dumps({"base": {}, "new": {}, "margin": " " * 500_000}).encode()
        client = self.begin("/v1/compare", len(body), "Expect: 100-continue", "Connection: close")
        self.assertEqual(b"HTTP/1.1 100 Continue\r\n\r\n", client.recv(65536))
        client.sendall(body)
        self.assertTrue(client.recv(65536).startswith(b"HTTP/1.1 400 "))
        for wrong in ("0", "1025", "x", "1.5"):
            done = self.run_graphbench("serve", "--compare-mib", wrong)
            self.assert_refused(done, "--compare-mib", f'"{wrong}"')

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
        token = self.write("token", "correct-horse-battery\n")
        self.serve("--token-file", str(token))
        for path in ("/v1/sweeps", "/v1/compare", "/v1/sweeps/0123/resume", "/v1/none"):
            with self.subTest(path):
                answer = self.begin(path, 1000, "Expect: 100-continue").recv(65536)
                self.assertTrue(answer.startswith(b"HTTP/1.1 401 "), answer)

    def plugins(self):
        folder = self.folder / "plugins"
        folder.mkdir()
        folder.chmod(0o755)
        shutil.copy(self.plugin("good_op"), folder / "mine.so")
        (folder / "mine.so").chmod(0o755)  # a build's umask may let a group write
        os.symlink(self.plugin("good_op"), folder / "leaving.so")
        return folder

    def test_plugins_come_from_the_folder_alone_and_by_bare_name(self):
        folder = self.plugins()
        self.serve("--plugin-folder", "plugins")
        self.assertEqual((200, {"plugins": [{"name": "mine"}]}), self.ask("GET", "/v1/plugins"))
        sweep = {"workload": ["good_op"], "device": "host", "batch": [1], "warmup": 0, "time-per-cell": 0.005,
                 "samples-max": 5}
        for name in ("leaving", "../plugins/mine", str(folder / "mine.so"), "mine.so", "other", ""):
            status, answer = self.ask("POST", "/v1/sweeps", {**sweep, "plugins": [name]})
            self.assertEqual(400, status, name)
            self.assertIn('is no plugin of this service: give one of', answer["error"])
        self.assertEqual(400, self.ask("POST", "/v1/sweeps", {**sweep, "plugin": "mine"})[0])
        status, queued = self.ask("POST", "/v1/sweeps", {**sweep, "plugins": ["mine"]})
        self.assertEqual(202, status, queued)
        self.assertIn("--plugin=mine", queued["arguments"])
        path = "/v1/sweeps/" + queued["id"]
        ended = wait_for("its end", lambda: (now := self.ask("GET", path)[1])["finished_at"] and now)
        self.assertEqual("done", ended["state"], ended)
        result = self.ask("GET", path + "/results")[1]
        self.assertEqual({"good_op"}, {cell["workload"] for cell in result["cells"]})
        self.assertIn("--plugin=mine.so", result["plan"]["argv"], "the name, and not the service's folder")

    def test_a_plugins_names_are_known_before_the_sweep_is_queued(self):
        folder = self.plugins()
        for name in ("open_crash", "open_error"):
            shutil.copy(self.plugin(name), folder / f"{name}.so")
            (folder / f"{name}.so").chmod(0o755)
        self.serve("--plugin-folder", "plugins")
        for sweep, words in (
                ({"workload": "good_op"}, ('workload: "good_op" is not a workload: there are mlp',)),
                ({"workload": "god_op", "plugins": "mine"}, ('"god_op" is not a workload', "conv, good_op")),
                ({"plugins": "open_crash"}, ('plugins: "open_crash" crashed with SIGSEGV while it was',)),
                ({"plugins": ["mine", "open_error"]}, ("plugins: ", "open_error", "the licence has"))):
            status, answer = self.ask("POST", "/v1/sweeps", sweep)
            self.assertEqual(400, status, answer)
            for word in words:
                self.assertIn(word, answer["error"])
            self.assertNotIn(str(self.folder.resolve()), answer["error"])
        self.assertEqual([], self.ask("GET", "/v1/sweeps")[1]["sweeps"])

    def test_a_plugin_that_has_gone_is_a_sweep_that_failed(self):
        folder = self.plugins()
        process = self.serve("--plugin-folder", str(folder))
        long = {"workload": "mlp", "device": "host", "launches": 30, "time-per-cell": 0.3}
        running = self.ask("POST", "/v1/sweeps", long)[1]["id"]
        queued = self.ask("POST", "/v1/sweeps", {"workload": "good_op", "plugins": "mine"})[1]["id"]
        process.terminate()
        process.wait(timeout=30)
        self.serve()
        ended = wait_for("its end",
                         lambda: (now := self.ask("GET", "/v1/sweeps/" + queued)[1])["finished_at"] and now)
        self.assertEqual("failed", ended["state"])
        self.assertIn("plugin 'mine': it is no longer in the plugin folder", ended["message"])
        self.assertEqual("interrupted", self.ask("GET", "/v1/sweeps/" + running)[1]["state"])

    def test_folders_that_will_not_do(self):
        open_to_all = self.folder / "open"
        open_to_all.mkdir()
        open_to_all.chmod(0o777)
        self.write("file", "")
        for folder, words in (("none", ('"none"', "is no folder")), ("file", ('"file"', "is no folder")),
                              ("open", ('"open"', "can be written by others"))):
            with self.subTest(folder):
                done = self.run_graphbench("serve", "--plugin-folder", folder)
                self.assert_refused(done, "--plugin-folder: ", *words)
