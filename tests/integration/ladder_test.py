"""graphbench ladder as a person runs it: valid documents, rivals, suggestions. What is refused is in
ladder_input_test.py."""

import pathlib
import re
import sys

from harness_case import PLUGINS, ROOT, HarnessCase

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parents[2] / "ci")]
import figures  # noqa: E402

LLAMA = ROOT / "ci" / "baselines" / "h200-torch-llama.json"
BASELINE = ROOT / "ci" / "baselines" / "h200.json"
NOTHING = "capture nothing: all eager is fastest"
TINY = ["ladder", "--device", "host", "--capture-sizes", "1,2,4", "--steps", "60", "--warmup", "1"]


class Ladder(HarnessCase):
    def serve(self, arguments):
        done, document, _ = self.measure(*TINY, *arguments.split())
        return document, done.stdout

    def test_a_dry_run_says_what_would_run(self):
        ladder = ["ladder", "--workload", "mlp", "--traffic", "uniform:1:4"]
        about = r", about \d+ (second|minute)s?"
        for command, said in (([*ladder, "--no-rivals", "--launches", "3"], "3 processes" + about),
                              ([*ladder, "--no-rivals", "--mode", "best"],
                               "2 processes, and more that follow from them" + about),
                              ([*ladder, f"--suggest={BASELINE}"],
                               re.escape(f"no process: the suggestions come from {BASELINE}")),
                              (["bill", "--workload", "mlp", "--capture-sizes", "1,2"],
                               "1 bill of 2 sizes" + about),
                              (["floor"], "1 process" + about)):
            with self.subTest(command=command):
                done = self.run_graphbench(*command, "--device", "host", "--dry-run", code=0)
                self.assertRegex(done.stdout, f"^{said}\n$")
                self.assertEqual("", done.stderr)
        self.assertEqual([], list(self.folder.iterdir()))

    def test_what_comes_and_what_is_done_is_told(self):
        asked = "--workload mlp --traffic uniform:1:4 --json r.json --prometheus-textfile"
        done = self.run_graphbench(*TINY, *asked.split(), "r.prom", code=0)
        self.assertRegex(done.stderr, r"^graphbench: 3 processes, about \d+ seconds\n")
        self.assertRegex(done.stderr, r"\[3/3\] 100%  worker 3/3  every, mlp/[^\n]*\n$")
        for command in ([*TINY, "--workload", "mlp", "--traffic", "uniform:1:4"],
                        ["bill", "--device", "host", "--workload", "mlp", "--capture-sizes", "1,2"]):
            for path, words in (("/no/such/folder/m.prom", "in a folder that exists"),
                                ("both.prom", "is also the file of --json"), ("m.txt", "ends in .prom")):
                with self.subTest(command=command, path=path):
                    refused = self.run_graphbench(*command, "--json", "both.prom", "--prometheus-textfile",
                                                  path)
                    self.assert_refused(refused, "--prometheus-textfile: ", words)
                    self.assertFalse((self.folder / "both.prom").exists())

    def test_the_document_is_valid_and_counts_are_the_histograms(self):
        self.write("traffic.csv", "size,count\n1,30\n3,20\n6,10\n")
        document, shown = self.serve("--workload mlp,attention --traffic traffic.csv --mode "
                                     "whole,piecewise --engine-sizes 2,8 "
                                     "--prometheus-textfile ladder.prom")
        asked = [ladder for ladder in document["ladders"] if ladder["role"] == "asked"]
        self.assertEqual(len(asked), 4)
        self.assertEqual(len({ladder["id"] for ladder in document["ladders"]}), len(document["ladders"]))
        for ladder in asked:
            launch = ladder["launches"][0]
            self.assertEqual(launch["steps"], {"exact": 30, "padded": 20, "eager_below": 0,
                                               "eager_beyond": 10, "captured_now": 0})
            self.assertEqual((launch["padding"]["rows"], launch["padding"]["graph_rows"]), (20, 30 + 80))
            self.assertAlmostEqual(launch["padding"]["waste"], 20 / 110)
            self.assertTrue(ladder["check"]["identical"])
            for key in ("over_eager", "over_every", "over_engine"):
                self.assertGreater(ladder["summary"][key], 0)
            self.assertEqual({size["size"]: size["uses"] for size in launch["sizes"]}, {1: 30, 2: 0, 4: 20})
        self.assertIn("padding: 20 of 110 rows", shown)
        series = (self.folder / "ladder.prom").read_text(encoding="utf-8")
        self.assertIn("# TYPE graphbench_ladder_latency_seconds summary", series)
        self.assertRegex(series, r'graphbench_ladder_steps\{workload="mlp",.*"asked",how="padded"\} 20\n')
        compared = self.run_graphbench("compare", "graphbench.json", "graphbench.json")
        self.assertIn("/ladder-", compared.stdout)

    def test_a_ladder_is_shown_again_with_its_sentence(self):
        document, served = self.serve("--workload mlp --traffic uniform:1:4 --suggest")
        shown = self.run_graphbench("show", "graphbench.json", "--format", "table", code=0).stdout
        for line in served.splitlines():
            self.assertIn(line, shown)
        asked = next(each for each in document["ladders"] if each["role"] == "asked")
        self.assertRegex(asked["sentence"], r"^3 captured sizes serve uniform:1:4 in \S+ a step, 100 % of "
                         r"them from a graph; all eager, the same steps take \S+x as long; \S+ to start, ")
        for each in (asked, *document["suggestions"]):
            self.assertIn(" ".join(each["sentence"].split()), " ".join(shown.split()))
        self.assertNotIn("0 cells", shown)

    def test_a_ladder_that_is_its_own_rival_runs_once_and_is_compared_all_the_same(self):
        document, _ = self.serve("--workload mlp --traffic uniform:1:4 --engine-sizes 1,2,4")
        self.assertEqual([ladder["role"] for ladder in document["ladders"]], ["asked", "eager", "every"])
        self.assertEqual(document["ladders"][0]["summary"]["over_engine"], 1)

    def test_several_launches_and_lazy_captures(self):
        document, _ = self.serve("--workload mlp --traffic uniform:1:4 --launches 3 --capture-when lazy "
                                 "--arrivals 20000 --no-rivals")
        (ladder,) = document["ladders"]
        self.assertEqual([launch["index"] for launch in ladder["launches"]], [0, 1, 2])
        self.assertIsNotNone(ladder["summary"]["latency_seconds"]["ci95"])
        for launch in ladder["launches"]:
            self.assertEqual(launch["steps"]["captured_now"], 3)
            self.assertEqual(launch["stalls"]["count"], 3)
            self.assertGreaterEqual(launch["response_seconds"]["p50"], launch["latency_seconds"]["p50"])

    def test_the_first_requests_of_a_size_are_its_warmups(self):
        document, shown = self.serve("--workload mlp --traffic uniform:1:4 --capture-when startup,lazy "
                                     "--warmup-by requests --no-rivals")
        asked, lazy = document["ladders"]
        self.assertNotIn("warmup_by", asked["policy"])
        self.assertEqual("requests", lazy["policy"]["warmup_by"])
        steps = lazy["launches"][0]["steps"]
        self.assertEqual((3, 3, 60), (steps["warming"], steps["captured_now"], sum(steps.values())))
        self.assertNotIn("warming", asked["launches"][0]["steps"])
        self.assertIn("3 captured lazily, 3 warming; hit rate", shown)

    def test_sizes_may_share_an_exec(self):
        document, shown = self.serve("--workload mlp --traffic uniform:1:4 --exec shared --mode piecewise")
        asked = document["ladders"][0]
        self.assertEqual("shared", asked["policy"]["exec"])
        execs = asked["launches"][0]["execs"]
        self.assertEqual(1, execs["groups"])
        self.assertGreater(execs["updates"], 10)
        self.assertGreater(execs["update_seconds"], 0)
        self.assertIn("1 for 3 captured sizes", shown)
        self.assertTrue(asked["check"]["identical"])

    def test_sizes_may_be_arms_of_one_switch(self):
        document, shown = self.serve("--workload mlp --traffic uniform:1:4 --exec switch --mode whole")
        asked = document["ladders"][0]
        self.assertEqual("switch", asked["policy"]["exec"])
        execs = asked["launches"][0]["execs"]
        self.assertEqual((1, None), (execs["groups"], execs["bytes_saved"]))
        self.assertGreater(execs["updates"], 10)
        self.assertIn("1 for 3 captured sizes", shown)
        self.assertTrue(asked["check"]["identical"])

    def test_first_requests_at_start_up_and_lazily_stand_in_one_document(self):
        document, shown = self.serve("--workload mlp --traffic uniform:1:4 --capture-when startup,lazy "
                                     "--no-rivals")
        asked, lazy = document["ladders"]
        self.assertEqual((asked["role"], lazy["role"]), ("asked", "lazy"))
        self.assertEqual([ladder["policy"]["capture_when"] for ladder in (asked, lazy)], ["startup", "lazy"])
        for ladder, stalls in ((asked, 0), (lazy, 3)):
            launch = ladder["launches"][0]
            self.assertEqual(launch["stalls"]["count"], stalls)
            self.assertEqual(launch["first_requests"]["count"], 3)
        self.assertEqual(shown.count("first: the first requests of 3 sizes"), 2)

    def test_an_input_that_is_written_is_refused_or_copied_back(self):
        plugin = f"--plugin {PLUGINS / 'mutating_op.so'} --workload mutating_op --traffic uniform:1:4"
        document, shown = self.serve(plugin)
        asked, eager, every = document["ladders"]
        for ladder in (asked, every):
            self.assertEqual(("skipped", "mutated_input"), (ladder["status"], ladder["reason"]["code"]))
            self.assert_all_in(("op odd (mutating_op)", "the input x", "give --mutated-inputs copy_back"),
                               ladder["reason"]["message"])
        self.assertEqual("ok", eager["status"])
        self.assertIn("mutated_input", shown)
        self.assertNotIn("mutated_inputs", asked["policy"])
        document, _ = self.serve(f"{plugin} --mutated-inputs copy_back --capture-when lazy")
        copied = document["ladders"][0]
        self.assertEqual("copy_back", copied["policy"]["mutated_inputs"])
        self.assertEqual({"ok"}, {ladder["status"] for ladder in document["ladders"]})
        self.assertTrue(copied["check"]["identical"])
        self.assertNotEqual(asked["id"], copied["id"])

    def test_what_the_harness_does_between_steps_delays_no_step(self):
        document, _ = self.serve("--workload mlp --traffic uniform:1:6 --mode whole,piecewise "
                                 "--arrivals 1000000 --engine-sizes 2")
        rows = figures.response_rows(document)
        self.assertEqual(len(document["ladders"]), len(rows))
        self.assertEqual({"asked", "eager", "every", "engine"},
                         {ladder["role"] for ladder in document["ladders"]})
        self.assertEqual([], [row for row in rows if not row.passed])

    def test_a_servers_log_is_traffic_and_its_runtime_modes_are_chosen(self):
        header = "| Unpadded Tokens | Padded Tokens | Num Paddings | Runtime Mode | Count |\n|-|-|-|-|-|\n"
        tables = header + "| 1 | 1 | 0 | FULL | 25 |\nready\n" + header + "| 3 | 4 | 1 | PIECEWISE | 5 |\n"
        prefix = "(APIServer pid=1) INFO 09-21 10:00:00 [compilation/cuda_graph.py:108] "
        self.write("server.log", "".join(prefix + line + "\n" for line in tables.splitlines()))
        merged, shown = self.serve("--workload mlp --traffic server.log --no-rivals")
        self.assertEqual([{"mode": "FULL", "count": 25, "served": True},
                          {"mode": "PIECEWISE", "count": 5, "served": True}],
                         merged["ladders"][0]["traffic"]["modes"])
        self.assertEqual((60, 2), tuple(merged["ladders"][0]["traffic"][key] for key in ("steps", "sizes")))
        self.assertIn("note: these modes are merged", shown)
        chosen, shown = self.serve("--workload mlp --traffic server.log --no-rivals "
                                   "--traffic-mode FULL,NONE")
        traffic = chosen["ladders"][0]["traffic"]
        self.assertEqual(1, traffic["sizes"])
        self.assertEqual([True, False], [mode["served"] for mode in traffic["modes"]])
        self.assertIn("PIECEWISE 5 (left out)", shown)
        self.assertNotIn("merged", shown)

    def test_several_files_are_one_traffic_and_a_note_says_what_they_lack(self):
        line = "[2026-04-05 20:02:51 TP0] Decode batch. #running-req: {}, #token: 9, cuda graph: True\n"
        self.write("sglang.log", line.format(1) * 3 + line.format(0))
        self.write("sglang.log.1", line.format(4))
        self.write("requests.csv", "TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 18:17:03,48,10\n"
                   "2023-11-16 18:17:04,48,10\n")
        self.write("server.log", "INFO 09-21 [api_server.py:1] vLLM API server version 0.21.0\n")
        for name, words in (("requests.csv", ["requests and no batches", "--closed", "the log of"]),
                            ("server.log", ["server.log:1", "vLLM", "--cudagraph-metrics"]),
                            ("sglang.log,none.log", ['"none.log"', "No such file", "zipf:S:MAX"])):
            with self.subTest(name):
                self.assert_refused(self.run_graphbench("ladder", "--traffic", name), *words)
        document, shown = self.serve("--workload mlp --traffic sglang.log,sglang.log.1 --no-rivals")
        traffic = document["ladders"][0]["traffic"]
        self.assertEqual((60, 2, 45 + 60), tuple(traffic[key] for key in ("steps", "sizes", "rows")))
        self.assert_all_in(("one decode step in 40", "--decode-log-interval 1", "1 idle steps"),
                           traffic["note"])
        self.assertIn(traffic["note"], shown)

    def test_hits_that_are_required_decide_the_exit_code(self):
        command = [*TINY, "--workload", "mlp", "--no-rivals", "--quiet", "--traffic", "uniform:1:6"]
        missed = self.run_graphbench(*command, "--require-hits", "80%", "--json", "r.json", code=10)
        self.assert_all_in(("66.7 % of the steps", "--require-hits asks for 80 %"), missed.stderr)
        self.assertTrue((self.folder / "r.json").exists())
        self.run_graphbench(*command, "--require-hits", "60%", code=0)

    def test_a_suggestion_comes_from_a_result_and_is_verified(self):
        sweep = ("--sweep --device host --workload mlp --mode eager,whole --warmup 1 --batch 1,2,4,8 "
                 "--io static,copy_in --time-per-cell 0.01 --json sweep.json --quiet")
        self.run_graphbench(*sweep.split(), code=0)
        asked = ("--workload mlp --traffic uniform:1:6 --suggest=sweep.json --sizes-max 2 --verify "
                 "--for sglang,vllm --launches 1")
        asked = ["ladder", "--device", "host", "--steps", "60", "--warmup", "1", *asked.split()]
        dry = self.run_graphbench(*asked, "--dry-run", code=0)
        self.assertRegex(dry.stdout, r"^[1-4] process(es)?, about \d+ seconds?\n$")
        done, document, _ = self.measure(*asked)
        self.assertTrue(dry.stdout.startswith(f"{len(document['ladders'])} process"), dry.stdout)
        made, copying = document["suggestions"]
        self.assertEqual(made["eager_step_seconds"], copying["eager_step_seconds"])
        self.assertLessEqual(len(made["sizes"]), 2)
        self.assertEqual(made["from"], "sweep.json")
        counts = [(point["sizes"], len(point.get("captured", []))) for point in made["frontier"]]
        self.assertEqual(counts, sorted((count, count) for count, _ in counts))
        self.assertEqual(made["verified_by"], document["ladders"][0]["id"])
        self.assertGreater(min(made["verified_step_seconds"], made["eager_verified_step_seconds"]), 0)
        self.assertEqual("fewer than 3 launches" if made["sizes"] else NOTHING, made["no_suggestion"])
        for rival in made.get("rivals", []):
            self.assertGreater(rival["verified_step_seconds"], 0)
        # A certain gain of the other one is the machine's affair.
        self.assertEqual("no_suggestion" not in copying, "--compilation-config" in done.stdout)
        self.assert_all_in(("no suggestion for mlp/", "eager (graphbench's own): "), done.stdout)

    def test_a_suggestion_comes_from_a_default_sweep_and_of_the_workload_asked_for(self):
        asked = ["ladder", "--device", "host", "--traffic", "zipf:1.1:256", "--quiet",
                 f"--suggest={BASELINE}"]
        document = self.measure(*asked, "--workload", "attention")[1]
        self.assertEqual([("attention", "piecewise"), ("attention", "whole")],
                         sorted((made["workload"], made["mode"]) for made in document["suggestions"]))
        whole = next(made for made in document["suggestions"] if made["mode"] == "whole")
        self.assertTrue(whole["sizes"])
        self.assertIn("measure eager at more sizes", whole["no_suggestion"])
        document = self.measure(*asked[:3], "--traffic", "zipf:1.1:32", "--quiet", f"--suggest={LLAMA}",
                                "--multiple-of", "4", "--for", "sglang")[1]
        self.assertEqual(self.result(LLAMA)["environment"], document["environment"])
        shown = self.run_graphbench("show", "graphbench.json", code=0).stdout
        self.assertEqual([2, 0], [shown.count(f"{each} (predicted") for each in ("sglang", "vllm")])
        for made in document["suggestions"]:
            self.assertEqual(("the step", None), (made["eager"], made["memory_bytes"]))
            self.assertEqual(document["notes"][0]["text"], made.get("trust", "trust: high"))
            self.assertEqual({0}, {size % 4 for size in made["sizes"]})
        document = self.measure(*asked)[1]
        self.assertEqual({"attention", "conv", "mlp"}, {made["workload"] for made in document["suggestions"]})

    def test_a_suggestion_from_a_file_says_what_its_traffic_leaves_out(self):
        self.write("idle.csv", "size,count\n0,5\n4,9\n")
        self.serve("--workload mlp --traffic uniform:1:4 --no-rivals --launches 1 --suggest")
        (self.folder / "graphbench.json").rename(self.folder / "from.json")
        asked = "ladder --device host --workload mlp --traffic idle.csv --steps 9 --suggest=from.json".split()
        done, document, _ = self.measure(*asked)
        self.assertEqual("5 idle steps are left out", document["suggestions"][0]["note"])
        self.assertIn("5 idle steps are left out", done.stdout)
        missed = self.run_graphbench(*asked, "--multiple-of", "1000", "--verify", "--launches", "1",
                                     "--warmup", "1", "--require-hits", "50%", code=10)
        self.assertIn("0.0 % of the steps hit a captured size; --require-hits asks for 50 %", missed.stderr)

    def test_flags_are_printed_only_where_service_bears_the_suggestion_out(self):
        document, shown = self.serve("--workload mlp --traffic uniform:1:4 --no-rivals --launches 3 "
                                     "--suggest --verify")
        (made,) = document["suggestions"]
        self.assertEqual(["asked", "eager"], [ladder["role"] for ladder in document["ladders"]][:2])
        self.assertEqual("graphbench", made["eager"])
        low = 0  # on a machine so busy that no ratio is excluded
        if made["over_eager_ci95"]:
            low, high = made["over_eager_ci95"]
            self.assertLessEqual(low, made["over_eager"])
            self.assertLessEqual(made["over_eager"], high)
        eager = next(ladder for ladder in document["ladders"] if ladder["role"] == "eager")
        served = [launch["latency_seconds"]["mean"] for launch in eager["launches"]]
        self.assertAlmostEqual(sum(served) / 3, made["eager_verified_step_seconds"])
        self.assertAlmostEqual(1, made["eager_verified_step_seconds"] / made["eager_step_seconds"])
        words = NOTHING
        if made["sizes"]:
            words = "" if low > 1 else "the gain over eager is not certain"
            self.assertEqual(["powers", "vllm", "sglang", "trtllm"],
                             [each["name"] for each in made["rivals"]])
        faster = [each["name"] for each in made.get("rivals", []) if (each.get("over_ci95") or [1, 1])[1] < 1]
        if words or not faster:  # where one is faster, the test of units says what is told
            self.assertEqual(words, made.get("no_suggestion", ""))
        self.assertEqual("no_suggestion" not in made, "vllm (served): --compilation-config" in shown)

    def test_a_suggestion_comes_from_what_the_ladder_measured(self):
        document, shown = self.serve("--workload mlp --traffic uniform:1:4 --no-rivals --suggest --memory "
                                     "1e9 --startup 100")
        (made,) = document["suggestions"]
        self.assertEqual(made["from"], document["ladders"][0]["id"])
        self.assertLessEqual(made["step_seconds"], made["eager_step_seconds"])
        self.assertIsNone(made["verified_by"])
        self.assertIn(made.get("no_suggestion"), (None, NOTHING, "the predicted gain over eager is "
                                                       "below 2 %"))
        self.assertEqual("no_suggestion" not in made, "sglang (predicted, not served): --cuda" in shown)

    def test_requests_form_batches_by_the_step_times_that_were_measured(self):
        asked = "--workload mlp --traffic requests:200:5 --closed=4 --prefill-seconds 1e-4 --suggest"
        document, shown = self.serve(asked)
        whole, eager = document["closed"]
        self.assertEqual(("whole", "eager"), (whole["mode"], eager["mode"]))
        self.assertEqual({"whole"}, {made["mode"] for made in document["suggestions"]})
        for each in (whole, eager):
            self.assertEqual((200, 5, 4), (each["rate"], each["tokens"], each["most"]))
            self.assertIn("200 requests a second, 5 tokens each, 100us of prefill each", each["sentence"])
            self.assertIn(" ".join(each["sentence"].split()), " ".join(shown.split()))
        self.assertEqual((1, 0), (whole["hit_rate"], eager["hit_rate"]))
        done = self.run_graphbench(*TINY, *asked.split(), "--require-hits", "100%", "--quiet", code=0)
        self.assertIn("requests:200:5 (200 requests a second", done.stdout)
        self.write("mooncake.jsonl", "".join(
            f'{{"timestamp": {1000 * i}, "input_length": 9, "output_length": 3, "hash_ids": [1]}}\n'
            for i in range(9)))
        closed = self.measure("ladder", f"--suggest={BASELINE}", "--device", "host", "--workload", "mlp",
                              "--traffic", "mooncake.jsonl", "--closed", "--quiet")[1]["closed"]
        self.assertEqual({1}, {each["rate"] for each in closed})
        self.assertEqual({"whole", "piecewise", "eager"}, {each["mode"] for each in closed})
        self.assertIn("decode only", closed[0]["sentence"])
        self.assertIn("Of the traffic: times are read as milliseconds.", closed[0]["sentence"])

    def test_query_lengths_make_tokens_of_requests(self):
        self.write("requests.csv", "size,count\n1,30\n2,30\n")
        document, _ = self.serve("--workload mlp --traffic requests.csv --query-lengths 1,2 --no-rivals")
        self.assertEqual((60, 3), tuple(document["ladders"][0]["traffic"][key] for key in ("steps", "sizes")))
        self.assertIn("1, 2 tokens per request", document["ladders"][0]["traffic"]["note"])
        document, _ = self.serve("--workload mlp --traffic requests.csv --query-lengths 4 --no-rivals")
        self.assertEqual([4], document["ladders"][0]["sizes"], "an engine rounds to what it decodes with")

    def test_a_suggestion_takes_no_more_memory_than_the_engines_ladder(self):
        document, shown = self.serve("--workload mlp --traffic zipf:1.1:4 --engine-sizes 1,2 --no-rivals "
                                     "--suggest --memory engine --sizes-max 2 --verify")
        (made,) = document["suggestions"]
        asked = document["ladders"][0]["launches"][0]["sizes"]
        budget = max(size["pool_bytes"] for size in asked if size["size"] in (1, 2))
        budget += sum(size["exec_bytes"] or 0 for size in asked if size["size"] in (1, 2))
        self.assertEqual(made["memory_max_bytes"], budget)
        self.assertLessEqual(made["memory_bytes"], budget)
        ran = next(ladder for ladder in document["ladders"] if ladder["id"] == made["verified_by"])
        if ran["role"] == "suggested" and ran["sizes"]:  # else it is one of the others, or all eager is best
            self.assertGreater(ran["summary"]["over_engine"], 0)
        self.assertIn("the memory budget is", shown)

    def test_what_was_measured_is_kept_where_nothing_can_be_suggested(self):
        beyond = "--workload mlp --traffic uniform:9:9 --no-rivals --suggest --quiet --capture-when lazy"
        done = self.run_graphbench(*TINY, *beyond.split(), code=2)
        self.assertIn("--suggest: eager or a graph mode was not measured", done.stderr)
        self.assertEqual(self.result()["ladders"][0]["launches"][0]["steps"]["eager_beyond"], 60)

    def test_quiet_leaves_the_suggestion(self):
        asked = "--workload mlp --traffic uniform:1:4 --no-rivals --suggest --quiet"
        done = self.run_graphbench(*TINY, *asked.split(), code=0)
        self.assertIn("sizes", done.stdout)
        self.assertEqual("", done.stderr)
        document, shown = self.serve(asked.replace(" --suggest --quiet", ""))
        self.assertGreater(len(shown), len(done.stdout), "what leads to it is left out")

    def test_waiting_for_an_arrival_is_no_silence(self):
        self.write("gap.csv", "time,size\n0,1\n2.5,1\n")
        self.serve("--workload mlp --traffic gap.csv --no-rivals --worker-timeout 1.5")

    def test_a_step_in_parts_is_no_first_request(self):
        document, _ = self.serve("--workload mlp --traffic uniform:9:9 --beyond split --no-rivals")
        launch = document["ladders"][0]["launches"][0]
        self.assertEqual(launch["split_steps"], 60)
        self.assertNotIn("first_requests", launch)

    def test_the_fastest_mode_by_size_is_named_with_its_margin(self):
        document, shown = self.serve("--workload attention --traffic uniform:1:4 --no-rivals "
                                     "--mode whole,piecewise,best")
        (best,) = document["best"]
        self.assertEqual([size["size"] for size in best["sizes"]], [1, 2, 4])
        for size in best["sizes"]:
            steps = [each["step_seconds"] for ladder in document["ladders"] if ladder["role"] == "asked"
                     for each in ladder["launches"][0]["sizes"] if each["size"] == size["size"]]
            self.assertLessEqual(size["step_seconds"], min(steps))
            self.assertGreaterEqual(size["margin"], 0)
        self.assertEqual(best["no_gain_from_tokens"], best["no_gain_from"])  # decode: a token each
        self.assertIn("fastest mode by size: attention", shown)

    def test_best_serves_every_size_in_the_mode_that_was_faster(self):
        document, shown = self.serve("--workload mlp --traffic uniform:1:5 --mode best --launches 2")
        (best,) = document["best"]
        (served,) = [ladder for ladder in document["ladders"] if ladder["role"] == "best"]
        self.assertEqual(served["mode"], "best")
        for launch in served["launches"]:
            self.assertEqual({size["size"]: size["mode"] for size in launch["sizes"]},
                             {size["size"]: size["mode"] for size in best["sizes"]})
            self.assertEqual(sum(launch["steps"].values()), 60)
        self.assertEqual(set(served["summary"]["over_modes"]), {"whole", "piecewise"})
        self.assertGreater(served["summary"]["over_eager"], 0)
        self.assert_all_in(("each size in its fastest mode: mlp/",
                            "with every size in mode piecewise they take"), shown)
        self.run_graphbench("compare", "graphbench.json", "graphbench.json", code=(0, 11))

    def test_what_cannot_be_served_is_skipped_with_its_reason(self):
        document, shown = self.serve("--workload attention --traffic uniform:1:8 --beyond split "
                                     "--no-rivals")
        self.assertEqual(document["ladders"][0]["reason"]["code"], "state_not_splittable")
        self.assertIn("state_not_splittable", shown)
