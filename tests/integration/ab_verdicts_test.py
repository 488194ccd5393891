"""Paired verdicts of A/B runs: confirmed, or decided as it goes on; and against itself."""

import json

from ab_case import SLOWER, AbCase


class Verdicts(AbCase):
    def test_confirms_single_cells(self):
        self.ab(*self.two(1e-3, 1.2e-3), "--confirm", "--alternate", "cell", "--mode", "whole", code=10)
        self.assertEqual(2 * 2 * 5 * 2, len(self.sweeps()))

    def test_says_slower_and_exits_so(self):
        done = self.ab(*self.two(1e-3, 1.2e-3), "-o", "verdict.json", "--format", "json", code=10)
        self.assertEqual("", done.stdout)
        self.assertEqual("slower", self.result("verdict.json")["verdict"])

    def test_keeps_to_the_margin_it_is_given(self):
        done = self.ab(*self.two(1e-3, 1.2e-3), "--margin", "50%", "--format", "json")
        metrics = [metric for cell in json.loads(done.stdout)["cells"] for metric in cell["metrics"]]
        timed = [metric for metric in metrics if metric["metric"] != "setup"]
        self.assertEqual({"same"}, {metric["verdict"] for metric in timed})

    def test_confirms_before_the_word_is_said(self):
        """NEW is slow in its first 15 sweeps only: a passing trouble, not a slower binary."""
        passing = SLOWER.format(seconds="(1.2e-3 if calls <= 16 else 1e-3) * (1 + 0.001 * (calls % 7))")
        sides = ["--base", self.fixed("old", 1e-3), "--new", self.wrapper("new", passing), "--format", "json"]
        done = self.ab(*sides, "--confirm", code=(0, 11))
        whys = [metric["why"] for cell in json.loads(done.stdout)["cells"] for metric in cell["metrics"]
                if metric["metric"] == "latency"]
        self.assertTrue(all("slower at first (1.2" in why and "not when measured again" in why
                            for why in whys), whys)
        again = self.result("graphbench-new.again.json")
        self.assertNotEqual(again["plan"]["interleaved"],
                            self.result("graphbench-new.json")["plan"]["interleaved"])
        self.assert_sound(again)

    def test_confirmed_slower_stays_slower(self):
        self.ab(*self.two(1e-3, 1.2e-3), "--confirm", code=10)
        self.assertEqual(2 * 2 * 5 * 3, len(self.sweeps()))

    def test_goes_on_until_it_is_decided(self):
        done = self.ab(*self.two(1e-3, 1.2e-3), "--mode", "eager", "--until-decided", "--format", "json",
                       code=10)
        self.assertEqual(2 * 5, len(self.sweeps()))
        for side in ("base", "new"):
            document = self.result(f"graphbench-{side}.json")
            self.assertEqual([5], document["plan"]["interleaved"]["looks"])
            self.assertEqual(5, document["plan"]["launches"])
            self.assertTrue(document["complete"])
            self.assert_sound(document)
            self.assert_valid(document, "result.schema.json")
        self.assert_valid(json.loads(done.stdout), "comparison.schema.json")

    def test_an_undecided_task_goes_on_and_compare_says_the_same(self):
        """Launches of `eager` agree; those of `whole` spread by 3 %."""
        wild = '1e-3 * (1 + 0.001 * (calls % 7) + 0.02 * (calls * {step} % 5) * ("whole" in sys.argv))'
        sides = [side for name, flag, step in (("old", "--base", 1), ("new", "--new", 2))
                 for side in (flag, self.wrapper(name, SLOWER.format(seconds=wild.format(step=step))))]
        margins = ["--margin", "2%,capture=900%", "--format", "json"]
        done = self.ab(*sides, "--mode", "eager,whole", *margins, "--until-decided", "30", code=(0, 10, 11))
        documents = [self.result(f"graphbench-{side}.json") for side in ("base", "new")]
        looks = documents[0]["plan"]["interleaved"]["looks"]
        self.assertEqual([5, 10, 15, 20][:len(looks)], looks)
        self.assertGreater(len(looks), 1)
        for cell in documents[1]["cells"]:
            launches = 5 if cell["mode"] == "eager" else looks[-1]
            self.assertEqual(list(range(launches)), [launch["index"] for launch in cell["launches"]])
        again = self.run_graphbench("compare", "graphbench-base.json", "graphbench-new.json", *margins,
                                    code=(0, 10, 11))
        self.assertEqual(json.loads(done.stdout)["cells"], json.loads(again.stdout)["cells"])

    def test_ends_where_the_time_is_up(self):
        self.ab(*self.two(1e-3, 1.2e-3), "--mode", "eager", "--until-decided", "0.000001", code=(0, 10, 11))
        self.assertEqual([2], self.result("graphbench-new.json")["plan"]["interleaved"]["looks"])


class AgainstItself(AbCase):
    def test_ends_with_what_this_machine_finds(self):
        done = self.ab("--mode", "eager,whole", code=(0, 10, 11))
        last = done.stdout.splitlines()[-1]
        self.assertRegex(last, r"^This binary against itself: 5 launches per side would (find|not find even) "
                               r"a slowdown of [0-9.]+ % of one cell's latency in nine cases of ten; finding "
                               r"a slowdown of 5 % takes (more than )?[0-9]+ launches per side\.$")
        sides = [self.result(f"graphbench-{side}.json") for side in ("base", "new")]
        self.assertEqual(sides[0]["tool"], sides[1]["tool"])
        self.assertEqual([[5] * 4] * 2, [[len(cell["launches"]) for cell in side["cells"]] for side in sides])

    def test_leaves_a_document_on_stdout_alone(self):
        done = self.ab("--mode", "eager", "--launches", "2", "--format", "json", "--quiet", code=(0, 10, 11))
        self.assert_valid(json.loads(done.stdout), "comparison.schema.json")
        self.assertIn("This binary against itself: 2 launches per side", done.stderr)

    def test_one_launch_finds_nothing(self):
        done = self.ab("--mode", "eager", "--launches", "1", "--quiet", code=11)
        self.assertIn("This binary against itself: 1 launch per side would not find even a slowdown of "
                      "1000 %", done.stdout)

    def test_two_named_sides_have_no_such_line(self):
        self.assertNotIn("against itself", self.ab(*self.two(1e-3, 1e-3), "--mode", "eager", code=0).stdout)
