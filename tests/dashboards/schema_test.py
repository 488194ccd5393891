"""Every dashboard is valid against Grafana's published JSON schema, and the schema finds broken ones.

The schema is Grafana's and not in this repository: GRAPHBENCH_GRAFANA_SCHEMA names a copy."""

import copy
import json
import os
import unittest

import jsonschema

import metrics_table

SCHEMA = os.environ.get("GRAPHBENCH_GRAFANA_SCHEMA")
BOARDS = metrics_table.boards()


def first_thresholds(board):
    defaults = [panel.get("fieldConfig", {}).get("defaults", {}) for panel in board["panels"]]
    return next(each["thresholds"] for each in defaults if "thresholds" in each)


# Each breaks one thing that Grafana's schema speaks of.
MUTANTS = {
    "no schemaVersion": lambda board: board.pop("schemaVersion"),
    "no templating": lambda board: board.pop("templating"),
    "an unknown key": lambda board: board.update(pannels=[]),
    "a title that is not text": lambda board: board.update(title=7),
    "a panel without a type": lambda board: board["panels"][0].pop("type"),
    "a panel wider than the grid": lambda board: board["panels"][0]["gridPos"].update(w=25),
    "a panel with an unknown key": lambda board: board["panels"][0].update(unit="s"),
    "a data source that is a name": lambda board: board["panels"][0].update(datasource="prometheus"),
    "an unknown kind of variable": lambda board: board["templating"]["list"][1].update(type="label"),
    "a variable without a name": lambda board: board["templating"]["list"][1].pop("name"),
    "an unknown order of variables": lambda board: board["templating"]["list"][1].update(sort=9),
    "a link without its kind": lambda board: board["links"][0].pop("type"),
    "a time without its end": lambda board: board["time"].pop("to"),
    "an unknown threshold mode": lambda board: first_thresholds(board).update(mode="relative"),
}


@unittest.skipUnless(SCHEMA, "GRAPHBENCH_GRAFANA_SCHEMA is not set: the path of Grafana's dashboard schema")
class Schema(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        with open(SCHEMA, encoding="utf-8") as file:
            schema = json.load(file)
        cls.validator = jsonschema.validators.validator_for(schema)(schema)

    def faults(self, board):
        return [f"{list(error.absolute_path)}: {error.message[:300]}"
                for error in self.validator.iter_errors(board)]

    def test_holds_for_every_dashboard(self):
        for name, board in BOARDS.items():
            with self.subTest(name):
                self.assertEqual([], self.faults(board))

    def test_finds_what_is_broken(self):
        for name, break_it in MUTANTS.items():
            for dashboard, board in BOARDS.items():
                with self.subTest(name, dashboard=dashboard):
                    broken = copy.deepcopy(board)
                    break_it(broken)
                    self.assertNotEqual([], self.faults(broken))
