"""graphbench bench as a Google Benchmark program: filters, lists, repetitions, files for compare.py."""

import json

from harness_case import HarnessCase

HOST = ["bench", "--device", "host", "--batch", "1,2", "--warmup", "1"]
BRIEF = "--benchmark_min_time=0.001"
AGGREGATES = {"mean", "median", "stddev", "cv"}


class Bench(HarnessCase):
    def bench(self, *arguments, code=0):
        return self.run_graphbench(*HOST, *arguments, code=code)

    def check_entry(self, entry):
        """What compare.py reads of an entry, and what its unit tests call well formed."""
        self.assertIn(entry["run_type"], ("iteration", "aggregate"))
        self.assertEqual("ns", entry["time_unit"])
        self.assertIsInstance(entry["iterations"], int)
        for name in ("real_time", "cpu_time", "submit_seconds", "device_seconds"):
            if entry.get("aggregate_name") in ("stddev", "cv"):
                self.assertGreaterEqual(entry[name], 0)
            else:
                self.assertGreater(entry[name], 0)

    def test_a_file_that_compare_py_reads(self):
        done = self.bench("--workload", "mlp", BRIEF, "--benchmark_repetitions=3", "--benchmark_out=out.json")
        self.assertIn("mlp/tiny/fp32/forward/b2/w1/whole", done.stdout)
        document = self.result("out.json")
        self.assertEqual("graphbench", document["context"]["executable"])
        self.assertTrue(document["context"]["graphbench_plan"])
        entries = document["benchmarks"]
        for entry in entries:
            self.check_entry(entry)
        names = {entry["run_name"] for entry in entries}
        self.assertEqual({f"mlp/tiny/fp32/forward/b{batch}/w1/{mode}/manual_time"
                          for batch in (1, 2) for mode in ("eager", "whole", "piecewise")}, names)
        for name in names:
            own = [entry for entry in entries if entry["run_name"] == name]
            runs = [entry for entry in own if entry["run_type"] == "iteration"]
            self.assertEqual([0, 1, 2], [entry["repetition_index"] for entry in runs])
            self.assertEqual({name}, {entry["name"] for entry in runs})
            aggregates = {entry["aggregate_name"]: entry for entry in own if entry["run_type"] == "aggregate"}
            self.assertEqual(AGGREGATES, set(aggregates))
            middle = sorted(entry["real_time"] for entry in runs)[1]
            self.assertAlmostEqual(1, aggregates["median"]["real_time"] / middle)
        self.assertFalse((self.folder / "graphbench.json").exists())

    def test_stdout_takes_any_of_its_formats(self):
        done = self.bench("--workload", "mlp", "--mode", "whole", BRIEF, "--benchmark_format=json")
        self.assertEqual(2, len(json.loads(done.stdout)["benchmarks"]))

    def test_a_list_measures_nothing(self):
        done = self.bench("--benchmark_list_tests", "--workload", "mlp,conv", "--mode", "whole")
        self.assertEqual([f"{workload}/tiny/fp32/forward/b{batch}/w1/whole/manual_time"
                          for workload in ("mlp", "conv") for batch in (2, 1)], done.stdout.split())

    def test_a_filter_chooses_cells(self):
        done = self.bench(BRIEF, "--benchmark_filter=conv.*b1/.*whole", "--benchmark_format=json")
        names = [entry["name"] for entry in json.loads(done.stdout)["benchmarks"]]
        self.assertEqual(["conv/tiny/fp32/forward/b1/w1/whole/manual_time"], names)

    def test_a_configuration_file_names_the_cells(self):
        self.write("bench.toml", 'workload = ["mlp"]\nmode = ["eager"]\n')
        done = self.bench("--config", "bench.toml", "--benchmark_list_tests")
        self.assertEqual(2, len(done.stdout.split()))

    def errors_of(self, plugin, *arguments, code):
        done = self.bench("--plugin", self.plugin(plugin), "--workload", f"{plugin},mlp", BRIEF,
                          "--benchmark_format=json", *arguments, code=code)
        entries = json.loads(done.stdout)["benchmarks"]
        for entry in entries:
            self.assertEqual(entry["name"].startswith(plugin), entry.get("error_occurred", False), entry)
        messages = {entry["error_message"] for entry in entries if "error_message" in entry}
        self.assertTrue(messages, "nothing of the plugin was measured")
        return messages

    def test_a_failed_cell_errors_alone_and_the_exit_code_says_so(self):
        for plugin, words in (("error_op", "plugin_failed: "), ("flaky_op", "check_failed: ")):
            for message in self.errors_of(plugin, "--mode", "eager,whole", code=3):
                self.assertIn(words, message)

    def test_what_no_graph_can_hold_is_skipped(self):
        messages = self.errors_of("host_op", "--mode", "whole", code=0)
        self.assertEqual(1, len(messages))
        self.assertIn("skipped: host_op: ", messages.pop())

    def test_bad_input_is_refused(self):
        self.refuse_each((
            *((option, option) for option in ("--profile", "--quiet", "--dump-program", "--sweep")),
            ("--samples x.npz", "--samples"),
            ("--launches 2", ("--launches", "--benchmark_repetitions")), ("--trace x.json", "--trace"),
            ("--samples-max 9", ("--samples-max", "--benchmark_min_time")),
            ("--linger 1", ("--linger", "publishes no metrics")),
            ("--mode hole", ("--mode", '"hole"')), ("--cpu 1023", ("--cpu", "1023")),
            ("--benchmark_filtre=x", ("--benchmark_filtre", 'did you mean "--benchmark_filter"?')),
            ("--benchmark_format=xml", ("--benchmark_format", '"xml"', "console, json, csv")),
            ("--benchmark_repetitions=0", ("--benchmark_repetitions", '"0"', "from 1")),
            ("--benchmark_repetitions=2.5", ("--benchmark_repetitions", '"2.5"')),
            ("--benchmark_min_time=nan", ("--benchmark_min_time", '"nan"', "seconds")),
            ("--benchmark_min_time", ("--benchmark_min_time", '""')),
            *((f"--benchmark_min_time={text}", ("--benchmark_min_time", f'"{text}"'))
              for text in ("-1", "soon")),
            *((f"--benchmark_filter={text}", ("--benchmark_filter", text)) for text in ("none", "(")),
            ("--benchmark_out=missing/x.json", ("--benchmark_out", "missing"))), *HOST)
        self.write("bench.toml", 'launches = 3\n')
        self.refuse_each([("bench --config bench.toml", "bench.toml:1: launches")])
