"""The table of the metrics that dashboards and rules may use, dashboards/metrics.json."""

import collections
import json
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "tests" / "integration"))  # client and prometheus_servers are of both
DASHBOARDS = ROOT / "dashboards"
SUFFIXES = {"histogram": ("_bucket", "_count", "_sum"), "summary": ("_count", "_sum")}


Metric = collections.namedtuple("Metric", "name kind labels help")


class Table:
    """Every series name: histograms and summaries with their suffixes. `metrics` are the families."""

    def __init__(self, document):
        groups = document["labels"]
        target = set(groups["TARGET"])
        self.metrics = []
        self.series = {}
        for row in document["metrics"] + document["prometheus"]:
            labels = [name for label in row["labels"] for name in groups.get(label, [label])]
            metric = Metric(row["name"], row["type"], labels, row["help"])
            if row in document["metrics"]:
                self.metrics.append(metric)
            # A cell away from the default of an axis that came later has the label `variant` too.
            self.add(metric, target | set(groups["OPTIONAL"] if "CELL" in row["labels"] else ()))

    def add(self, metric, others):
        labels = set(metric.labels) | others
        if metric.kind != "histogram":
            self.series[metric.name] = (metric.kind, labels)
        for suffix in SUFFIXES.get(metric.kind, ()):
            own = labels | {"le"} if suffix == "_bucket" else labels - {"quantile"}
            self.series[metric.name + suffix] = ("counter", own)

    def is_counter(self, name):
        return name in self.series and self.series[name][0] == "counter"

    def labels_of(self, name):
        return self.series[name][1]


def read():
    return json.loads((DASHBOARDS / "metrics.json").read_text())


def load():
    return Table(read())


def rule_files():
    return sorted((DASHBOARDS / "prometheus").glob("*.rules.yml"))


def panels_of(board):
    """(panel, the variable that its row repeats over, whether the row is collapsed), rows left out."""
    row = {}
    for panel in board["panels"]:
        if panel["type"] == "row":
            row = panel
            for inner in panel.get("panels", []):
                yield inner, row.get("repeat"), True
        else:
            yield panel, row.get("repeat"), False


def boards(names=("overview", "cell", "ladder", "regressions", "service")):
    """Documents of dashboards by their names."""
    return {name: json.loads((DASHBOARDS / "grafana" / f"{name}.json").read_text()) for name in names}
