#!/usr/bin/env python3
"""Sums the JUnit reports of several runs of ctest and of GoogleTest programs: `N passed, N failed, N skipped`
is alone on the last line. A line "skipped: WHAT" in the output of a test that passed is printed too, because
that test left out a part. A program that has a report of its own is not counted among ctest's entries,
unless it failed: it may have died. Exits non-zero if anything failed, nothing ran, or a report is missing."""

import argparse
import collections
import pathlib
import sys
import xml.etree.ElementTree


def outcome_of(case):
    """One of passed, failed and skipped. ctest writes skipped and disabled tests as `notrun` or `disabled`. A
    program that could not be started is `notrun` too, but it has a failure, or no SKIP in its message."""
    if case.find("failure") is not None or case.get("status") == "fail":
        return "failed"
    if case.get("result") == "skipped":  # as GoogleTest writes it
        return "skipped"
    if case.find("skipped") is not None or case.get("status") in ("notrun", "disabled"):
        skipped = case.find("skipped")
        message = skipped.get("message", "") if skipped is not None else ""
        return "skipped" if "SKIP" in message.upper() or case.get("status") == "disabled" else "failed"
    return "passed"


def count(paths, failures):
    counts = collections.Counter(failed=failures)
    programs = {pathlib.Path(path).stem for path in paths}
    for path in paths:
        try:
            root = xml.etree.ElementTree.parse(path).getroot()
        except (OSError, xml.etree.ElementTree.ParseError) as error:
            print(f"{path}: no report of a test run ({error})", file=sys.stderr)
            counts["failed"] += 1
            continue
        for case in root.iter("testcase"):
            outcome = outcome_of(case)
            if outcome == "passed" and case.get("name") in programs:
                continue
            counts[outcome] += 1
            if outcome != "passed":
                print(f"{outcome}: {case.get('name')}")
                continue
            for line in (case.findtext("system-out") or "").splitlines():
                if line.startswith("skipped: "):
                    print(line)
    return counts


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--failures", type=int, default=0, help="failures outside of the reports")
    parser.add_argument("reports", nargs="*")
    arguments = parser.parse_args()
    counts = count(arguments.reports, arguments.failures)
    print(f"{counts['passed']} passed, {counts['failed']} failed, {counts['skipped']} skipped")
    return 1 if counts["failed"] or not counts["passed"] else 0


if __name__ == "__main__":
    sys.exit(main())
