"""The rules pass promtool and their own tests, and those tests find every rule that is broken a little."""

import concurrent.futures
import copy
import functools
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

import yaml

import metrics_table

FOLDER = metrics_table.DASHBOARDS / "prometheus"
RULE_FILES = metrics_table.rule_files()
TEST_FILES = sorted(FOLDER.glob("*.test.yml"))


def promtool(*words):
    return subprocess.run(["promtool", *map(str, words)], capture_output=True, text=True, check=False)


def in_expr(pattern, replacement):
    """Changes an expression; nothing where it has no such thing."""

    def mutate(rule):
        changed = re.sub(pattern, replacement, rule["expr"])
        if changed == rule["expr"]:
            return False
        rule["expr"] = changed
        return True

    return mutate


def where(key, change):
    """Changes a rule that has the key."""

    def mutate(rule):
        if key in rule:
            change(rule)
            return True
        return False

    return mutate


# What is tried on every rule that has what it changes.
GENERAL = {
    "never": in_expr(r"^(.*)$(?s:.*)", r"vector(0) > 1"),
    "the comparison turned": in_expr(
        r" (>=?|==) ", lambda match: {">": " < ", ">=": " < ", "==": " != "}[match[1]]),
    "no waiting": where("for", lambda rule: rule.pop("for")),
    "waiting too long": where("for", lambda rule: rule.update({"for": "20h"})),
    "another severity": where("labels", lambda rule: rule["labels"].update(severity="info")),
    "and for or": in_expr(r"\band (on|ignoring)\b", r"or \1"),
    "unless dropped": in_expr(r"(?s)\bunless\b[^)]*(\)(?! \()|$)", r"\1"),
    "the second half of an or dropped": in_expr(r"(?s)\bor sum by .*", ""),
    "the first half of an or dropped": in_expr(r"(?s)^.*\bor (?=sum by)", ""),
    "grouped coarser": in_expr(r"by \(job, instance, \w+,? ?", "by (job, instance"),
}
# What only this rule has: patterns and replacements.
SPECIAL = {
    "GraphbenchDown": [(r"\{job=\"graphbench\"\}", "")],
    "GraphbenchSweepStale": [("26", "20"), ("26", "30"), (r"max_over_time\((.*)\[3d\]\)", r"\1")],
    "GraphbenchNeverSwept": [("26h", "20h"), ("26h", "40h"), (r"max_over_time\((.*)\[3d\]\)", r"\1")],
    "GraphbenchSweepStuck": [("30m", "20m"), ("30m", "70m")],
    "GraphbenchQueueFull": [(">=", ">")],
    "GraphbenchSweepsFailing": [(r"failed\|interrupted", "failed|interrupted|done"),
                                (r"failed\|interrupted", "failed"), (r"failed\|interrupted", "interrupted")],
    "GraphbenchCellsFailing": [(r"status=\"failed\"", ""), ("1h", "5h"), ("increase", "")],
    "GraphbenchCaptureSkips": [("1h", "5h")],
    "GraphbenchLaunchBoundWithoutGain": [(">= 0.5", "> 0.5"), (">= 0.5", ">= 0.4"), ("> 1", ">= 1"),
                                         (r"(?s) unless.*(?=\))", ""), (", batch", ""),
                                         ("_low_ratio", "_ratio"), ("_low_ratio", "_high_ratio")],
    "GraphbenchRegression": [(r"0\.02", "0.2"), (r"0\.02", "0.01"), ("^max", "min"),
                             ("cell:graphbench_slower:ratio", "graphbench_change_ratio")],
    "GraphbenchBaselineIncomparable": [("comparable", "cells")],
    "GraphbenchBaselineLost": [(r"base_only\|", ""), (r"\|skipped_now", ""), (r"failed_now\|", ""),
                               ("base_only", "base_only|compared"), ("base_only", "base_only|new_only")],
    "workload:graphbench_speedup_over_eager:geomean": [("exp|ln", ""), (", mode", "")],
    "cell:graphbench_slower:ratio": [(r"\{verdict=\"slower\"\}", ""),
                                     (r"ignoring \(verdict\)", "on (instance, batch, mode, metric)"),
                                     (r"\(verdict\)", "(verdict, metric)"),
                                     ("graphbench_change_ratio", "graphbench_verdict_info")],
}


@functools.cache
def loaded(path):
    return yaml.safe_load(path.read_text())


def documents():
    return {path.name: copy.deepcopy(loaded(path)) for path in RULE_FILES}


def name_of(rule):
    return rule.get("alert") or rule["record"]


def rules_in(every):
    return [rule for document in every.values() for group in document["groups"] for rule in group["rules"]]


def only(name):
    """The recording rules and this rule: what its tests need."""
    every = documents()
    for document in every.values():
        for group in document["groups"]:
            group["rules"] = [rule for rule in group["rules"] if "record" in rule or name_of(rule) == name]
    return every


def mutants():
    """(what, the rule's name, the documents with that rule broken)."""
    named = [(what, name_of(rule), mutate)
             for rule in rules_in(documents()) for what, mutate in GENERAL.items()]
    named += [(f"{pattern} -> {new or 'nothing'}", name, in_expr(pattern, new))
              for name, changes in SPECIAL.items() for pattern, new in changes]
    for what, name, mutate in named:
        every = only(name)
        if mutate(next(one for one in rules_in(every) if name_of(one) == name)):
            yield what, name, every


@functools.cache
def tests_of(name):
    """Those of the tests that ask for this rule: file name to text. JSON is YAML, and quicker to write."""
    files = {}
    for path in TEST_FILES:
        tests = [test for test in loaded(path)["tests"] if name in str(test)]
        if tests:
            files[path.name] = json.dumps({**loaded(path), "tests": tests})
    return files


def outcome_of(every, name):
    """broken: Prometheus would not load it; found: a test fails; alive: all that ask for the rule pass."""
    with tempfile.TemporaryDirectory(prefix="graphbench-rules-") as temporary:
        folder = pathlib.Path(temporary)
        for file_name, document in every.items():
            (folder / file_name).write_text(json.dumps(document))
        if promtool("check", "rules", *(folder / file_name for file_name in every)).returncode != 0:
            return "broken"
        for file_name, text in tests_of(name).items():
            (folder / file_name).write_text(text)
        done = promtool("test", "rules", *(folder / file_name for file_name in tests_of(name)))
        return "alive" if done.returncode == 0 else "found"


@unittest.skipUnless(shutil.which("promtool"), "promtool is not installed")
class Alerts(unittest.TestCase):
    def test_rules_and_scrape_example_are_sound(self):
        done = promtool("check", "rules", "--lint=all", "--lint-fatal", *RULE_FILES)
        self.assertEqual(0, done.returncode, done.stdout + done.stderr)
        for path in (FOLDER / "scrape.yml", metrics_table.DASHBOARDS / "provisioning" / "prometheus.yml"):
            done = promtool("check", "config", "--syntax-only", path)
            self.assertEqual(0, done.returncode, done.stdout + done.stderr)
        self.assertEqual(0, promtool("check", "config", FOLDER / "scrape.yml").returncode)

    def test_fire_and_stay_silent_as_their_tests_say(self):
        self.assertTrue(RULE_FILES and TEST_FILES)
        for path in TEST_FILES:
            with self.subTest(path.name):
                done = promtool("test", "rules", path)
                self.assertEqual(0, done.returncode, done.stdout + done.stderr)

    def test_a_broken_rule_fails_them(self):
        # An invalid expression is not a mutant; what it takes to be one is counted below.
        made = list(mutants())
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            outcomes = list(pool.map(lambda one: outcome_of(one[2], one[1]), made))
        described = [(f"{name}: {what}", name, outcome) for (what, name, _), outcome in zip(made, outcomes)]
        self.assertEqual([], [what for what, _, outcome in described if outcome == "alive"])
        found = [name for _, name, outcome in described if outcome == "found"]
        print(f"{len(found)} mutants of {len(set(found))} rules, "
              f"left out as no PromQL: {[what for what, _, outcome in described if outcome == 'broken']}")
        for rule in rules_in(documents()):
            self.assertGreaterEqual(found.count(name_of(rule)), 2, name_of(rule))

    def test_tests_pass_with_only_their_rule(self):
        """What the mutants are held against."""
        for rule in rules_in(documents()):
            with self.subTest(name_of(rule)):
                self.assertEqual("alive", outcome_of(only(name_of(rule)), name_of(rule)))

    def test_every_special_mutant_is_one(self):
        rules = {name_of(rule): rule["expr"] for rule in rules_in(documents())}
        for name, changes in SPECIAL.items():
            for pattern, new in changes:
                self.assertNotEqual(rules[name], re.sub(pattern, new, rules[name]), f"{name}: {pattern}")
