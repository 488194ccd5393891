#!/usr/bin/env python3
"""board_data.py SERVER BOARD DOCUMENT [VARIABLE=VALUE]...: what a board's panels are answered by a real
Prometheus that scraped a document, as JSON. SERVER is graphbench_metrics_server. ci/picture draws it."""

import json
import subprocess
import sys
import time

import grafana
import metrics_table
from prometheus_servers import Prometheus


def answers(board, prometheus, chosen):
    """The values of the variables, and the panels, each with the answers to its queries by their letters."""
    values, faults = grafana.resolve(board, prometheus, chosen)
    if faults:
        sys.exit(f"board_data.py: {'; '.join(faults)}")
    now = time.time()  # of all queries: the rows of two are merged where their times are equal too
    panels = []
    for panel, _, scoped in grafana.looked_at(board, values, grafana.View(open_only=True)):
        given = {target["refId"]: prometheus.data("/api/v1/query", time=now,
                                                  query=grafana.interpolate(target["expr"], scoped))["result"]
                 for target in panel["targets"]}
        panels.append({"panel": panel, "answers": given})
    return {"values": values, "panels": panels}


def main(server, name, document, *choices):
    board = metrics_table.boards([name])[name]
    with subprocess.Popen([server, document], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          text=True) as serving:  # its stdin is closed at the end, which ends it
        address = serving.stdout.readline().removeprefix("http://").split("/")[0]
        if not address:
            sys.exit(f"board_data.py: {server} does not serve {document}")
        with Prometheus([address]) as prometheus:
            prometheus.wait_for_scrapes(2)
            json.dump(answers(board, prometheus, dict(one.split("=", 1) for one in choices)), sys.stdout)


if __name__ == "__main__":
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    main(*sys.argv[1:])
