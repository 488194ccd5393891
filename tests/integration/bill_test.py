"""graphbench bill as a person runs it: valid documents, predictions that hold, a reserve that suffices."""

import json
import signal
import unittest

import jsonschema
from harness_case import SCHEMAS, HarnessCase

TINY = ["bill", "--device", "host", "--workload", "mlp", "--warmup", "1"]
SIZES = ["--capture-sizes", "1,2,4,8,16:64:+16"]


class Bill(HarnessCase):
    def assert_valid_bill(self, document):
        """Against the bill's schema, with the result's, which it refers to, inside of it."""
        text, result = ((SCHEMAS / f"{name}.schema.json").read_text(encoding="utf-8")
                        for name in ("bill", "result"))
        schema = json.loads(text.replace("urn:graphbench:schema:result:1#/", "#/$defs/result/"))
        schema["$defs"]["result"] = json.loads(result.replace('"#/', '"#/$defs/result/'))
        del schema["$defs"]["result"]["$id"]
        jsonschema.Draft202012Validator.check_schema(schema)
        jsonschema.validate(document, schema)

    def bill(self, *arguments, code=0, **options):
        done = self.run_graphbench(*TINY, *arguments, code=code, **options)
        document = self.result()
        self.assert_valid_bill(document)
        return document["bills"], done

    def total(self, growth):
        return sum(growth.values())

    def test_three_captures_predict_what_all_take(self):
        bills, done = self.bill(*SIZES, "--mode", "whole,piecewise,both", "--measure", "all",
                                "--prometheus-textfile", "bill.prom")
        self.assertEqual(["both", "piecewise", "whole"], [bill["mode"] for bill in bills])
        for bill in bills:
            prediction, measured = bill["prediction"], bill["measured"]
            modes = 2 if bill["mode"] == "both" else 1
            self.assertEqual(3 * modes, prediction["captures"])
            self.assertEqual(8 * modes, len(prediction["sizes"]))
            self.assertTrue(all(size["captured"] for size in measured["sizes"]))
            self.assertEqual([64, 48], [size["size"] for size in measured["sizes"][:2]])
            self.assertTrue(measured["inside"])
            self.assertLess(abs(measured["error"]), 0.05)
            self.assertAlmostEqual(self.total(measured["growth"]), measured["bytes"])
            self.assertGreaterEqual(prediction["reserve_bytes"], measured["bytes"])
            self.assertGreater(bill["memory"]["pool_bytes"], 0)
            self.assertIn(bill["sentence"], done.stdout)
            self.assertRegex(bill["sentence"], r"^Reserve .* \(99 %\): 8 sizes take .* and \d+\.\d s\.$")
        self.assertIn("a line through the first two", done.stdout)
        note = self.result()["notes"][0]["text"]
        self.assertNotIn("--launches", note)  # a bill has no such option
        self.assertIn(note, self.run_graphbench("show", "graphbench.json").stdout)
        series = (self.folder / "bill.prom").read_text(encoding="utf-8")
        self.assertRegex(series, r'graphbench_bill_bytes\{workload="mlp",.*how="measured",of="pool"\} \d')
        self.assertRegex(series, r'graphbench_bill_reserve_bytes\{.*mode="both",.*\} \d')
        self.assertRegex(series, r'graphbench_bill_error_ratio\{.*by="line"\}')

    def test_a_foreign_step_reports_what_it_keeps_and_takes(self):
        self.run_graphbench("bill", "--device", "host", "--plugin", self.plugin("foreign_step"), "--workload",
                            "foreign_step", "--capture-sizes", "1,2,4", code=0)
        (bill,) = self.result()["bills"]
        sizes = {size["size"]: size for size in bill["prediction"]["sizes"]}
        kept = {size: (4 * 64 * size + 2) * 4 for size in (2, 1)}
        self.assertEqual(kept, {size: sizes[size]["pool_bytes"] for size in kept})
        self.assertEqual([20000, 0, 0], [size["leftover_bytes"] for size in sizes.values()])
        self.assertEqual([20, 0, 0], [size["pool_bytes"] - size["tensor_bytes"] - size["leftover_bytes"]
                                      for size in sizes.values()])
        self.assertEqual([400_000, 200_000, 100_000], [size["transient_bytes"] for size in sizes.values()])

    def test_what_more_captures_do_not_narrow_ends_them(self):
        self.run_graphbench("bill", "--device", "host", "--plugin", self.plugin("foreign_step"), "--workload",
                            "foreign_step", "--capture-sizes", "1:12:+1", code=0)
        (bill,) = self.result()["bills"]
        told = bill["prediction"]
        self.assertEqual(9, told["captures"], "leftovers are as uncertain after 9 captures as after 5")
        self.assertAlmostEqual(20020 + sum((4 * 64 * size + 2) * 4 for size in range(1, 13)),
                               told["bytes"]["expected"])

    def test_no_more_is_captured_than_the_interval_needs(self):
        (bill,), done = self.bill(*SIZES)
        self.assertEqual(3, bill["prediction"]["captures"])
        self.assertNotIn("measured", bill)
        self.assertEqual([False, True], sorted({size["captured"] for size in bill["prediction"]["sizes"]}))
        self.assertIn("3 of 8 sizes", done.stderr)

    def test_one_size_and_shared_execs(self):
        bills, _ = self.bill("--capture-sizes", "4", "--exec", "own,shared")
        self.assertEqual(["own", "shared"], [bill["exec"] for bill in bills])
        self.assertEqual(2, len({bill["id"] for bill in bills}))
        bills, _ = self.bill(*SIZES, "--exec", "shared", "--capture-streams", "one,each")
        self.assertEqual(2, len(bills))
        for bill in bills:
            self.assertEqual(1, sum(size["one_exec_bytes"] is None for size in bill["prediction"]["sizes"]
                                    if size["captured"]))

    def test_a_traffic_says_what_fewer_sizes_save(self):
        (bill,), done = self.bill(*SIZES, "--traffic", "uniform:1:64")
        self.assertLessEqual(len(bill["trade"]["sizes"]), 4)
        self.assertIn(64, bill["trade"]["sizes"])
        self.assertRegex(done.stdout,
                         r"of these sizes, steps of this traffic would take .* % longer; that saves")

    def test_the_reserve_suffices_and_a_tenth_less_does_not(self):
        (bill,), done = self.bill(*SIZES, "--verify", "2",
                                  env=self.environment(GRAPHBENCH_HOST_MEMORY_BYTES="500000000"))
        enough, short = bill["verified"]
        self.assertEqual((2, 0, 0), (enough["runs"], enough["failed"], enough["failed_at"]))
        self.assertEqual((2, 2, 48), (short["runs"], short["failed"], short["failed_at"]))
        self.assertIn("bytes on host", short["message"])
        self.assertIn("2 of 2 runs failed, at size 48", done.stdout)

    def test_a_pool_comes_back_when_it_is_emptied_and_captures_repeat(self):
        (bill,), done = self.bill("--capture-sizes", "8,64", "--mode", "both", "--exec", "shared",
                                  "--capture-streams", "each", "--cycles", "3")
        slept = bill["sleep"]
        self.assertEqual(3, len(slept["cycles"]))
        for cycle in slept["cycles"]:
            pool = cycle["took"]["pool_bytes"]
            self.assertGreater(pool, 0)
            self.assertEqual([0, pool, 0],
                             [cycle[when]["pool_bytes"] for when in ("destroyed", "emptied", "kept")])
            self.assertNotIn("driver_bytes", cycle["kept"], "the host has no driver that reports it")
            self.assertGreater(cycle["destroy_seconds"], 0)
        self.assertEqual([0, 0], [cycle["kept"]["workspace_bytes"] for cycle in slept["cycles"][1:]])
        self.assertEqual({"checked": 4, "identical": True, "differ_at": 0}, slept["outputs"])
        again = sorted(self.total(each) for each in (
            slept["again"], *(cycle["setup"] for cycle in slept["cycles"][1:])))
        self.assertAlmostEqual(again[1], slept["again_seconds"])
        self.assertIn("come back with the graphs", bill["sentence"])
        self.assertIn("\nsleep of ", done.stdout)

    def test_a_foreign_step_drops_its_graphs_and_its_pool(self):
        step = ["bill", "--device", "host", "--plugin", self.plugin("foreign_step"), "--workload",
                "foreign_step", "--cycles", "2"]
        for mode in ("whole", "piecewise"):
            self.run_graphbench(*step, "--capture-sizes", "1,2", "--mode", mode, code=0)
            document = self.result()
            self.assert_valid_bill(document)
            self.assertEqual([[20, 0, 20, 0]] * 2, [
                [cycle[when]["pool_bytes"] for when in ("took", "destroyed", "emptied", "kept")]
                for cycle in document["bills"][0]["sleep"]["cycles"]])
        done = self.run_graphbench(*step, "--capture-sizes", "2,17", code=3)
        (bill,) = self.result()["bills"]
        outputs = bill["sleep"]["outputs"]
        self.assertEqual((2, False, 17), (outputs["checked"], outputs["identical"], outputs["differ_at"]))
        self.assertIn("outputs at size 17 differ from eager's", bill["sentence"])
        self.assertIn("after 2 cycles of graphs, size 17: check: output y differs", done.stderr)

    def test_a_step_that_keeps_its_graphs_has_no_cycles(self):
        done = self.run_graphbench("bill", "--device", "host", "--plugin", self.plugin("rank_step"),
                                   "--workload", "rank_step", "--capture-sizes", "1,2", "--cycles", "1",
                                   code=3)
        self.assertIn("cannot give up its graphs: it has no gb_step.drop\n", done.stderr)
        document = self.result()
        self.assert_valid_bill(document)
        (bill,) = document["bills"]  # what was predicted before the cycles stays
        self.assertEqual(("skipped", 2), (bill["status"], len(bill["prediction"]["sizes"])))
        self.assertTrue(bill["memory"] and bill["launches"] and bill["sentence"])
        for shown in (done.stdout, self.run_graphbench("show", "graphbench.json", code=(0, 3)).stdout):
            self.assertIn(bill["sentence"].split(".")[0], shown)
            self.assertIn("it has no gb_step.drop", shown)

    def test_an_interrupted_bill_keeps_what_it_measured(self):
        process = self.start(*TINY, *SIZES, "--mode", "whole,piecewise", "--verify", "10000",
                             env=self.environment(GRAPHBENCH_HOST_MEMORY_BYTES="500000000"))
        runs = 0
        while runs < 4:  # the first fills the cache, the second verifies
            runs += "8 of 8 sizes" in process.stderr.readline()
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
        self.assertEqual(130, process.returncode, err)
        self.assertIn("the measurements are kept", err)
        document = self.result()
        self.assert_valid_bill(document)
        self.assertFalse(document["complete"])
        (bill,) = document["bills"]
        self.assertEqual(8, len(bill["prediction"]["sizes"]))
        self.assertGreaterEqual(bill["verified"][0]["runs"], 1)
        self.assertIn(bill["sentence"], out)

    def test_a_bill_is_shown_again(self):
        bills, done = self.bill(*SIZES)
        shown = self.run_graphbench("show", "graphbench.json", code=0).stdout
        self.assertIn(bills[0]["sentence"], shown)
        self.assertNotIn("cells", shown)
        self.assertNotIn("gain:", shown)
        for line in done.stdout.splitlines():
            self.assertIn(line, shown)
        sheet = self.run_graphbench("show", "graphbench.json", "--format", "csv", code=0).stdout
        self.assertIn(f"\nsizes of {bills[0]['id']},", sheet)
        refused = self.run_graphbench("show", "graphbench.json", "--columns", "latency", code=2)
        self.assertIn('--columns: the option would change nothing: "graphbench.json" has no cells',
                      refused.stderr)

    def test_two_bills_are_compared_and_reported(self):
        self.run_graphbench(*TINY, *SIZES, "--json", "base.json", code=0)
        self.run_graphbench(*TINY, *SIZES, "--json", "new.json", code=0)
        done = self.run_graphbench("compare", "base.json", "new.json", "--format", "json")
        compared = json.loads(done.stdout)
        self.assertTrue(compared["comparable"])
        (cell,) = compared["cells"]
        self.assertIn("/bill-", cell["id"])
        self.assertIn("setup", [metric["metric"] for metric in cell["metrics"]])

    def test_what_cannot_be_captured_is_said(self):
        (bill,), done = self.bill("--capture-sizes", "1,2,4096", code=3,
                                  env=self.environment(GRAPHBENCH_HOST_MEMORY_BYTES="3000000"))
        self.assertEqual(("failed", "out_of_memory"), (bill["status"], bill["reason"]["code"]))
        self.assertIsNone(bill["prediction"])
        self.assertIn("out_of_memory", done.stdout)

    def test_a_mode_that_captures_nothing_is_no_success(self):
        done = self.run_graphbench("bill", "--device", "host", "--plugin", self.plugin("host_op"), "--mode",
                                   "whole", "--capture-sizes", "1,2,4", code=3)
        (bill,) = self.result()["bills"]
        self.assertEqual(("skipped", None), (bill["status"], bill["prediction"]))
        self.assertIn(f"bill {bill['id']} skipped: ", done.stderr)

    def test_options_that_are_wrong_are_refused(self):
        for arguments, words in (
                (["--mode", "eager"], ["--mode", "captures no graph"]),
                (["--confidence", "1"], ["--confidence", "50% to 99.99%"]),
                (["--confidence", "100%"], ["--confidence", "50% to 99.99%"]),
                (["--predict-from", "2"], ["--predict-from", "3"]),
                (["--measure", "some"], ["--measure", "needed"]),
                (["--exec", "mine"], ["--exec", "own"]),
                (["--capture-sizes", "0"], ["--capture-sizes"]),
                (["--cycles", "often"], ["--cycles", "number of cycles"]),
                (["--verify", "1"], ["--verify", "GRAPHBENCH_HOST_MEMORY_BYTES"])):
            with self.subTest(arguments):
                self.assert_refused(self.run_graphbench(*TINY, *arguments), *words)


if __name__ == "__main__":
    unittest.main()
