"""A ladder and a bill that were interrupted go on where they were, with the same command, as a sweep does."""

import hashlib
import json
import signal
import unittest

from client import wait_for
from harness_case import HarnessCase

LADDER = ["ladder", "--device", "host", "--workload", "mlp", "--preset", "tiny", "--capture-sizes", "1,2,4",
          "--traffic", "uniform:1:4", "--steps", "60", "--warmup", "1", "--launches", "3"]
BILL = ["bill", "--device", "host", "--workload", "mlp", "--preset", "tiny", "--warmup", "1",
        "--capture-sizes", "1,2,4,8,16:64:+16", "--mode", "whole,piecewise", "--measure", "all"]
DIFFERS = {"argv", "started_at", "finished_at", "sentence", "machine", "monitor", "floors", "variables",
           "library_choices", "notes"}


def without_times(value):
    """What is the same in each run of a plan: neither times nor shares of them, nor whether there are any."""
    if isinstance(value, dict):
        kept = {key: without_times(each) for key, each in value.items() if key not in DIFFERS}
        return {key: each for key, each in kept.items() if each is not None}
    if isinstance(value, list):
        return [without_times(each) for each in value]
    return None if isinstance(value, float) else value


def digested(record):
    return hashlib.sha256(record.encode()).hexdigest()[:16] + " " + record


class Resume(HarnessCase):
    @property
    def journal(self):
        return self.folder / "graphbench.json.partial"

    def kept(self):
        """The answers in the journal, by their ids."""
        if not self.journal.exists():
            return {}
        records = [json.loads(line.split(" ", 1)[1]) for line in self.journal.read_text().splitlines(True)
                   if line.endswith("\n")]
        return {record["content"]["id"]: json.loads(record["content"]["events"][0])
                for record in records if record["event"] == "task"}

    def interrupt(self, command, by, answers=1, **options):
        """Ends the run after so many answers; returns those that it kept, and what was printed."""
        process = self.begin(*command, **options)
        wait_for("an answer", lambda: len(self.kept()) >= answers, 120)
        done = self.end(process, by)
        return self.kept(), done

    def go_on(self, command, **options):
        done = self.run_graphbench(*command, code=0, **options)
        self.assertFalse(self.journal.exists())
        self.assertTrue(self.result()["complete"])
        return self.result(), done.stderr

    def check_ladder(self, by):
        self.run_graphbench(*LADDER, "--json", "whole.json", code=0)
        kept, done = self.interrupt(LADDER, by)
        if by == signal.SIGINT:
            self.assertEqual(130, done.returncode, done.stderr)
            self.assertIn("the measurements are kept", done.stderr)
            self.assertTrue(done.stderr.endswith("repeat the command to continue the ladder\n"), done.stderr)
            self.assertFalse(self.result()["complete"])
        document, said = self.go_on(LADDER)
        self.assertIn(f"the ladder continues from graphbench.json.partial: {len(kept)} of 9 processes", said)
        self.assertEqual(without_times(self.result("whole.json")), without_times(document))
        launches = [launch for ladder in document["ladders"] for launch in ladder["launches"]]
        for answer in kept.values():
            self.assertIn(answer["launch"]["latency_seconds"],
                          [launch["latency_seconds"] for launch in launches], "measured once")

    def test_an_interrupted_ladder_goes_on(self):
        self.check_ladder(signal.SIGINT)

    def test_a_killed_ladder_goes_on(self):
        self.check_ladder(signal.SIGKILL)

    def test_what_follows_from_the_answers_goes_on_too(self):
        command = [*LADDER, "--no-rivals", "--mode", "best"]  # 3 launches in 2 modes, and 3 of the best
        kept, _ = self.interrupt(command, signal.SIGKILL, answers=7)
        self.assertTrue(any(name.startswith("best, ") for name in kept), list(kept))
        document, _ = self.go_on(command)
        self.assertEqual({"asked", "best"}, {ladder["role"] for ladder in document["ladders"]})

    def check_bill(self, by):
        self.run_graphbench(*BILL, "--json", "whole.json", code=0)
        kept, done = self.interrupt(BILL, by, answers=2)
        if by == signal.SIGINT:
            self.assertEqual(130, done.returncode, done.stderr)
            self.assertTrue(done.stderr.endswith("repeat the command to continue the bill\n"), done.stderr)
        document, said = self.go_on(BILL)
        self.assertIn(f"the bill continues from graphbench.json.partial: {len(kept)} of at least 4 processes",
                      said)
        self.assertEqual(without_times(self.result("whole.json")), without_times(document))
        sizes = [size["step_seconds"] for bill in document["bills"] for part in ("prediction", "measured")
                 for size in bill[part]["sizes"]]
        for answer in kept.values():
            for capture in answer["captures"]:
                self.assertIn(capture["step_seconds"], sizes, "measured once")

    def test_an_interrupted_bill_goes_on(self):
        self.check_bill(signal.SIGINT)

    def test_a_killed_bill_goes_on(self):
        self.check_bill(signal.SIGKILL)

    def test_runs_that_fail_in_a_test_of_the_reserve_are_measured_once(self):
        memory = {"env": self.environment(GRAPHBENCH_HOST_MEMORY_BYTES="500000000")}
        command = [*BILL[:BILL.index("--mode")], "--verify", "2"]
        kept, _ = self.interrupt(command, signal.SIGKILL, answers=5, **memory)
        self.assertIn("failed", {answer["status"] for answer in kept.values()})
        document, _ = self.go_on(command, **memory)
        (bill,) = document["bills"]
        self.assertEqual([(2, 0), (2, 2)], [(runs["runs"], runs["failed"]) for runs in bill["verified"]])

    def test_another_plan_is_refused(self):
        for command, others in ((LADDER, (["--seed", "2"], ["--pad", "none"], ["--no-rivals"],
                                          ["--mode", "best"], ["--set", "mlp.hidden=64"])),
                                (BILL, (["--exec", "shared"], ["--predict-from", "4"], ["--seed", "2"],
                                        ["--confidence", "90%"]))):
            self.interrupt(command, signal.SIGKILL)
            before = self.journal.read_bytes()
            for other in others:
                with self.subTest(command=command[0], other=other):
                    self.assert_refused(self.run_graphbench(*command, *other), "--json: ", self.journal.name,
                                        "belongs to another plan", "give another --json")
            self.assertEqual(before, self.journal.read_bytes())
            self.journal.unlink()

    def test_an_answer_that_no_process_sent_is_refused(self):
        self.interrupt(LADDER, signal.SIGKILL)
        first, record = self.journal.read_text(encoding="utf-8").splitlines()[:2]
        forged = json.loads(record.split(" ", 1)[1])
        forged["content"]["events"] = ["{}}"]
        self.write(self.journal.name, first + "\n" + digested(json.dumps(forged)) + "\n")
        self.assert_refused(self.run_graphbench(*LADDER, "--quiet"), "--json: ", self.journal.name,
                            "has an invalid line", "give another --json")

    def test_what_goes_to_stdout_has_no_journal(self):
        self.run_graphbench(*BILL, "--json", "-", code=0)
        self.assertEqual([], list(self.folder.iterdir()))


if __name__ == "__main__":
    unittest.main()
