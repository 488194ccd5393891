"""ladder --torch: a traffic is served with a user's own step. On the host device a captured size replays the
call of its step."""

import json
import textwrap
import unittest

from harness_case import HarnessCase
from torch_case import HAS_TORCH, PYTHON

STEPS = """
    import functools
    import torch
    import weakref

    @functools.cache
    def layer():
        torch.manual_seed(1)
        return torch.nn.Linear(8, 4)

    def model(batch, device):
        return layer(), (torch.randn(batch, 8),)

    def own_weights(batch, device):
        return torch.nn.Linear(8, 4), (torch.randn(batch, 8),)

    def decode(batch, device):
        # The batch is the second dimension of the cache and of the output, whose rows lie apart.
        cache, at, new = torch.zeros(16, batch, 8), torch.tensor([3]), torch.randn(1, batch, 8)
        def step():
            cache.index_copy_(0, at, layer().weight.sum() * new)
            at.add_(1)
            return {"logits": cache.cumsum(0)[:, :, ::2].contiguous()[-2:], "last": cache.sum(0)[:, :3]}
        return step

    def twice(batch, device):
        ids = torch.randint(9, (2 * batch, 3))
        mask = torch.ones(1, 3).expand(2 * batch, 3)
        return lambda: (ids.float() * mask).view(-1, 6)

    def telling(batch, device):
        first = torch.arange(2. * batch).view(batch, 2) + 100 * batch
        second = torch.arange(2. * batch).view(2, batch) + 100 * batch  # the batch is the inner dimension
        def step():
            with open("seen", "a") as file:
                print([len(first), first.tolist(), second.t().tolist()], file=file)
            return first + second.t()
        return step

    def normed(batch, device):
        x = torch.randn(batch, 8)
        return lambda: x - x.mean(0)

    def shared_sum(batch, device):
        x = torch.randn(batch, 8)
        return lambda: x + len(x)

    def scaled(batch, device):  # by the largest row, which is the first of any build
        x = torch.randn(batch, 8)
        x[0] *= 100
        return lambda: x / x.abs().max()

    def voted(batch, device):  # of few rows, none may differ
        x = torch.randint(9, (batch, 8))
        def step():
            votes = x * 2
            votes[0] += len(x)
            return votes
        return step

    def drawn(batch, device):
        x = torch.randn(batch, 8)
        return lambda: torch.nn.functional.dropout(x)

    def seeded(batch, device):
        x = torch.randn(batch, 40)
        def step():
            torch.manual_seed(3)
            return torch.nn.functional.dropout(x)
        return step

    def own_generator(batch, device):
        x = torch.randn(batch, 40)
        return lambda: x + torch.randn(x.shape, generator=torch.Generator(device).manual_seed(5))

    def rounded(batch, device):  # in another way at each batch
        x = torch.randn(batch, 8, dtype=torch.float64)
        return lambda: [each * (1 + 1e-9 * len(x)) for each in (x, torch.complex(x, x))]

    def double_scaled(batch, device):
        x = torch.randn(batch, 8, dtype=torch.float64)
        x[0] *= 100
        return lambda: x / x.abs().max()

    def state_mean(batch, device):  # of zeros before the first step
        x, h = torch.randn(batch, 8), torch.zeros(batch, 8)
        def step():
            h.copy_(x + h.mean(0))
            return h * 1
        return step

    def neighbours(batch, device):  # shows with three rows of four
        x = torch.randn(batch, 8)
        return lambda: x + x[(torch.arange(len(x)) ^ 1).clamp(max=len(x) - 1)]

    def indexed(batch, device):  # numbers larger than those of any request would be no index
        table, at, alike = torch.randn(100, 4), torch.rand(batch), torch.zeros(batch, 3, dtype=torch.long)
        return lambda: table[(at * 99).long()] + alike.sum(1, keepdim=True)

    def mean(batch, device):
        x = torch.randn(batch, 8)
        return lambda: x.mean()

    class Held:
        alive = weakref.WeakSet()

    def in_a_cycle(batch, device):
        held = Held()
        held.of_itself, held.x = held, torch.randn(batch, 8)  # the collector alone can free it
        Held.alive.add(held)
        with open("alive", "a") as file:
            print(len(Held.alive), file=file)
        return lambda: held.x * 2

    def counting(batch, device):
        x, calls = torch.randn(batch, 4), []
        def step():
            calls.append(1)
            return x * len(calls)
        return step
"""


@unittest.skipUnless(HAS_TORCH, f"{PYTHON} has no torch")
class TorchLadder(HarnessCase):
    def setUp(self):
        super().setUp()
        (self.folder / "step.py").write_text(textwrap.dedent(STEPS), encoding="utf-8")
        self.write("traffic.csv", "size,count\n1,20\n3,15\n6,5\n")

    def serve(self, function, *extra, code=0):
        done, document, _ = self.measure(*self.ladder_of(function, *extra), code=code)
        return {ladder["role"]: ladder for ladder in document["ladders"]}, done

    @staticmethod
    def ladder_of(function, *extra):
        usual = [word for option in (("--steps", "40"), ("--warmup", "1")) if option[0] not in extra
                 for word in option]
        return ("ladder", "--device", "host", "--torch", f"step.py:{function}", "--python", PYTHON,
                "--traffic", "traffic.csv", "--capture-sizes", "1,4", "--launches", "1", *usual, *extra)

    def test_requests_are_padded_or_eager_and_the_times_are_predicted(self):
        ladders, done = self.serve("model")
        self.assertRegex(done.stderr, r"3 processes, about \d+ seconds?, and in each process the step's "
                                      r"imports and build\n")
        self.assertEqual({"asked", "eager", "every"}, set(ladders))
        asked = ladders["asked"]
        launch = asked["launches"][0]
        self.assertEqual({"exact": 20, "padded": 15, "eager_below": 0, "eager_beyond": 5, "captured_now": 0},
                         launch["steps"])
        self.assertEqual(1, len(launch["placements"]))
        self.assertEqual((True, None), (asked["check"]["identical"], asked["check"].get("remarks")))
        self.assertEqual({1: 20, 4: 15}, {size["size"]: size["uses"] for size in launch["sizes"]})
        self.assertEqual([(6, 5)], [(each["rows"], each["uses"]) for each in launch["eager"]])
        self.assertGreater(launch["predicted_seconds"], 0)
        self.assertEqual(4 * 8 * (1 + 4 + 6), launch["memory"]["static_bytes"])
        self.assertEqual(0, launch["memory"].get("new_weights_bytes", 0))
        self.assertIn("all eager, the same steps take", " ".join(done.stdout.split()))

    def test_state_with_rows_is_checked_and_other_state_is_named(self):
        ladders, _ = self.serve("decode", "--no-rivals")
        self.assertEqual("ok", ladders["asked"]["status"], ladders["asked"].get("reason"))
        self.assertEqual(["state without rows of the batch is not checked: at"],
                         ladders["asked"]["check"]["remarks"])
        self.assertEqual(4 * 8 * 17 * (1 + 4 + 6), ladders["asked"]["launches"][0]["memory"]["static_bytes"])

    def test_a_row_may_be_several_elements_and_share_memory(self):
        ladders, _ = self.serve("twice", "--no-rivals")
        self.assertEqual("ok", ladders["asked"]["status"], ladders["asked"].get("reason"))
        self.assertEqual(8 * 6 * (1 + 4 + 6), ladders["asked"]["launches"][0]["memory"]["static_bytes"])

    def test_rows_of_requests_are_copied_in_and_padding_keeps_what_was_there(self):
        self.write("traffic.csv", "size,count\n3,9\n6,1\n")
        self.serve("telling", "--no-rivals", "--steps", "10")
        seen = [json.loads(line) for line in (self.folder / "seen").read_text(encoding="utf-8").splitlines()]
        large = next(rows for rows in seen if rows[0] == 6)
        own = next(rows for rows in seen if rows[0] == 4)
        copied = [4, large[1][:3] + own[1][3:], large[2][:3] + own[2][3:]]
        self.assertGreaterEqual(seen.count(copied), 9)
        self.assertIn([2, large[1][:2], large[2][:2]], seen, "an eager step of the check")

    def test_new_weights_are_told(self):
        ladders, done = self.serve("own_weights", "--no-rivals")
        self.assertEqual(4 * (8 * 4 + 4) * 3, ladders["asked"]["launches"][0]["memory"]["new_weights_bytes"])
        self.assertIn("for new weights at each size", done.stdout)

    def test_what_cannot_be_served_is_refused_by_name(self):  # more of it in torch_rows_test.py
        for function, words in (("mean", "output 0 has no dimension of the batch"),
                                ("counting", "the step keeps state in Python: ")):
            with self.subTest(function=function):
                ladders, done = self.serve(function, "--no-rivals", code=3)
                self.assertIn(words, ladders["asked"]["reason"]["message"])
                self.assertIn(words, done.stderr)
        (self.folder / "graphbench.json").rename(self.folder / "failed.json")
        self.refuse_each([("--suggest=failed.json", "no ladder with captured sizes was served")],
                         "ladder", "--device", "host", "--traffic", "traffic.csv")

    def test_rows_of_padding_that_reach_others_fail_the_ladder(self):
        changes, differs = "changes with the rows of padding, with 2", "differs from that of an eager step "
        for function, words in (("normed", changes), ("scaled", changes), ("shared_sum", differs),
                                ("voted", differs), ("double_scaled", changes), ("state_mean", changes),
                                ("neighbours", "changes with the rows of padding, with 3 rows in size 4")):
            with self.subTest(function=function):
                ladders, _ = self.serve(function, "--no-rivals", code=3)
                self.assertEqual("check_failed", ladders["asked"]["reason"]["code"])
                self.assertIn(words, ladders["asked"]["reason"]["message"])

    def test_a_step_that_draws_is_checked_from_the_same_generators(self):
        for function in ("drawn", "seeded", "own_generator"):
            with self.subTest(function=function):
                ladders, _ = self.serve(function, "--no-rivals", "--steps", "10")
                check = ladders["asked"]["check"]
                self.assertTrue(check["identical"])
                self.assertIn("the step draws random numbers, others for fewer rows", check["remarks"][0])

    def test_padding_has_values_that_a_request_may_have(self):
        ladders, done = self.serve("indexed", "--no-rivals", "--steps", "10")
        remark = "padding had the same values in both runs: alike"
        self.assertEqual([remark], ladders["asked"]["check"]["remarks"])
        self.assertIn("  check: " + remark, done.stdout)

    def test_rows_of_doubles_may_differ_by_rounding(self):
        ladders, _ = self.serve("rounded", "--no-rivals", "--steps", "10")
        self.assertIn("within the limit", ladders["asked"]["check"]["tolerated"])

    def test_a_size_is_captured_by_its_first_request_after_requests_that_warm_it_up(self):
        ladders, _ = self.serve("model", "--no-rivals", "--capture-when", "lazy", "--warmup-by", "requests",
                                "--warmup", "2")
        launch = ladders["asked"]["launches"][0]
        self.assertEqual((2, 4), (launch["steps"]["captured_now"], launch["steps"]["warming"]))
        self.assertEqual({1: 2, 4: 2}, {size["size"]: size["warmups"] for size in launch["sizes"]})

    def test_a_limit_of_graphs_destroys_what_was_not_used_for_longest(self):
        for extra, at_start in (([], 1), (["--capture-when", "lazy"], 0)):
            with self.subTest(extra=extra):
                ladders, done = self.serve("model", "--no-rivals", "--graphs-max", "1", "--steps", "24",
                                           *extra)
                launch = ladders["asked"]["launches"][0]
                steps, evictions = launch["steps"], launch["evictions"]
                self.assertEqual(21, steps["exact"] + steps["padded"] + steps["captured_now"])
                self.assertEqual(evictions["count"], steps["captured_now"] + at_start - 1)
                self.assertGreater(evictions["count"], 5)
                self.assertEqual((3, 0), (steps["eager_beyond"], launch["startup"]["capture_seconds"] * (
                    1 - at_start)))
                self.assertTrue(all(size["step_seconds"] for size in launch["sizes"]))
                self.assertGreater(launch["predicted_seconds"], 0)
                self.assertEqual((True, 1), (ladders["asked"]["check"]["identical"],
                                             ladders["asked"]["policy"]["graphs_max"]))
                self.assertRegex(done.stdout,
                                 rf"{evictions['count']} graphs, in \S+; [\d.]+ \wB (more|less) of")

    def test_the_first_build_is_the_steps_and_not_the_largest_sizes(self):
        command = ["1,6" if word == "1,4" else word for word in self.ladder_of("model", "--no-rivals")]
        _, document, _ = self.measure(*command)
        launch = document["ladders"][0]["launches"][0]
        prepared = {size["size"]: size["setup"].get("prepare_seconds") for size in launch["sizes"]}
        self.assertIsNone(prepared[6])
        self.assertAlmostEqual(prepared[1], launch["startup"]["prepare_seconds"])

    def test_what_a_destroyed_size_held_is_freed_even_if_it_holds_itself(self):
        ladders, _ = self.serve("in_a_cycle", "--no-rivals", "--graphs-max", "1", "--steps", "24")
        self.assertGreater(ladders["asked"]["launches"][0]["evictions"]["count"], 5)
        alive = [int(line) for line in (self.folder / "alive").read_text(encoding="utf-8").split()]
        self.assertGreater(len(alive), 9)
        self.assertLess(max(alive), 6, alive)

    def test_sizes_whose_graphs_agree_share_an_exec(self):
        ladders, _ = self.serve("model", "--no-rivals", "--exec", "shared")
        execs = ladders["asked"]["launches"][0]["execs"]
        self.assertEqual((1, True), (execs["groups"], ladders["asked"]["check"]["identical"]))
        self.assertGreater(execs["updates"], 5)

    def test_what_is_only_for_programs_is_refused(self):
        self.refuse_each((("--beyond split", "--beyond: \"split\" is only for programs"),
                          ("--exec switch", "--exec: \"switch\" is only for programs"),
                          ("--mode best", "--mode: \"best\" is only for programs"),
                          ("--mode torch.replay", "--mode: \"torch.replay\" is not a mode"),
                          ("--mutated-inputs copy_back", "--mutated-inputs: \"copy_back\" is only for"),
                          ("--ranks 2", "--ranks"),
                          ("--workload mlp", "--torch")), *self.ladder_of("model"))
