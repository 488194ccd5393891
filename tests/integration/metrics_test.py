"""graphbench list metrics: every number of every document is in it, by its path."""

import csv
import json
import re
import unittest

from harness_case import ROOT, HarnessCase

GOLDEN = ROOT / "tests" / "golden"


def numbers_of(value, place=""):
    """The paths of a document's numbers: "cells[].batch"."""
    if isinstance(value, bool) or value is None or isinstance(value, str):
        return set()
    if isinstance(value, (int, float)):
        return {place}
    if isinstance(value, list):
        return set().union(*(numbers_of(each, place + "[]") for each in value))
    return set().union(*(numbers_of(each, f"{place}.{key}" if place else key) for key, each in value.items()))


class Listed(HarnessCase):
    def listed(self):
        said = self.run_graphbench("list", "metrics", "--format", "json", code=0).stdout
        return json.loads(said)["metrics"]

    def patterns(self):
        paths = {}
        for each in self.listed():
            schema = each["document"] or "graphbench.result/1"
            path = each["path"] if each["document"] else "cells[]." + each["path"]
            pattern = re.escape(path).replace("NAME", ".+")
            paths.setdefault(schema, []).append(pattern)
        return {schema: re.compile("|".join(all_of)) for schema, all_of in paths.items()}

    def test_are_all_numbers_of_all_documents(self):
        ladder = ["ladder", "--device", "host", "--workload", "mlp", "--capture-sizes", "1,2", "--traffic",
                  "uniform:1:2", "--steps", "20", "--warmup", "1", "--json"]
        self.run_graphbench(*ladder, "suggested.json", "--suggest", "--verify", code=0)
        self.run_graphbench(*ladder, "best.json", "--mode", "best", "--no-rivals", code=0)
        self.run_graphbench("bill", "--device", "host", "--workload", "mlp", "--warmup", "1",
                            "--capture-sizes", "1,2,4,8", "--measure", "all", "--json", "bill.json", code=0)
        self.run_graphbench("floor", "--device", "host", "--json", "floors.json", code=0)
        canary = ["canary", "--device", "host", "--processes", "8", "--soak", "0", "--json"]
        self.run_graphbench(*canary, "canary.json", code=0)
        self.run_graphbench(*canary, "compared.json", "--against", "canary.json", code=(0, 10, 11))
        golden = [path for path in (GOLDEN / "json").glob("*.json") if "findings" not in path.name]
        documents = [*self.folder.glob("*.json"), *golden, *(GOLDEN / "comparison" / "json").glob("*.json"),
                     *(ROOT / "ci" / "baselines").glob("*.json")]
        patterns = self.patterns()
        schemas = set()
        for path in documents:
            document = json.loads(path.read_text(encoding="utf-8"))
            schemas.add(document["schema"])
            with self.subTest(path.name):
                numbers = numbers_of(document)
                self.assertTrue(numbers)
                known = patterns[document["schema"]]
                self.assertEqual([], sorted(number for number in numbers if not known.fullmatch(number)))
        self.assertEqual({"bill", "canary", "comparison", "floors", "history", "result", "series"},
                         {schema.split(".")[1].split("/")[0] for schema in schemas})

    def test_name_their_unit_and_what_a_metric_is(self):
        listed = {(each["document"], each["path"]): each for each in self.listed()}
        reserve = listed["graphbench.bill/1", "bills[].prediction.reserve_bytes"]
        self.assertEqual("bytes", reserve["unit"])
        p90 = listed["graphbench.result/1", "cells[].launches[].latency_seconds.p90"]
        self.assertEqual("seconds", p90["unit"])
        self.assertIn("Time of a step", p90["help"])
        base = listed["graphbench.comparison/1", "cells[].metrics[].base_seconds"]
        self.assertEqual("seconds", base["unit"])
        self.assertIn((None, "profile.busy_seconds"), listed)
        text = self.run_graphbench("list", "metrics", code=0).stdout
        self.assertRegex(text, r"\nbills\[\]\.prediction\.reserve_bytes +graphbench\.bill/1, in bytes\n")

    def test_are_columns_if_they_are_of_a_cell(self):
        of_cells = [each["path"] for each in self.listed() if each["document"] is None]
        shown = self.run_graphbench("show", GOLDEN / "json" / "instruments.json", "--format", "csv",
                                    "--columns", ",".join(of_cells), code=0).stdout
        head = next(csv.reader(shown.splitlines()))
        self.assertLessEqual(set(of_cells), set(head))


if __name__ == "__main__":
    unittest.main()
