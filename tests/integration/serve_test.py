"""The service as a person runs it: real sweeps on the host device, real signals.

That a kill -9 loses nothing that was accepted is load/kill.py's."""

import contextlib
import json
import os
import pathlib
import resource
import signal
import socket
import sqlite3
import time
import unittest

from client import children_of, fetch, open_url, wait_for
from prometheus_servers import lint
from serve_case import LONG, MANY, TINY, TOKEN, ServeCase


def cpus_of_threads(pid):
    """The CPUs that each thread of a process may be on."""
    found = []
    for path in pathlib.Path(f"/proc/{pid}/task").glob("*"):
        with contextlib.suppress(OSError):  # it has ended
            found.append(os.sched_getaffinity(int(path.name)))
    return found


def pinned_to(cpu, processes, service):
    """Whether another process than the service has a thread that may be on this CPU alone."""
    return any({cpu} in cpus_of_threads(pid) for pid in processes if pid != str(service))


class Serve(ServeCase):
    def test_a_sweep_is_run_as_on_the_command_line(self):
        process = self.serve()
        path = self.submit(TINY)
        self.wait_for_state(path, "done")
        status, result = self.ask("GET", path + "/results")
        self.assertEqual((200, True, 6), (status, result["complete"], len(result["cells"])))
        self.assert_ok(result["cells"])
        text = self.metrics()
        self.assertEqual("", lint(text))
        self.assertIn('graphbench_cells_total{status="ok"} 6', text)
        for cell in result["cells"]:
            if cell["mode"] == "whole" and cell["batch"] == 1:
                line = next(line for line in text.splitlines() if 'quantile="0.5"' in line
                            and 'mode="whole"' in line and 'batch="1"' in line and "latency" in line)
                self.assertAlmostEqual(cell["summary"]["latency_seconds"]["p50"], float(line.split()[-1]))
        self.assertEqual(0, self.end(process).returncode)

    def test_a_document_says_what_was_asked_for_and_not_where_the_service_lives(self):
        self.serve()
        paths = [self.submit(TINY), self.submit(dict(reversed(TINY.items())))]
        self.wait_for_state(paths[1], "done")
        plans = [self.ask("GET", path + "/results")[1]["plan"] for path in paths]
        self.assertEqual(["graphbench", "--sweep", "--batch=1,2", "--device=host", "--launches=1",
                          "--samples-max=5", "--time-per-cell=0.005", "--warmup=0", "--workload=mlp"],
                         plans[0]["argv"])
        self.assertEqual(plans[0], plans[1])
        self.assertNotIn(str(self.folder.resolve()), json.dumps(self.ask("GET", paths[0] + "/results")[1]))

    def events(self, path, **headers):
        """(event, id, data) of each event until the stream's end."""
        fields = {}
        with open_url(self.url + path + "/events", 60, **headers) as answer:
            self.assertEqual("text/event-stream", answer.headers["Content-Type"])
            for line in answer:
                name, _, value = line.decode().rstrip("\n").partition(": ")
                if name:
                    fields[name] = value
                elif "event" in fields:
                    yield fields["event"], fields.get("id"), json.loads(fields["data"])
                    fields = {}

    def test_an_option_without_effect_is_a_note_of_the_document(self):
        self.serve()
        for asked, words in (({"mode": "eager", "on-skip": "eager"},
                              ('"eager" would change no cell', "give it only with")),
                             ({"mode": "piecewise", "split-ops": "sdpa"},
                              ('"sdpa" occurs nowhere in program mlp',))):
            sweep = self.submit({**TINY, **asked})
            self.assertEqual("done", self.wait_for_state(sweep, "done", "failed"))
            document = self.ask("GET", sweep + "/results")[1]
            (said,) = [note["text"] for note in document["notes"] if note["code"] == "without_effect"]
            self.assertEqual([said], document["plan"]["without_effect"])
            self.assert_all_in((list(asked)[1] + ": ", *words), said)
            self.assert_valid(document, "result.schema.json")

    def test_a_sweep_is_followed_and_a_client_goes_on_where_it_was(self):
        self.serve()
        path = self.submit(TINY)
        events = list(self.events(path))
        self.assertEqual("done", events[-1][0])
        self.assertEqual("done", events[-1][2]["state"])
        self.assertIn("progress", {event for event, _, _ in events})
        cells = [(int(number), cell) for event, number, cell in events if event == "cell"]
        document = self.ask("GET", path + "/results")[1]
        last = {cell["id"]: cell for _, cell in cells}
        for cell in last.values():
            latency = cell.pop("row")["launches[].latency_seconds"]
            self.assertEqual(cell["summary"]["latency_seconds"]["p50"], latency["value"])
            self.assertRegex(latency["text"], r"^[0-9.]+(ns|us|ms|s)$")
        self.assertEqual({cell["id"]: cell for cell in document["cells"]}, last)
        numbers = [number for number, _ in cells]
        self.assertEqual(sorted(set(numbers)), numbers)
        again = self.events(path, **{"Last-Event-ID": str(numbers[-2])})
        self.assertEqual(["cell", "done"], [event for event, _, _ in again])
        status, kept = self.ask("GET", path + "/cells")
        self.assertEqual((200, set(last)), (status, {cell["id"] for cell in kept["cells"]}))

    def test_sweeps_and_documents_are_compared(self):
        self.serve()
        base, new = self.submit({**TINY, "launches": 2}), self.submit({**TINY, "launches": 2})
        self.wait_for_state(new, "done")
        ids = {"base": base.split("/")[-1], "new": new.split("/")[-1]}
        status, comparison = self.ask("POST", "/v1/compare", {**ids, "margin": "5%"})
        self.assertEqual((200, "graphbench.comparison/1"), (status, comparison["schema"]), comparison)
        self.assertTrue(comparison["comparable"])
        documents = {"base": self.ask("GET", base + "/results")[1], "new": ids["new"]}
        self.assertEqual(comparison, self.ask("POST", "/v1/compare", {**documents, "margin": "5%"})[1])
        told = self.ask("POST", "/v1/compare", {**ids, "margin": "5%", "report": True})[1]
        report = told.pop("report")
        self.assertEqual((comparison, comparison["headline"]), (told, report["title"]))
        self.assertIn("margin 5 %", json.dumps(report["head"]))

    @unittest.skipIf(len(os.sched_getaffinity(0)) < 2, "this machine has a single CPU")
    def test_no_thread_of_the_service_may_be_on_the_measuring_cpu(self):
        measuring = self.measuring_cpu()
        process = self.serve()
        allowed = os.sched_getaffinity(0)
        for cpu, keys in ((measuring, {}), (min(allowed), {"cpu": min(allowed)})):
            with self.subTest(cpu=cpu):
                path = self.submit({**LONG, **keys})
                self.wait_for_state(path, "running")
                wait_for("a worker on the CPU", lambda: pinned_to(cpu, self.processes(), process.pid))
                wait_for("the service to leave the CPU", lambda: not any(
                    cpu in cpus for cpus in cpus_of_threads(process.pid)))
                threads = cpus_of_threads(process.pid)
                self.assertGreaterEqual(len(threads), 3, "main, network, runner")
                for cpus in threads:
                    self.assertNotIn(cpu, cpus)
                    self.assertLessEqual(cpus, allowed)
                self.assertEqual(202, self.ask("DELETE", path)[0])
                self.wait_for_state(path, "cancelled")

    def test_descriptors_suffice_for_all_clients_or_it_does_not_start(self):
        def limited(soft, hard):
            return lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))

        self.serve(preexec_fn=limited(64, 4096))
        clients = [socket.create_connection(("127.0.0.1", self.port), timeout=10) for _ in range(100)]
        for client in clients:
            self.enterContext(client)
            client.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
        for client in clients:
            self.assertTrue(client.recv(4096).startswith(b"HTTP/1.1 200"))
        done = self.run_graphbench("serve", "--state", "other", preexec_fn=limited(100, 200))
        self.assert_refused(done, "file descriptors to 320", "may have 200", "ulimit -Hn", code=1)

    def restart(self, process):
        """Kills the service, whose sweep's processes notice, and starts another."""
        self.end(process, signal.SIGKILL)
        wait_for("the sweep's processes to end", lambda: not self.processes())
        self.serve()

    def cell_lines(self):
        return sorted(line for line in self.metrics().splitlines() if "workload=" in line)

    def test_a_restart_shows_the_cells_of_the_sweep_that_was_done_last(self):
        process = self.serve()
        done = self.submit({**TINY, "launches": 2})
        self.wait_for_state(done, "done")
        shown = wait_for("its cells", self.cell_lines)
        stamp = [line for line in self.metrics().splitlines() if "last_success" in line][-1]
        self.submit({**LONG, "batch": [4]})
        self.restart(process)
        text = self.metrics()
        self.assertEqual("", lint(text))
        self.assertEqual(shown, self.cell_lines())
        self.assertIn('graphbench_cells_total{status="ok"} 0\n', text)
        again = [line for line in text.splitlines() if "last_success" in line][-1]
        self.assertAlmostEqual(float(stamp.split()[1]), float(again.split()[1]), delta=1.5)

    def workloads(self):
        return {line.split('workload="')[1].split('"')[0] for line in self.cell_lines()}

    def test_sweeps_of_several_models_are_shown_together(self):
        process = self.serve()
        for workload in ("mlp", "conv"):
            self.wait_for_state(self.submit({**TINY, "batch": 1, "workload": workload}), "done")
        both = self.cell_lines()
        self.assertEqual({"mlp", "conv"}, self.workloads())
        self.restart(process)
        self.assertEqual(both, self.cell_lines())

    def test_cells_that_fall_out_are_counted_and_said(self):
        process = self.serve("--metrics-cells", "3")
        for workload in ("mlp", "conv"):
            sweep = {**TINY, "batch": 1, "mode": "eager,whole", "workload": workload}
            self.wait_for_state(self.submit(sweep), "done")
        self.assertEqual({"mlp", "conv"}, self.workloads())
        self.assertIn("graphbench_cells_dropped_total 1\n", self.metrics())
        self.assertIn("/metrics shows the 3 cells that were measured last: 1 others have fallen out",
                      self.end(process).stderr)

    def test_what_only_the_device_can_refuse_is_told_too(self):
        self.serve()
        path = self.submit({**TINY, "dtype": "fp16"})
        self.wait_for_state(path, "failed")
        sweep = self.ask("GET", path)[1]
        self.assertEqual(2, sweep["exit_code"])
        self.assertIn("--dtype", sweep["message"])

    def test_termination_keeps_what_was_measured_and_what_is_queued(self):
        process = self.serve()
        running, queued = self.submit(LONG), self.submit(TINY)
        wait_for("a cell", lambda: "graphbench_sweep_progress_ratio" in (text := self.metrics())
                 and 'progress_ratio{device="host"} 0\n' not in text)
        begin = time.monotonic()
        self.assertEqual(0, self.end(process).returncode)
        self.assertLess(time.monotonic() - begin, 10, "the default grace")
        self.serve()
        self.assertEqual("interrupted", self.ask("GET", running)[1]["state"])
        result = self.ask("GET", running + "/results")[1]
        self.assertFalse(result["complete"])
        self.assertIn("ok", {cell["status"] for cell in result["cells"]})
        self.wait_for_state(queued, "done")

    def test_a_resumed_sweep_measures_what_was_not_finished(self):
        process = self.serve()
        sweep = self.submit({**MANY, "warmup": list(range(8)), "time-per-cell": 0.05})
        wait_for("a few workers", lambda: len(self.ask("GET", sweep + "/cells")[1]["cells"]) >= 6)
        self.restart(process)
        kept = {cell["id"]: cell for cell in self.ask("GET", sweep + "/cells")[1]["cells"]}
        self.assertEqual(202, self.ask("POST", sweep + "/resume")[0])
        self.wait_for_state(sweep, "done")
        result = self.ask("GET", sweep + "/results")[1]
        self.assertEqual((True, 48), (result["complete"], len(result["cells"])))
        self.assertEqual(set(kept), {cell["id"] for cell in result["cells"] if "resumed" in cell})
        self.assertLess(len(kept), 48, "it was killed too late to show anything")
        for cell in result["cells"]:
            if cell["id"] in kept:
                self.assertEqual(kept[cell["id"]]["launches"], cell["launches"])
            self.assertIsNotNone(cell["summary"]["speedup_over_eager"])
            self.assertIsNotNone(cell["summary"]["latency_seconds"]["within_launch"])
        told = {cell["id"]: cell for cell in self.ask("GET", sweep + "/cells")[1]["cells"]}
        self.assertEqual({cell["id"]: cell for cell in result["cells"]}, told)

    def test_a_store_that_cannot_be_written_for_a_while_costs_no_finished_cell(self):
        self.serve()
        sweep, queued = self.submit({**MANY, "warmup": list(range(4))}), self.submit(TINY)
        wait_for("a cell", lambda: self.ask("GET", sweep + "/cells")[1]["cells"])
        # What a full disk does to a write, without one: another program holds the database's lock.
        with contextlib.closing(sqlite3.connect(self.folder / "graphbench-state" / "sweeps.sqlite",
                                                isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            status, _, said = wait_for("the trouble to be told",
                                       lambda: "end of a sweep" in (answer := self.ready())[2] and answer)
            self.assertEqual((503, True), (status, "locked" in said))
            self.assertEqual("queued", self.ask("GET", queued)[1]["state"])
            status, refused = self.ask("POST", "/v1/sweeps", TINY)
            self.assertEqual(503, status, refused)
            self.assertIn("nothing was queued", refused["error"])
            said = self.ask("GET", sweep)[1]
            self.assertEqual((409, {"error": said["message"]}), self.ask("DELETE", sweep), said)
            self.assertIn('graphbench_sweep_running{device="host"} 0', self.metrics())
        self.wait_for_state(queued, "done")
        stopped = self.ask("GET", sweep)[1]
        self.assertEqual(("interrupted", True), (stopped["state"], stopped["resumable"]))
        self.assertIn("locked", stopped["message"])
        wait_for("it to be ready", lambda: self.ready()[0] == 200)
        self.assertEqual(202, self.ask("POST", sweep + "/resume")[0])
        self.wait_for_state(sweep, "done")
        self.assertTrue(self.ask("GET", sweep + "/results")[1]["complete"])

    def test_a_document_that_the_service_did_not_live_to_store_is_stored_at_the_next_start(self):
        process = self.serve()
        sweep = self.submit({**TINY, "mode": "eager"})  # a pipe holds its events
        document = self.folder / "graphbench-state" / (sweep.rsplit("/", 1)[1] + ".json")
        wait_for("the sweep's process", lambda: children_of(process.pid))
        process.send_signal(signal.SIGSTOP)
        wait_for("the document", document.exists)
        self.end(process, signal.SIGKILL)
        self.serve()
        self.assertEqual("done", self.ask("GET", sweep)[1]["state"])
        result = self.ask("GET", sweep + "/results")[1]
        self.assertTrue(result["complete"])
        self.assertEqual(result["cells"], self.ask("GET", sweep + "/cells")[1]["cells"])
        self.assertFalse(document.exists())

    def test_a_document_of_another_sweep_is_not_stored_as_the_interrupted_ones(self):
        process = self.serve()
        other, sweep = self.submit(TINY), self.submit(MANY)
        wait_for("a cell", lambda: self.ask("GET", sweep + "/cells")[1]["cells"])
        document = self.folder / "graphbench-state" / (sweep.rsplit("/", 1)[1] + ".json")
        planted = json.dumps(self.ask("GET", other + "/results")[1])
        self.end(process, signal.SIGKILL)
        wait_for("the sweep's processes to end", lambda: not self.processes())
        document.write_text(planted, encoding="utf-8")
        self.serve()
        self.assertEqual("interrupted", self.ask("GET", sweep)[1]["state"])
        self.assertEqual(planted, document.read_text(encoding="utf-8"))
        self.assertIn(f"'{document.resolve()}' is not the result of sweep", self.warnings)

    def ready(self):
        return fetch(self.url + "/readyz")

    def test_two_services_on_one_machine_take_turns(self):
        self.serve()
        first = self.submit(LONG)
        self.wait_for_state(first, "running")
        one = self.url
        self.serve("--state", "other")
        second = self.submit(TINY)
        waits = wait_for("a word", lambda: (now := self.ask("GET", second)[1])["message"] and now)
        self.assertEqual(("queued", "another graphbench serve runs a sweep on this machine"),
                         (waits["state"], waits["message"]))
        two, self.url = self.url, one
        self.assertEqual(202, self.ask("DELETE", first)[0])
        self.url = two
        self.wait_for_state(second, "done")
        self.assertIsNone(self.ask("GET", second)[1]["message"])

    def test_two_services_do_not_share_a_folder(self):
        self.serve()
        done = self.run_graphbench("serve", "--listen", "127.0.0.1:0")
        self.assert_refused(done, "lock", "another graphbench serve uses this folder", code=1)

    def test_a_token_is_asked_for_where_others_reach(self):
        done = self.run_graphbench("serve", "--listen", "0.0.0.0:0")
        self.assert_refused(done, "--listen", '"0.0.0.0:0"', "--token-file")
        self.write("short", "secret\n")
        self.refuse_each((("--token-file short", ("--token-file", "short")),
                          ("--token-file none", ("--token-file", '"none"'))), "serve")
        self.write("token", TOKEN + "\n")
        self.serve("--token-file", "token")
        self.assertEqual(401, self.ask("GET", "/v1/sweeps")[0])
        self.assertEqual(200, self.ask("GET", "/v1/sweeps", Authorization="Bearer " + TOKEN)[0])
        self.assertEqual(200, fetch(self.url + "/healthz")[0])

    def test_options_that_will_not_do(self):
        self.refuse_each((("--listen 9464", ("--listen", '"9464"')),
                          ("--state no/such", ("--state", "no/such"))), "serve")
