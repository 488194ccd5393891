"""The rules for PromQL, wherever it stands: metrics and labels exist, rates are of counters.

Each rule takes a Place and yields sentences, none where all is well."""

import promql

# What Prometheus itself adds to series and to alerts.
BUILT_IN = {"le", "quantile", "job", "instance", "alertname", "alertstate"}


class Place:
    """One expression: where it stands, and the table of metrics, with recorded ones, that it may use."""

    def __init__(self, where, expression, table, recorded=()):
        self.where = where
        self.expression = expression
        self.table = table
        self.recorded = set(recorded)
        self.selectors = promql.selectors(expression)

    def known(self):
        return [one for one in self.selectors if one.metric in self.table.series]


def metrics_exist(place):
    if not place.selectors:
        yield "asks no metric"
    for selector in place.selectors:
        if selector.metric not in place.table.series and selector.metric not in place.recorded:
            yield f"there is no metric {selector.metric}"


def labels_exist(place):
    every = set(BUILT_IN) | promql.made_labels(place.expression)
    for selector in place.known():
        every |= place.table.labels_of(selector.metric)
        for label, _, _ in selector.matchers:
            if label not in place.table.labels_of(selector.metric):
                yield f"{selector.metric} has no label {label}"
    if any(selector.metric in place.recorded for selector in place.selectors):
        for metric in place.table.metrics:
            every |= set(metric.labels)
    for label in sorted(promql.grouped_labels(place.expression) - every):
        yield f"groups by {label}, which no metric of it has"


def rates_are_of_counters(place):
    for selector in place.known():
        counter = place.table.is_counter(selector.metric)
        if selector.function in promql.RATES and not counter:
            yield f"{selector.function}() over {selector.metric}, which is not a counter"
        if selector.function in ("delta", "deriv", "idelta") and counter:
            yield f"{selector.function}() over the counter {selector.metric}"


def rates_have_windows(place):
    for selector in place.selectors:
        if selector.function in promql.RATES and not selector.window:
            yield f"{selector.function}() over {selector.metric} has no range"


def quantiles_are_of_buckets(place):
    if "histogram_quantile" in place.expression:
        if not any(selector.metric.endswith("_bucket") for selector in place.selectors):
            yield "histogram_quantile() without buckets"
        if "le" not in promql.grouped_labels(place.expression):
            yield "histogram_quantile() over a sum without le"


def summaries_name_their_quantile(place):
    """A summary's median and p99 are series of one name: without the quantile an aggregate mixes them."""
    for selector in place.known():
        if place.table.series[selector.metric][0] != "summary":
            continue
        pinned = any(label == "quantile" for label, _, _ in selector.matchers)
        if not pinned and "quantile" not in promql.grouped_labels(place.expression):
            yield f"{selector.metric} without its quantile"


RULES = [metrics_exist, labels_exist, rates_are_of_counters, rates_have_windows, quantiles_are_of_buckets,
         summaries_name_their_quantile]


def faults_of(place):
    return [f"{place.where}: {fault}" for rule in RULES for fault in rule(place)]
