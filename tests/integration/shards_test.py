"""Sweeps in pieces: shards and their merge, a journal that outlives kill -9, several devices."""

import collections
import hashlib
import json
import os
import pathlib
import random
import re
import shutil
import signal
import time
import unittest

from client import wait_for
from harness_case import HarnessCase

SMALL = ["--sweep", "--device", "host", "--workload", "mlp,conv", "--batch", "1,2", "--warmup", "0,1",
         "--mode", "eager,whole", "--time-per-cell", "0.001", "--samples-max", "5", "--quiet"]
SCHEDULERS = ("SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_MIN", "SLURM_ARRAY_TASK_MAX", "SLURM_ARRAY_TASK_COUNT",
              "SLURM_STEP_ID", "SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "JOB_COMPLETION_INDEX", "PMI_RANK",
              "PMI_SIZE", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "GRAPHBENCH_SHARDS")


class ShardsCase(HarnessCase):
    def environment(self, **extra):
        environment = super().environment()
        for name in SCHEDULERS:
            environment.pop(name, None)
        return {**environment, **extra}

    def shard(self, index, count, *more, **options):
        options.setdefault("code", 0)
        return self.run_graphbench(*SMALL, "--shard", f"{index}/{count}", *more, **options)

    def records(self, name):
        """Of a document's journal; none where there is none."""
        try:
            text = (self.folder / f"{name}.partial").read_text(encoding="utf-8")
        except FileNotFoundError:
            return []
        return [json.loads(line[17:]) for line in text.splitlines(keepends=True) if line.endswith("\n")]

    def writer(self, name):
        """The process that writes it, or wrote it last."""
        return [each["content"]["pid"] for each in self.records(name) if each["event"] == "writer"][-1]

    def finished(self, name="graphbench.json"):
        """What the journal holds of each finished task, as it holds it."""
        found = {}
        for each in self.records(name):
            if each["event"] == "task":
                self.assertNotIn(each["content"]["id"], found, "it was measured twice")
                found[each["content"]["id"]] = each["content"]["events"]
        return found

    def assert_there_once(self, tasks, name="graphbench.json"):
        launches = [(cell["id"], launch["latency_seconds"]) for cell in self.result(name)["cells"]
                    for launch in cell["launches"]]
        events = (json.loads(text) for events in tasks.values() for text in events)
        cells = [event["cell"] for event in events if "cell" in event]
        self.assertTrue(cells, "there is nothing to compare")
        for cell in cells:
            self.assertEqual(1, launches.count((cell["id"], cell["launches"][0]["latency_seconds"])),
                             "it is in the document once, as it was measured")

    def write_changed(self, name, of, change):
        """A document as `change` makes it of another one, without summaries, which it would contradict."""
        document = self.result(of)
        for cell in document["cells"]:
            cell["summary"] = {}
        change(document)
        self.write(name, json.dumps(document))
        return name

    def assert_undivided(self, merged, single):
        """It has the cells of a sweep that is not divided, in their order, all complete."""
        self.assert_valid(merged, "result.schema.json")
        self.assertEqual([cell["id"] for cell in single["cells"]], [cell["id"] for cell in merged["cells"]])
        self.assertEqual(single["plan"]["hash"], merged["plan"]["hash"])
        self.assertTrue(merged["complete"])
        self.assertEqual(self.costs(single), self.costs(merged), "it concludes from the cells of all shards")

    def costs(self, document):
        """How many sizes of which subject were captured, by its conclusions."""
        return [(each["subject"], each["figures"]["whole_sizes"]) for each in document["conclusions"]
                if each["code"] == "cost"]

    def refuse(self, arguments, *words):
        before = sorted(path.name for path in self.folder.iterdir())
        self.assert_refused(self.run_graphbench(*arguments), *words)
        self.assertEqual(before, sorted(path.name for path in self.folder.iterdir()))


class Shards(ShardsCase):
    def test_divide_and_merge_a_plan_of_several_grids(self):
        grid = ["--grid", "batch=2 warmup=0,3 mode=whole prepare=first-use"]
        self.run_graphbench(*SMALL, *grid, code=0)
        single = self.result()
        ids = [cell["id"] for cell in single["cells"]]
        self.assertEqual([f"{workload}/tiny/fp32/forward/b2/w{warmup}/whole/prepare=first-use"
                          for workload in ("mlp", "conv") for warmup in (0, 3)], ids[16:])
        for index in (1, 2):
            self.shard(index, 2, *grid)
        parts = [f"graphbench.{index}-of-2.json" for index in (1, 2)]
        self.run_graphbench("merge", *parts, "-o", "merged.json", code=0)
        self.assert_undivided(self.result("merged.json"), single)

    def test_without_an_axis_every_batch_and_warmups_are_asked_for(self):
        self.run_graphbench("--sweep", "--device", "host", "--workload", "mlp", "--time-per-cell", "0.001",
                            "--samples-max", "5", "--quiet", one_launch=False, code=0)
        result = self.result()
        self.assert_valid(result, "result.schema.json")
        self.assertEqual((3, 12 + 4), (result["plan"]["launches"], len(result["cells"])))
        self.assertEqual([[3], [0, 1, 3, 10]], [result["plan"]["axes"]["warmup"],
                                                result["plan"]["more_grids"][0]["warmup"]])

    def test_shards_together_are_the_single_sweep(self):
        self.run_graphbench(*SMALL, "--launches", "2", code=0)
        single = self.result()
        for index in (1, 2, 3):
            self.shard(index, 3, "--launches", "2", "--costs", "graphbench.json")
            part = self.result(f"graphbench.{index}-of-3.json")
            self.assert_valid(part, "result.schema.json")
            self.assertEqual((index, 3, "task"), tuple(part["plan"]["shard"][key]
                                                       for key in ("index", "count", "by")))
            for cell in part["cells"]:
                self.assertIsNotNone(cell["summary"]["speedup_over_eager"], "speedups cross no shard")
                for launch in cell["launches"]:
                    self.assertGreater(launch["worker_seconds"], 0)
        parts = [f"graphbench.{index}-of-3.json" for index in (3, 1, 2)]
        self.run_graphbench("merge", *parts, "-o", "merged.json", code=0)
        merged = self.result("merged.json")
        self.assert_undivided(merged, single)
        self.assertNotIn("shard", merged["plan"])
        self.assertEqual(self.result("graphbench.1-of-3.json")["plan"]["argv"], merged["plan"]["argv"])
        self.assertEqual([1, 2, 3], [shard["index"] for shard in merged["shards"]])
        by_shard = {(cell["id"], index): cell for index in (1, 2, 3)
                    for cell in self.result(f"graphbench.{index}-of-3.json")["cells"]}
        for cell in merged["cells"]:
            self.assertEqual({**by_shard[cell["id"], cell["shard"]], "shard": cell["shard"]}, cell)
        self.run_graphbench("compare", "merged.json", "graphbench.json", code=(0, 10, 11))
        (self.folder / "all").mkdir()
        for part in parts:
            shutil.move(self.folder / part, self.folder / "all" / part)
        for _ in range(2):  # the document of the first merge is in the folder
            self.run_graphbench("merge", "all", "-o", "all/merged.json", code=0)
            self.assertEqual(merged, self.result("all/merged.json"))

    def test_what_is_missing_is_listed(self):
        self.shard(1, 3)
        self.shard(2, 3)
        parts = ["graphbench.1-of-3.json", "graphbench.2-of-3.json"]
        done = self.run_graphbench("merge", *parts, "-o", "merged.json", code=3)
        self.assertIn("shard 3 of 3 is missing", done.stderr)
        self.assertIn("is missing\n", done.stderr)
        self.assertFalse((self.folder / "merged.json").exists())
        self.run_graphbench("merge", *parts, "-o", "merged.json", "--partial", code=0)
        merged = self.result("merged.json")
        self.assert_valid(merged, "result.schema.json")
        self.assertFalse(merged["complete"])

        def cell_0(**changes):
            return lambda document: document["cells"][0].update(launches=[], **changes)

        first = self.result(parts[0])["cells"][0]["id"]
        cut = cell_0(status="skipped", reason={"code": "interrupted", "message": "it was"})
        for change, more, words in (
                (lambda document: document.update(complete=False) or cut(document), [parts[1]],
                 first + " was measured only in part"),
                (lambda document: document.update(complete=False) or document["plan"].update(launches=2), [],
                 " was measured only in part"),
                (cell_0(status="failed", reason={"code": "crashed", "message": "it did"}),
                 [parts[1], "--partial"], f"1 of {len(merged['cells'])} cells failed")):
            changed = self.write_changed("changed.json", parts[0], change)
            done = self.run_graphbench("merge", changed, *more, "-o", "merged.json", code=3)
            self.assertIn(words, done.stderr)

    def test_what_does_not_belong_together_is_refused(self):
        self.shard(1, 2)
        self.shard(2, 2)
        one, two = "graphbench.1-of-2.json", "graphbench.2-of-2.json"
        first = {**self.result(one)["cells"][0], "summary": {}}
        self.write("half.json", (self.folder / two).read_text(encoding="utf-8")[:-500])
        (self.folder / "empty").mkdir()
        for name, change in (
                ("device", lambda document: document["environment"]["device"].update(name="another CPU")),
                ("foreign", lambda document: document["plan"]["shard"].update(assignment="0" * 64)),
                ("stray", lambda document: document["cells"].append(first)),
                ("renamed", lambda document: document["cells"][0].update(
                    {key: document["cells"][0][key] + "s" for key in ("id", "mode")})),
                ("single", lambda document: document["plan"].pop("shard")),
                ("plan", lambda document: document["plan"].update(hash="0" * 64)),
                ("replica", lambda document: document["plan"]["shard"].update(by="replica"))):
            self.write_changed(name + ".json", two, change)
        for inputs, words in (([one, one], ("this is shard 1 of 2, as",)),
                              ([one, "half.json"], ("half.json", "JSON")),
                              ([one, "device.json"], ("device.name", "--allow")),
                              (["empty"], ("has no documents",)),
                              ([one, "foreign.json"], ("foreign.json", "assigned to shards differently")),
                              ([one, "plan.json"], ("the plan differs",)),
                              (["single.json"], ("not a shard",)),
                              (["replica.json"], ("replica",)), ([one, "stray.json"], ("is in", "too")),
                              ([one, "renamed.json"], ("is not in the file's plan",)),
                              (["none.json"], ("none.json",))):
            with self.subTest(inputs=inputs):
                self.refuse(["merge", *inputs, "-o", "merged.json"], *words)
        self.refuse(["merge", one, two, "-o", one], "one of the shards")
        # A merge counts up to these numbers, so a file that was changed must not decide how far.
        for name, change, words in (
                ("many", {"count": 2 ** 62}, "shard 1 of 4611686018427387904 is not one of 1 to 100000"),
                ("minus", {"count": -1, "index": -7}, "shard -7 of -1 is not one of"),
                ("none", {"count": 0, "index": 0}, "shard 0 of 0 is not one of"),
                ("beyond", {"index": 3}, "shard 3 of 2 is not one of")):
            self.write_changed(name + ".json", one, lambda document: document["plan"]["shard"].update(change))
            self.refuse(["merge", name + ".json", "-o", "merged.json", "--partial"],
                        name + ".json: plan.shard: ", words)
        for key, change, words in (
                ("axes", {"batch": list(range(1, 3001)), "warmup": list(range(3000))},
                 "multiply to 36000000"),
                ("launches", 10 ** 9, "multiply to 16000000000"), ("launches", 0, "0 is not 1 or more")):
            def far(document):
                plan = document["plan"]
                plan[key] = {**plan["axes"], **change} if key == "axes" else change
                document["complete"] = False
            self.write_changed("far.json", one, far)
            self.refuse(["merge", "far.json", "-o", "merged.json", "--partial"], "far.json: plan.", words)
        self.refuse(["merge", one, two], "-o")
        self.run_graphbench("merge", one, "device.json", "-o", "merged.json", "--allow", "device", code=0)
        self.run_graphbench("merge", one, two, "-o", "same.json", code=0)
        done = self.run_graphbench("compare", "same.json", "merged.json", code=12)
        self.assertRegex(done.stdout, "device.name: (.*) -> (\\1[+]another CPU|another CPU[+]\\1) ")

    def test_a_scheduler_says_which_shard_it_is(self):
        environment = self.environment(SLURM_ARRAY_TASK_ID="2", SLURM_ARRAY_TASK_MIN="1",
                                       SLURM_ARRAY_TASK_MAX="3", SLURM_ARRAY_TASK_COUNT="3")
        arguments = [each for each in SMALL if each != "--quiet"]
        done = self.run_graphbench(*arguments, "--shard", "auto", env=environment, code=0)
        self.assertIn("shard 2 of 3 (SLURM_ARRAY_TASK_ID=2)", done.stderr)
        self.assertIn("balanced by an estimate", done.stderr)
        self.assertEqual(2, self.result("graphbench.2-of-3.json")["plan"]["shard"]["index"])

    def test_wrong_shards(self):
        self.refuse(["--sweep", "--shard", "auto"], "--shard: auto: no scheduler sets", "give I/N")
        self.refuse([*SMALL, "--shard", "1/5"], "--shard: ", "4 groups")
        self.refuse(["--sweep", "--costs", "x.json"], "--costs: ", "--shard")
        self.refuse([*SMALL, "--shard", "1/2", "--costs", "x.json"], "x.json")
        self.refuse(["bench", "--shard", "1/2"], "--shard: the option belongs to --sweep")


class Journal(ShardsCase):
    def test_kills_at_random_moments_lose_nothing_that_is_finished(self):
        arguments = [*SMALL, "--launches", "2"]
        generator = random.Random(os.environ.get("GRAPHBENCH_TEST_SEED", "1"))
        before = {}
        kills = int(os.environ.get("GRAPHBENCH_TEST_KILLS", "5"))
        for turn in range(kills):
            process = self.start(*arguments)
            if (kills - turn) % 2:  # also the last: there is something to compare however fast the machine is
                wait_for("a task", self.finished)
            else:
                time.sleep(generator.uniform(0.05, 4))
            self.end(process, signal.SIGKILL)
            now = self.finished()
            if (self.folder / "graphbench.json").exists() and not now:  # it was done before the kill
                (self.folder / "graphbench.json").unlink()
                before = {}
                continue
            for task, events in before.items():
                self.assertEqual(events, now.get(task), "what was finished is kept as it was")
            before = now
        self.run_graphbench(*arguments, code=0)
        result = self.result()
        self.assert_valid(result, "result.schema.json")
        self.assertEqual((True, 16), (result["complete"], len(result["cells"])))
        self.assertFalse((self.folder / "graphbench.json.partial").exists())
        self.assertEqual(32, len({(cell["id"], launch["index"]) for cell in result["cells"]
                                  for launch in cell["launches"]}))
        self.assert_there_once(before)

    def interrupt_after_a_task(self, arguments):
        process = self.start(*arguments)
        wait_for("a task", self.finished)
        return process

    def test_a_second_writer_and_another_plan_are_refused(self):
        process = self.interrupt_after_a_task([*SMALL, "--launches", "3"])
        refused = self.run_graphbench(*SMALL, "--launches", "3", code=2)
        self.assertIn(f"is being written by process {process.pid} on {os.uname().nodename}", refused.stderr)
        self.assertEqual(130, self.end(process).returncode)
        partial = self.folder / "graphbench.json.partial"
        kept, document = partial.read_bytes(), (self.folder / "graphbench.json").read_bytes()
        for other in (["--launches", "2"], ["--launches", "3", "--seed", "2"],
                      ["--launches", "3", "--profile"]):
            self.assertIn("belongs to another plan", self.run_graphbench(*SMALL, *other, code=2).stderr)
        lines = kept.splitlines(keepends=True)
        partial.write_bytes(lines[0] + lines[1].replace(b"cell", b"call") + b"".join(lines[1:]))
        damaged = partial.read_bytes()
        self.assertIn("is damaged in line 2", self.run_graphbench(*SMALL, "--launches", "3", code=2).stderr)
        self.assertEqual(damaged, partial.read_bytes())
        self.assertEqual(document, (self.folder / "graphbench.json").read_bytes())
        partial.write_bytes(kept[:-20])
        done = self.run_graphbench(*SMALL, "--launches", "3", code=0)
        self.assertIn("the last line", done.stderr)
        self.assertTrue(self.result()["complete"])

    def test_a_journal_of_what_no_worker_wrote_is_refused(self):
        self.end(self.interrupt_after_a_task([*SMALL, "--launches", "3"]))
        partial = self.folder / "graphbench.json.partial"
        (self.folder / "graphbench.json").unlink()
        kept = partial.read_text(encoding="utf-8")
        record = kept.splitlines()[1].split(" ", 1)[1]
        forged = json.loads(record)
        forged["content"]["events"][-1] = "{}"
        record = json.dumps(forged)
        digest = hashlib.sha256(record.encode()).hexdigest()[:16]
        partial.write_text(kept.splitlines()[0] + f"\n{digest} {record}\n", encoding="utf-8")
        self.assert_refused(self.run_graphbench(*SMALL, "--launches", "3"), "--json: ", partial.name,
                            "give another --json")

    def test_a_plugin_that_was_built_again_is_another(self):
        plugin = self.folder / "mine.so"
        shutil.copy(self.plugin("good_op"), plugin)
        arguments = ["--sweep", "--device", "host", "--workload", "good_op", "--plugin", plugin,
                     "--batch", "1,2", "--warmup", "0:20:+1", "--time-per-cell", "0.001", "--quiet"]
        self.end(self.interrupt_after_a_task(arguments), signal.SIGKILL)
        with plugin.open("ab") as file:
            file.write(b"\0")
        self.assertIn("belongs to another plugins", self.run_graphbench(*arguments, code=2).stderr)

    def test_a_document_that_is_no_file_has_no_journal(self):
        self.run_graphbench(*SMALL, "--json", "-", code=0)
        self.run_graphbench(*SMALL, "--json", "/dev/null", code=0)
        self.assertEqual([], list(self.folder.iterdir()))
        self.assertFalse(pathlib.Path("/dev/null.partial").exists())


@unittest.skipIf(len(os.sched_getaffinity(0)) < 2, "needs two CPUs for two host devices")
class Devices(ShardsCase):
    ONE = ["--sweep", "--workload", "mlp", "--batch", "1", "--warmup", "0", "--mode", "eager",
           "--time-per-cell", "0.001", "--quiet"]

    def environment(self, **extra):
        return super().environment(GRAPHBENCH_HOST_DEVICES="2", **extra)

    def check(self, *arguments, concurrent=None):
        done = self.run_graphbench(*self.ONE, *arguments, "--json", "r-{device}.json", code=0, pins=True)
        cpus = []
        for index in (0, 1):
            result = self.result(f"r-host-{index}.json")
            self.assert_valid(result, "result.schema.json")
            self.assertEqual(f"host:{index}", result["environment"]["device"]["uuid"])
            self.assertEqual(concurrent, result["plan"].get("concurrent"))
            cpus.append(set(result["environment"]["machine"]["submitter"]["cpus"]))
        self.assertFalse(cpus[0] & cpus[1], "they share no CPU")
        return done

    def test_devices_have_a_document_each(self):
        self.check("--device", "host:0,host:1")
        self.check("--device", "all")

    def test_together_they_say_so(self):
        done = self.check("--device", "host:0,host:1", "--concurrent", concurrent="host:0, host:1")
        self.assertIn("they share CPU, power and bus", done.stderr)
        lines = done.stdout.splitlines()
        for index in (0, 1):  # what is concluded stands behind its own device
            place = lines.index(f"host:{index}: r-host-{index}.json")
            self.assertTrue(lines[place + 1].startswith("mlp: "), done.stdout)
        alone = self.run_graphbench(*self.ONE, "--device", "host:0", "--json", "alone.json", code=0)
        done = self.run_graphbench("compare", "alone.json", "r-host-0.json", code=12)
        self.assertIn("plan.concurrent", done.stdout, alone.stderr)

    def test_a_device_that_is_not_there_costs_no_other(self):
        done = self.run_graphbench(*self.ONE, "--device", "host:7,host:1", "--json", "r-{device}.json",
                                   code=1)
        self.assertIn("host:7", done.stderr)
        self.assertEqual(["r-host-1.json"], [path.name for path in self.folder.iterdir()])

    def test_another_device_of_the_kind_goes_on_with_whole_groups(self):
        def on(device):
            return [device if word == "host" else word for word in [*SMALL, "--launches", "2"]]

        def group_of(name):  # of a cell or a task
            return re.sub("/b[0-9]+|/[a-z]+( launch .*)?$", "", name)

        def whole_groups():
            counts = collections.Counter(map(group_of, self.finished()))
            return {group for group, count in counts.items() if count == 4}

        process = self.start(*on("host:0"))
        wait_for("a whole group", whole_groups)
        self.end(process, signal.SIGKILL)
        whole = whole_groups()
        kept = {name: events for name, events in self.finished().items() if group_of(name) in whole}
        self.run_graphbench(*on("host:1"), code=0)
        result = self.result()
        self.assertEqual((True, "host:1"), (result["complete"], result["environment"]["device"]["uuid"]))
        host_0 = {"hostname": os.uname().nodename, "uuid": "host:0"}
        for cell in result["cells"]:
            self.assertEqual(host_0 if group_of(cell["id"]) in whole else None, cell.get("measured_on"))
        self.assert_there_once(kept)

    def test_an_interrupt_ends_all(self):
        process = self.start("--sweep", "--workload", "mlp", "--batch", "1", "--launches", "500", "--quiet",
                             "--time-per-cell", "0.001", "--device", "host:0,host:1", "--concurrent",
                             "--json", "r-{device}.json")
        wait_for("a task of each", lambda: 2 == sum(
            '"task"' in path.read_text(encoding="utf-8") for path in self.folder.glob("*.partial")))
        self.assertEqual(130, self.end(process).returncode)
        for index in (0, 1):
            self.assertFalse(self.result(f"r-host-{index}.json")["complete"])

    def test_wrong_devices(self):
        both = ["--device", "host:0,host:1"]
        self.refuse(["--sweep", *both], "--json: ", "{device}")
        self.refuse(["--sweep", *both, "--json", "r.json"], "--json: ", "{device}")
        own = ["--sweep", *both, "--json", "r-{device}.json"]
        self.refuse([*own, "--samples", "s.npz"], "--samples: ", "{device}")
        self.refuse([*own, "--prometheus-push", "http://127.0.0.1:1"], "--push-grouping")
        self.refuse([*own, "--concurrent", "--prometheus-listen", "127.0.0.1:0"], "--prometheus-listen: ")
        self.refuse(["--sweep", "--device", "host", "--concurrent"], "--concurrent: ", "several devices")
        self.refuse(["--sweep", "--device", "host:0,auto", "--json", "r-{device}.json"], "--device: ", "auto")
        self.refuse(["bench", *both], "--device: ", "host:0,host:1")
