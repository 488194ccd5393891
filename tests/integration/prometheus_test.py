"""A sweep that publishes to Prometheus: scraped while it runs, written to a file, pushed; real servers."""

import contextlib
import http.server
import os
import pathlib
import re
import signal
import ssl
import unittest

from certificates import Certificates
from client import fetch, free_port, wait_for
from harness_case import TINY, HarnessCase, workers_of
from prometheus_servers import Prometheus, answering, lint, pushgateway

MLP = [*TINY, "--workload", "mlp", "--quiet"]
# The same with the batches left open.
MLP_BATCH = ["--sweep", "--device", "host", "--workload", "mlp", "--warmup", "0", "--time-per-cell", "0.005",
             "--samples-max", "5", "--quiet", "--batch"]
# Some seconds of work: six workers one after the other.
LONGER = ["--sweep", "--device", "host", "--workload", "mlp", "--batch", "1,2", "--warmup", "0,1",
          "--time-per-cell", "0.3", "--quiet"]


def samples(text, name):
    return [line for line in text.splitlines() if re.match(name + r"[{ ]", line)]


class Scraped(HarnessCase):
    def start_listening(self, *arguments, port=None):
        port = port or free_port()
        process = self.begin(*arguments, "--prometheus-listen", f"127.0.0.1:{port}")
        return process, f"http://127.0.0.1:{port}/metrics"

    def test_prometheus_sees_cells_appear_while_the_sweep_runs(self):
        port = free_port()
        with Prometheus([f"127.0.0.1:{port}"], interval="200ms") as prometheus:
            query = prometheus.instant
            # It takes seconds to find its targets, answering or not.
            wait_for("the first scrape", lambda: query("up"))
            process, _ = self.start_listening(*LONGER, "--linger", "60", port=port)
            wait_for("the end", lambda: query("graphbench_last_success_timestamp_seconds"))
            self.assertTrue(query("changes(graphbench_sweep_progress_ratio[5m]) > 1"))
            self.assertTrue(query('changes(graphbench_cells_total{status="ok"}[5m]) > 1'))
            self.assertEqual(12, len(query('graphbench_latency_seconds{quantile="0.5"}')))
            self.assertEqual(12, len(query("graphbench_first_step_seconds")))
            self.assertEqual([], query("graphbench_cells_total{status!='ok'} > 0"))
            self.assertEqual(4, len(query('graphbench_graph_nodes{mode="whole"} > 0')))
            self.assertEqual(8, len(query('graphbench_speedup_over_eager_ratio{mode!="eager"} > 0')))
            joined = query('graphbench_submit_seconds{quantile="0.5"} * on(device) group_left(kind) '
                           "graphbench_device_info")
            self.assertEqual({"host"}, {series["metric"]["kind"] for series in joined})
            [success] = query("time() - graphbench_last_success_timestamp_seconds")
            self.assertLess(float(success["value"][1]), 60)
            result = self.result()
            for series in query('graphbench_latency_seconds{quantile="0.5"}'):
                labels = series["metric"]
                name = "{workload}/{preset}/{dtype}/{pass}/b{batch}/w{warmup}/{mode}".format(**labels)
                [cell] = [cell for cell in result["cells"] if cell["id"] == name]
                self.assertAlmostEqual(cell["summary"]["latency_seconds"]["p50"], float(series["value"][1]))
        self.assertEqual(0, self.end(process, signal.SIGINT).returncode,
                         "Ctrl-C in the lingering ends a sweep that was done")

    def test_what_is_served_is_the_text_format_that_promtool_wants(self):
        process, url = self.start_listening(*MLP, "--linger", "60")
        wait_for("the sweep", lambda: "graphbench_last_success" in fetch(url)[2])
        accept = "application/openmetrics-text;version=1.0.0;q=0.9,text/plain;version=0.0.4;q=0.5,*/*;q=0.1"
        status, headers, text = fetch(url, Accept=accept)
        self.assertEqual((200, "text/plain; version=0.0.4; charset=utf-8"), (status, headers["Content-Type"]))
        self.assertEqual("", lint(text))
        self.assertEqual(404, fetch(url + "/x")[0])
        self.assertEqual(0, self.end(process).returncode)

    @unittest.skipIf(len(os.sched_getaffinity(0)) < 2, "this machine has a single CPU")
    def test_the_server_keeps_off_the_measuring_cpu_and_workers_hold_no_socket(self):
        cpu = min(os.sched_getaffinity(0))  # not the last, where sweeps usually submit
        process, url = self.start_listening(*LONGER, "--cpu", cpu)
        wait_for("the server", lambda: fetch(url)[0] == 200)
        threads = [int(name) for name in os.listdir(f"/proc/{process.pid}/task")]
        servers = [thread for thread in threads if thread != process.pid]
        self.assertEqual(1, len(servers))
        wait_for("the server's thread on other CPUs", lambda: cpu not in os.sched_getaffinity(servers[0]))
        # Workers inherit the main thread's CPUs. It visits them one by one for a moment.
        wait_for("the main thread on every CPU", lambda: cpu in os.sched_getaffinity(process.pid))
        workers = 0
        while process.poll() is None:
            with contextlib.suppress(OSError):  # the sweep has just ended
                fetch(url)
            for child in workers_of(process.pid):
                links = links_of(child)
                workers += 1 if links else 0
                self.assertEqual([], [link for link in links if link.startswith("socket:")])
        self.assertGreater(workers, 0)

    def test_a_port_that_is_taken_is_said_before_anything_runs(self):
        holder = http.server.HTTPServer(("127.0.0.1", 0), http.server.BaseHTTPRequestHandler)
        self.addCleanup(holder.server_close)
        address = f"127.0.0.1:{holder.server_port}"
        done = self.run_graphbench(*TINY, "--prometheus-listen", address)
        self.assert_refused(done, f"--prometheus-listen: listen on {address}: Address already in use",
                            "give ", code=1)


def links_of(pid):
    try:
        return [os.readlink(path) for path in pathlib.Path(f"/proc/{pid}/fd").iterdir()]
    except OSError:
        return []  # it has ended


class Textfile(HarnessCase):
    def test_every_reader_sees_a_whole_file(self):
        process = self.start(*LONGER, "--prometheus-textfile", "m.prom")
        seen = set()
        while process.poll() is None:
            with contextlib.suppress(FileNotFoundError):
                seen.add((self.folder / "m.prom").read_text(encoding="utf-8"))
        process.communicate()
        self.assertEqual(0, process.returncode)
        texts = sorted(seen, key=len)
        self.assertGreater(len(texts), 2, "it is written while the sweep runs")
        for text in texts:
            self.assertEqual("", lint(text))
        self.assertEqual(12, len(samples((self.folder / "m.prom").read_text(encoding="utf-8"),
                                         "graphbench_first_step_seconds")))
        self.assertEqual(["graphbench.json", "m.prom"], sorted(os.listdir(self.folder)))

    def test_cells_of_an_earlier_sweep_are_gone(self):
        for batch in ("1,2", "2"):
            self.run_graphbench(*MLP_BATCH, batch, "--prometheus-textfile", "m.prom", code=0)
        text = (self.folder / "m.prom").read_text(encoding="utf-8")
        self.assertIn('batch="2"', text)
        self.assertNotIn('batch="1"', text)

    def test_the_keys_stand_in_a_configuration_file_too(self):
        self.write("sweep.toml", 'prometheus-textfile = "m.prom"\nworkload = "mlp"\nbatch = 1\nwarmup = 0\n'
                                 'device = "host"\ntime-per-cell = 0.005\nquiet = true\n')
        self.run_graphbench("--sweep", "--config", "sweep.toml", code=0)
        self.assertIn("graphbench_latency_seconds", (self.folder / "m.prom").read_text(encoding="utf-8"))


class Pushed(HarnessCase):
    def push(self, url, *arguments, code=0, **options):
        return self.run_graphbench(*MLP_BATCH, *(arguments or ["1"]), "--prometheus-push", url, **options,
                                   code=code)

    def test_a_push_replaces_what_an_earlier_sweep_pushed(self):
        with pushgateway(self.folder / "gateway") as url:
            self.push(url, "1,2", "--push-grouping", "branch=feature/x")
            text = fetch(url + "/metrics")[2]
            line = next(line for line in samples(text, "graphbench_latency_seconds") if 'batch="1"' in line)
            self.assert_all_in(('job="graphbench"', 'branch="feature/x"',
                                f'instance="{os.uname().nodename}"'), line)
            self.push(url, "2", "--push-grouping", "branch=feature/x")
            text = fetch(url + "/metrics")[2]
            self.assertIn('batch="2"', text)
            self.assertNotIn('batch="1"', text)
            self.assertEqual([], [line for line in samples(text, "push_failure_time_seconds")
                                  if not line.endswith(" 0")])

    def test_shards_push_a_group_each(self):
        with pushgateway(self.folder / "gateway") as url:
            for shard in ("1/2", "2/2"):
                self.push(url, "1", "--shard", shard, "--shard-by", "replica",
                          "--push-grouping", "shard={shard}")
            text = fetch(url + "/metrics")[2]
            for shard in ("1-of-2", "2-of-2"):
                self.assertIn(f'shard="{shard}"', "".join(samples(text, "graphbench_latency_seconds")))

    def test_a_push_can_be_deleted_on_exit(self):
        with pushgateway(self.folder / "gateway") as url:
            process = self.begin(*MLP, "--prometheus-push", url, "--push-delete", "--linger", "60")
            wait_for("the push", lambda: "graphbench_latency_seconds" in fetch(url + "/metrics")[2])
            self.assertEqual(0, self.end(process, signal.SIGINT).returncode)
            self.assertNotIn("graphbench_latency_seconds", fetch(url + "/metrics")[2])

    def test_a_gateway_that_is_not_there_costs_the_exit_code_and_nothing_else(self):
        url = f"http://127.0.0.1:{free_port()}"
        done = self.push(url, code=1)
        self.assertEqual(f"graphbench: --prometheus-push: PUT at {url[7:]}: Connection refused\n",
                         done.stderr)
        self.assertEqual("ok", self.result()["cells"][0]["status"])

    def test_https_trusts_what_the_system_trusts(self):
        made = Certificates(self.folder)
        authority = made.authority("ca")
        requests = []
        server = self.enterContext(answering(lambda _: (200, "text/plain", ""), requests))
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(*made.signed("server", "ca"))
        server.socket = context.wrap_socket(server.socket, server_side=True)
        url = f"https://localhost:{server.server_port}"
        done = self.push(url, code=1)
        self.assertIn("the server's certificate is not trusted: set SSL_CERT_FILE to", done.stderr)
        self.assertEqual([], requests)
        trusting = self.environment(SSL_CERT_FILE=authority, GRAPHBENCH_PUSH_AUTHORIZATION="Bearer token")
        self.push(url, env=trusting)
        self.assertEqual([("PUT", f"/metrics/job/graphbench/instance/{os.uname().nodename}", "Bearer token")],
                         requests)


class BadInput(HarnessCase):
    def test_what_will_not_do_is_refused_before_anything_runs(self):
        """publish_settings_test has what is said of each option."""
        self.refuse_each((
            ("--prometheus-listen 9464", ("--prometheus-listen", '"9464"', "127.0.0.1:9464")),
            ("--linger 5", ("--linger", "--prometheus-listen"))), *TINY)
