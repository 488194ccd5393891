#!/usr/bin/env python3
"""graphbench fleet: replicas of one sweep with planted factors, and every folder that it refuses."""

import copy
import json
import math
import os
import random
import unittest

from harness_case import HarnessCase

TINY = ["--sweep", "--device", "host", "--workload", "mlp", "--batch", "1,2", "--warmup", "0,1", "--mode",
        "eager,whole", "--time-per-cell", "0.001", "--samples-max", "5", "--quiet",
        "--json", "single.json"]


def scaled(summary, factor):
    for key, value in (summary or {}).items():
        if key != "count" and value is not None:
            summary[key] = [each * factor for each in value] if isinstance(value, list) else value * factor


class Fleet(HarnessCase):
    single = None  # one sweep, which all replicas are made of

    def setUp(self):
        super().setUp()
        if Fleet.single is None:
            self.run_graphbench(*TINY, code=0)
            Fleet.single = self.result("single.json")
        (self.folder / "fleet").mkdir()
        self.random = random.Random(1)

    def replica(self, gpu, node, device=1.0, submit=1.0, **changes):
        made = copy.deepcopy(self.single)
        made["environment"]["hostname"] = node
        made["environment"]["device"].update(kind="cuda", uuid=gpu)
        made.update(changes)
        for cell in made["cells"]:
            for launch in cell["launches"]:
                # The host's device time is nearly its submit's: a GPU's is not.
                scaled(launch["device_seconds"], 10 * device * math.exp(self.random.gauss(0, 0.003)))
                scaled(launch["submit_seconds"], submit * math.exp(self.random.gauss(0, 0.003)))
        return made

    def keep(self, name, document):
        self.write(f"fleet/{name}.json", json.dumps(document))

    def fill(self, slow_gpu=None, slow_node=None):
        for index in range(12):
            node = f"node{index // 3}"
            device = math.exp(self.random.gauss(0, 0.01)) * (1.6 if index == slow_gpu else 1)
            self.keep(f"r{index:02}",
                      self.replica(f"GPU-{index:02}", node, device, 9 if node == slow_node else 1))

    def refuse(self, *words, arguments=("fleet",), folder="fleet"):
        self.assert_refused(self.run_graphbench(*arguments, folder, "--json", "found.json"), *words)
        self.assertFalse((self.folder / "found.json").exists())

    def test_a_fleet_of_like_gpus_has_no_outlier(self):
        self.fill()
        done = self.run_graphbench("fleet", "fleet", "--json", "found.json", code=0)
        self.assertIn("no GPU and no node is slower than the others", done.stdout)
        self.assertIn("is found in nine cases of ten", done.stdout)
        found = self.result("found.json")
        self.assert_valid(found, "fleet.schema.json")
        self.assertEqual((12, 4, 12), (len(found["gpus"]), len(found["nodes"]), found["documents"]))
        self.assertEqual({cell["id"] for cell in self.single["cells"]},
                         {cell["id"] for cell in found["cells"]})

    def test_a_slow_gpu_and_a_slow_node_are_told_apart(self):
        self.fill(slow_gpu=4, slow_node="node2")
        done = self.run_graphbench("fleet", "fleet", "--json", "fleet/found.json",
                                   "--prometheus-textfile", "found.prom", code=10)
        self.assertIn("GPU GPU-04 on node1", done.stdout)
        self.assertIn("node node2: slow to submit", done.stdout)
        found = self.result("fleet/found.json")
        self.assert_valid(found, "fleet.schema.json")
        self.assertEqual(["GPU-04"], [gpu["uuid"] for gpu in found["gpus"] if gpu["outlier"]])
        self.assertEqual(["node2"], [node["hostname"] for node in found["nodes"] if node["outlier"]])
        self.assertAlmostEqual(1.6, found["gpus"][0]["factor"], delta=0.1)
        metrics = (self.folder / "found.prom").read_text(encoding="utf-8")
        self.assertIn('graphbench_fleet_device_outlier{uuid="GPU-04",node="node1"} 1\n', metrics)
        self.assertIn('graphbench_fleet_submit_outlier{node="node2"} 1\n', metrics)
        # What it wrote into the folder is not read again.
        done = self.run_graphbench("fleet", "fleet", "--json", "fleet/found.json", code=10)
        self.assertEqual(found, self.result("fleet/found.json"))
        done = self.run_graphbench("fleet", *sorted(map(str, (self.folder / "fleet").glob("r*.json"))),
                                   "--json", "-", code=10)
        self.assertEqual(found["gpus"][0]["factor"], json.loads(done.stdout)["gpus"][0]["factor"])

    def test_several_documents_of_a_gpu_show_its_drift(self):
        self.fill()
        self.keep("later", self.replica("GPU-03", "node1", 1.04, started_at="2099-01-01T00:00:00Z"))
        self.run_graphbench("fleet", "fleet", "--json", "found.json", code=0)
        gpus = {gpu["uuid"]: gpu for gpu in self.result("found.json")["gpus"]}
        self.assertEqual(2, len(gpus["GPU-03"]["documents"]))
        self.assertTrue(gpus["GPU-03"]["documents"][1]["source"].endswith("later.json"))
        factors = [document["device_factor"] for document in gpus["GPU-03"]["documents"]]
        self.assertAlmostEqual(factors[1] / factors[0], gpus["GPU-03"]["drift"])
        self.assertIsNone(gpus["GPU-04"]["drift"])

    def test_cells_of_another_gpu_do_not_count(self):
        self.fill()
        other = self.replica("GPU-20", "node9", 2)
        for cell in other["cells"][1:]:
            cell["measured_on"] = {"hostname": "node8", "uuid": "GPU-21"}
        for launch in other["cells"][0]["launches"]:
            scaled(launch["device_seconds"], 0.5)
        self.keep("resumed", other)
        self.run_graphbench("fleet", "fleet", code=0)

    def test_what_does_not_belong_together_is_refused(self):
        self.fill()
        changes = {
            "plan": lambda made: made["plan"].update(hash="0" * 64),
            "method": lambda made: made["plan"].update(method=9),
            "device.name": lambda made: made["environment"]["device"].update(name="another GPU"),
            "it has no device.uuid": lambda made: made["environment"]["device"].update(uuid=None),
            "merge task shards first": lambda made: made["cells"].pop(),
            "is not in": lambda made: made["cells"][0].update(id="mlp/tiny/fp32/forward/b9/w0/eager"),
            "several devices": lambda made: made.update(shards=[]),
            "no cell that was measured": lambda made: [
                cell.update(status="skipped", launches=[], reason={"code": "interrupted", "message": ""})
                for cell in made["cells"]],
        }
        for words, change in changes.items():
            with self.subTest(words):
                made = self.replica("GPU-13", "node9")
                change(made)
                self.keep("x", made)
                self.refuse("x.json", words)
        made = self.replica("GPU-13", "node9")
        changes["device.name"](made)
        self.keep("x", made)
        self.run_graphbench("fleet", "fleet", "--allow", "device", code=0)

    def test_damaged_and_doubled_documents_are_refused(self):
        self.fill()
        text = (self.folder / "fleet/r03.json").read_text(encoding="utf-8")
        self.write("fleet/x.json", text[:len(text) // 2])
        self.refuse("x.json", "JSON")
        self.write("fleet/w.json", text[:len(text) // 2])  # of two the first is named
        self.refuse("w.json", "JSON")
        os.remove(self.folder / "fleet/w.json")
        self.write("fleet/x.json", text.replace("GPU-03", "GPU-99"))
        self.refuse("x.json", "it holds the same launches as", "r03.json")
        os.remove(self.folder / "fleet/x.json")
        os.link(self.folder / "fleet/r03.json", self.folder / "fleet/x.json")
        self.refuse("x.json", "it is the same file as", "r03.json")
        (self.folder / "empty").mkdir()
        self.refuse("empty", "folder without documents", folder="empty")
        self.refuse("nowhere", folder="nowhere")
        self.assert_refused(self.run_graphbench("fleet"), "FOLDER is missing")
        self.assert_refused(self.run_graphbench("fleet", "fleet", "--alpha", "2"), "--alpha")


if __name__ == "__main__":
    unittest.main()
