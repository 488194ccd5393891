"""ci/shards as people run it: under a Slurm of our own, under mpirun, and as pods of Kubernetes start."""

import contextlib
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import time
import unittest

import slurm
import yaml
from client import wait_for
from harness_case import BINARY, ROOT
from shards_test import ShardsCase

RECIPES = ROOT / "ci" / "shards"
ENTRY = "/opt/graphbench/share/graphbench/ci/shards/entry"
SHARDS = 8
KILLS = int(os.environ.get("GRAPHBENCH_TEST_KILLS", "1"))
# Each of eight shards is a group with two tasks per launch.
SWEEP = ["--device", "host", "--workload", "mlp", "--batch", "1,2", "--warmup", f"1:{SHARDS}:+1", "--mode",
         "eager,whole", "--time-per-cell", "0.001", "--samples-max", "5", "--quiet"]
ONE_LAUNCH = [*SWEEP, "--launches", "1"]


class RecipesCase(ShardsCase):
    def setUp(self):
        super().setUp()
        self.folder.chmod(0o755)  # munged wants a folder that all may enter
        self.results = self.folder / "results"

    def environment(self, **extra):
        return super().environment(**{"GRAPHBENCH": BINARY, **extra})

    def run_recipe(self, *command, code=0, **extra):
        done = subprocess.run([str(word) for word in command], cwd=self.folder, env=self.environment(**extra),
                              capture_output=True, text=True, timeout=120, check=False)
        self.assertEqual(code, done.returncode, done.stdout + done.stderr)
        return done

    undivided = {}  # the sweep that is not divided, by launches; one serves all tests

    def check_merged(self, count, launches=1):
        if launches not in self.undivided:
            self.run_graphbench("--sweep", *SWEEP, "--launches", launches, "--json", "single.json", code=0)
            self.undivided[launches] = self.result("single.json")
        single, merged = self.undivided[launches], self.result("results/merged.json")
        self.assert_undivided(merged, single)
        self.assertEqual([launches] * 4 * SHARDS, [len(cell["launches"]) for cell in merged["cells"]])
        self.assertEqual(list(range(1, count + 1)), [shard["index"] for shard in merged["shards"]])
        self.assertEqual([], list(self.results.glob("*.partial")))


@unittest.skipIf(slurm.missing(), slurm.missing())
class UnderSlurm(RecipesCase):
    def setUp(self):
        super().setUp()
        (self.folder / "slurm").mkdir()
        self.slurm = slurm.Slurm(self.folder / "slurm", cpus=4)
        self.addCleanup(self.slurm.stop)

    def environment(self, **extra):
        return super().environment(SLURM_CONF=str(self.folder / "slurm" / "slurm.conf"), **extra)

    def journal(self, shard):
        return f"results/graphbench.{shard}-of-{SHARDS}.json"

    def kill_one(self, array, generator, kept):
        """Of the shards that have finished a task and not all; whether that was in time."""
        def restarts(shard):
            return int(self.slurm.field(f"{array}_{shard}", "Restarts"))

        shard = generator.choice(wait_for("a finished task", lambda: [
            shard for shard in range(1, SHARDS + 1) if self.finished(self.journal(shard))
            and self.slurm.field(f"{array}_{shard}", "JobState") == "RUNNING" and restarts(shard) < 3]))
        before = restarts(shard)
        time.sleep(generator.uniform(0, 0.3))
        try:
            os.kill(self.writer(self.journal(shard)), signal.SIGKILL)
        except (IndexError, ProcessLookupError):  # it is done
            return False
        wait_for("the queue", lambda: restarts(shard) > before)
        finished = self.finished(self.journal(shard))
        for task, events in kept.pop(shard, {}).items() if finished else ():
            self.assertEqual(events, finished[task], "what was finished is kept as it was")
        kept[shard] = finished
        return bool(finished)

    def test_an_array_outlives_kills_and_is_merged(self):
        launches = 2 + KILLS
        submitted = self.run_recipe(RECIPES / "submit", SHARDS, "results", "--cpus-per-task=1", "--", *SWEEP,
                                    "--launches", launches)
        array, merge = submitted.stdout.split()
        generator, kept, kills = random.Random(os.environ.get("GRAPHBENCH_TEST_SEED", "1")), {}, 0
        while kills < KILLS:
            kills += self.kill_one(array, generator, kept)
        wait_for("the merge", lambda: self.slurm.field(merge, "JobState") in ("COMPLETED", "FAILED"), 120)
        self.assertEqual("COMPLETED", self.slurm.field(merge, "JobState"),
                         "".join(path.read_text() for path in self.results.glob("*.log")))
        self.check_merged(SHARDS, launches)
        self.assertTrue(any(kept.values()), "there is nothing to compare")
        for tasks in filter(None, kept.values()):  # a shard that was done when it was killed has no journal
            self.assert_there_once(tasks, "results/merged.json")

    def test_what_is_missing_is_listed_and_measured_by_a_part_of_the_array(self):
        for part, state in ((1, "FAILED"), (2, "COMPLETED")):
            submitted = self.run_recipe(RECIPES / "submit", 2, "results", f"--array={part}", "--",
                                        *ONE_LAUNCH, GRAPHBENCH_SHARDS="2")
            merge = submitted.stdout.split()[1]
            wait_for("the merge", lambda: self.slurm.field(merge, "JobState") == state, 120)
        self.assertIn("shard 2 of 2 is missing", (self.results / "merge.log").read_text())
        self.check_merged(2)

    def test_what_was_refused_is_not_tried_again(self):
        submitted = self.run_recipe(RECIPES / "submit", 1, "results", "--", "--workload", "nothing")
        array, merge = submitted.stdout.split()
        wait_for("the merge", lambda: self.slurm.field(merge, "JobState") == "FAILED")
        self.assertIn("has no documents", (self.results / "merge.log").read_text())
        self.assertEqual("0", self.slurm.field(array, "Restarts"))

    def test_a_step_has_a_shard_a_task(self):
        self.run_recipe("srun", "-n", 4, RECIPES / "entry", "shard", "results", *ONE_LAUNCH)
        self.run_recipe(RECIPES / "entry", "merge", "results")
        self.check_merged(4)


class Entry(RecipesCase):
    def graphbench(self, text):
        path = self.write("graphbench", f"#!/bin/sh\n{text}\n")
        path.chmod(0o755)
        return {"GRAPHBENCH": str(path)}

    def test_cells_that_failed_are_not_measured_again(self):
        for code in (0, 1, 2, 3):
            fake = self.graphbench(f"exit {code}")
            self.run_recipe(RECIPES / "entry", "shard", "results", code=code % 3, **fake)
            self.run_recipe(RECIPES / "entry", "merge", "results", code=code, **fake)

    @unittest.skipUnless(shutil.which("mpirun"), "needs Debian's openmpi-bin")
    def test_a_rank_of_mpi_has_a_shard_and_a_gpu(self):
        options = ["--oversubscribe", "--bind-to", "none"]
        options += ["--allow-run-as-root"] if os.getuid() == 0 else []
        command = ["mpirun", *options, "-n", 4, RECIPES / "entry", "shard", "results"]
        told = self.run_recipe(*command, **self.graphbench("echo $CUDA_VISIBLE_DEVICES")).stdout
        self.assertEqual(["0", "1", "2", "3"], sorted(told.split()))
        self.run_recipe(*command, *ONE_LAUNCH)
        self.run_recipe(RECIPES / "entry", "merge", "results")
        self.check_merged(4)


class UnderKubernetes(RecipesCase):
    """Its containers are started as the kubelet would, with /results as a folder."""

    def setUp(self):
        super().setUp()
        documents = list(yaml.safe_load_all((RECIPES / "kubernetes.yaml").read_text(encoding="utf-8")))
        self.claim, self.shards, self.merge = documents

    def container(self, job):
        pod = job["spec"]["template"]["spec"]
        self.assertEqual("Never", pod["restartPolicy"])
        container, = pod["containers"]
        volume, = pod["volumes"]
        self.assertEqual(self.claim["metadata"]["name"], volume["persistentVolumeClaim"]["claimName"])
        mount, = container["volumeMounts"]
        self.assertEqual((volume["name"], "/results"), (mount["name"], mount["mountPath"]))
        return container

    def start_container(self, job, sweep=None, **extra):
        """With `sweep` instead of its options, where that is given."""
        container = self.container(job)
        task, folder, *options = container["args"]
        self.assertEqual("/results", folder)
        extra.update({each["name"]: each["value"] for each in container["env"]})
        pod = subprocess.Popen([RECIPES / "entry", task, "results", *(sweep or options)], cwd=self.folder,
                               env=self.environment(**extra), text=True, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, start_new_session=True)
        self.addCleanup(pod.communicate)
        self.addCleanup(self.kill_group, pod.pid)
        return pod

    @staticmethod
    def kill_group(group):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(group, signal.SIGKILL)

    def test_the_jobs_fit_each_other(self):
        self.assertEqual(["v1", "batch/v1", "batch/v1"],
                         [each["apiVersion"] for each in (self.claim, self.shards, self.merge)])
        self.assertEqual(["ReadWriteMany"], self.claim["spec"]["accessModes"])
        spec = self.shards["spec"]
        self.assertEqual("Indexed", spec["completionMode"])
        self.assertGreater(spec["backoffLimitPerIndex"], 0)
        for job in (self.shards, self.merge):
            self.assertIn({"name": "GRAPHBENCH_SHARDS", "value": str(spec["completions"])},
                          self.container(job)["env"])
        self.assertIn({"action": "FailIndex", "onExitCodes": {"operator": "In", "values": [2]}},
                      spec["podFailurePolicy"]["rules"])

    def test_pods_measure_and_the_merge_waits_for_them(self):
        count = self.shards["spec"]["completions"]
        merge = self.start_container(self.merge)
        for index in range(count):
            self.assertIsNone(merge.poll(), "it waits")
            pod = self.start_container(self.shards, ONE_LAUNCH, JOB_COMPLETION_INDEX=str(index))
            said = pod.communicate(timeout=60)
            self.assertEqual(0, pod.returncode, said)
        said = merge.communicate(timeout=60)
        self.assertEqual(0, merge.returncode, said)
        self.check_merged(count)

    def test_a_signal_reaches_the_sweep(self):
        pod = self.start_container(self.shards, [*SWEEP, "--launches", "500"], JOB_COMPLETION_INDEX="0")
        wait_for("a task", lambda: self.finished("results/graphbench.1-of-8.json"))
        pod.terminate()
        said = pod.communicate(timeout=60)
        self.assertEqual(130, pod.returncode, said)
        self.assertFalse(json.loads((self.results / "graphbench.1-of-8.json").read_text())["complete"])

    def test_the_image_holds_what_it_starts(self):
        text = (ROOT / "ci" / "Containerfile").read_text(encoding="utf-8")
        self.assertIn("\nCOPY --from=build /opt/graphbench/ /opt/graphbench/\n", text)
        for job in (self.shards, self.merge):
            self.assertEqual([ENTRY], self.container(job)["command"])
        installed = pathlib.PurePath(ENTRY).relative_to("/opt/graphbench")
        rules = (ROOT / "ci" / "cmake" / "GraphbenchInstall.cmake").read_text(encoding="utf-8")
        self.assertIn(f"DESTINATION {installed.parent}", rules)
        self.assertIn(f"ci/shards/{installed.name}", rules)
