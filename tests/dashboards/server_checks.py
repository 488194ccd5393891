"""What holds of a Prometheus that scrapes graphbench, made up or real: tests that two programs share."""

import grafana
import metrics_table


class ServerChecks:
    """Beside unittest.TestCase, with `prometheus`, `view` and `boards` (name to document)."""

    records_have_data = True

    def test_every_panel_of_every_dashboard_shows_data(self):
        for name, board in self.boards.items():
            with self.subTest(name):
                self.assertEqual([], grafana.faults_of(board, self.prometheus, self.view))

    def test_every_rule_is_healthy_and_every_record_has_data(self):
        rules = [rule for group in self.prometheus.data("/api/v1/rules")["groups"] for rule in group["rules"]]
        self.assertEqual({"alerting", "recording"}, {rule["type"] for rule in rules})
        written = sum(path.read_text().count("expr:") for path in metrics_table.rule_files())
        self.assertEqual(written, len(rules))
        for rule in rules:
            self.assertEqual("ok", rule["health"], rule)
            if rule["type"] == "recording" and self.records_have_data:
                self.assertNotEqual([], self.prometheus.instant(rule["name"]), rule["name"])

    def test_words_of_active_alerts_are_filled_in(self):
        for alert in self.prometheus.data("/api/v1/alerts")["alerts"]:
            for text in alert["annotations"].values():
                self.assertNotRegex(text, r"<no value>|error expanding|\{\{|  ", alert["labels"])

    def test_no_series_has_a_label_that_is_not_in_the_table(self):
        table = metrics_table.load()
        found = self.prometheus.data("/api/v1/series", **{"match[]": '{__name__=~"graphbench_.*"}'})
        self.assertGreater(len(found), 100)
        for series in found:
            name = series.pop("__name__")
            self.assertLessEqual(set(series), table.labels_of(name), name)

    def types_published(self):
        return {one["metric"]: one["type"] for one in self.prometheus.data("/api/v1/targets/metadata")}

    def alerts(self, *states):
        return {alert["labels"]["alertname"] for alert in self.prometheus.data("/api/v1/alerts")["alerts"]
                if alert["state"] in states}
