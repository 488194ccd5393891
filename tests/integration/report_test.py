"""graphbench report as a person reads it: Chromium on files, with scripts and without; what is refused."""

import copy
import json
import pathlib
import re

from browser import BrowserCase
from client import fetch, wait_for
from harness_case import ROOT, TINY
from page_test import COLUMNS, PageCase
from serve_case import TINY as REQUEST

BASELINE = ROOT / "ci" / "baselines" / "h200.json"
GOLDEN = ROOT / "tests" / "golden"
KEPT = ("index", "setup", "setups", "submit_seconds", "latency_seconds", "device_seconds",
        "throughput_steps_per_second")
PAGE_BYTES_MAX, CELL_BYTES_MAX = 150_000, 850
VIEWS = {"desktop": (1280, "light", ""), "phone": (360, "light", ""), "dark": (1280, "dark", ""),
         "print": (794, "dark", "print")}  # A4 at 96 dots per inch


def cells_of(document, count):
    """So many cells: those of a real document, again and again as other workloads."""
    made = []
    for copies in range(count // len(document["cells"]) + 1):
        for cell in document["cells"]:
            cell = copy.copy(cell)
            # They are of other cells too, which may not be made, or of parts of launches that are not kept.
            cell["summary"] = {name: value for name, value in cell["summary"].items()
                               if not name.startswith(("setup_once", "startup", "break_"))}
            cell["launches"] = [{key: launch[key] for key in KEPT} for launch in cell["launches"]]
            if copies:
                cell["workload"] += str(copies)
                cell["id"] = cell["workload"] + cell["id"][cell["id"].index("/"):]
            made.append(cell)
    return made[:count]


class ReportCase(BrowserCase):
    def setUp(self):
        super().setUp()
        self.measured = json.loads(BASELINE.read_text(encoding="utf-8"))

    def write_result(self, name, count, change=lambda cell: None):
        document = dict(self.measured, cells=copy.deepcopy(cells_of(self.measured, count)))
        for cell in document["cells"]:
            change(cell)
        self.write(name, json.dumps(document))
        return document

    def report(self, *arguments):
        """Its text, after it was made and opened."""
        done = self.run_graphbench("report", *arguments, "-o", "report.html")
        if "the web page was not built" in done.stderr:
            self.skipTest("this binary has no page")
        self.assertEqual(0, done.returncode, done.stderr)
        return self.open_file("report.html")

    def open_file(self, name):
        self.browser.get((self.folder / name).as_uri())
        wait_for("all of it", lambda: self.run_script("return performance.getEntriesByName('all').length"))
        self.assertEqual([], self.run_script("return performance.getEntriesByType('resource')"))
        return (self.folder / name).read_text(encoding="utf-8")

    def embedded(self, page):
        text = re.search('<script type="application/json" id="documents">(.*?)</script>', page, re.S).group(1)
        return len(text.encode()), json.loads(text)

    def look_at(self, name):
        self.addCleanup(self.emulate)
        self.addCleanup(self.browser.set_window_size, 1280, 1500)
        for view, (width, scheme, medium) in VIEWS.items():
            self.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {
                "media": medium, "features": [{"name": "prefers-color-scheme", "value": scheme}]})
            self.browser.set_window_size(width, 1500)
            self.screenshot(f"report-{name}-{view}")
            self.assertLessEqual(self.run_script("return document.documentElement.scrollWidth"), width, view)

    def titles(self):
        return self.run_script("return [...document.querySelectorAll('#figures h2')].map((n) => n.innerText)")


class Report(ReportCase):
    def test_a_result_is_read_at_every_width_in_the_dark_and_on_paper(self):
        self.write_result("r.json", 324)
        page = self.report("r.json")
        size, documents = self.embedded(page)
        plain = re.search("<noscript>.*?</noscript>", page, re.S).group(0)
        self.assertLess(len(page.encode()) - size - len(plain.encode()), PAGE_BYTES_MAX)
        self.assertLess(size / 324, CELL_BYTES_MAX)
        print(f"report: {len(page.encode()) - size - len(plain.encode())} bytes without data, "
              f"{size / 324:.0f} embedded per cell")
        self.assertGreater(len(documents["result"]["conclusions"]), 3)
        self.assert_cards_tell(documents["result"])
        self.assertEqual("324 ok", self.text("tally"))
        self.assertFalse(self.find("columns").is_displayed())
        drawings = self.run_script("""
          return [...document.querySelectorAll(".drawing")].map((each) =>
            [each.querySelector("title").textContent, each.querySelector("desc").textContent.length,
             each.querySelectorAll("tbody tr").length]);
        """)
        self.assertGreater(len(drawings), 40)
        for title, desc, rows in drawings:
            self.assertTrue(title and desc > 20 and rows, title)
        self.assertIn("How many warmups a step needs", self.titles())
        self.assert_axe_finds_nothing()
        self.look_at("result")

    def assert_cards_tell(self, result):
        """Each sentence is there, perhaps folded, and a strip has the gains of the table's rows."""
        said = self.find("conclusions").get_attribute("textContent")
        for each in result["conclusions"]:
            self.assertIn(each["text"], said)
        self.assertTrue(all(1 <= len(card.find_elements("css selector", "dt")) <= 4
                            for card in self.all(".card") if card.find_elements("css selector", ".strip")))
        gain_at = result["columns"].index("summary.speedup_over_eager")
        table = {tuple(cell.split("/")[index] for index in (0, 4, 6)): lists[gain_at]
                 for cell, _, _, _, *lists in result["rows"] if cell.count("/") == 6}
        drawn = 0
        for card in self.all(".card"):
            for batch, mode, gain, *interval in (
                    item.text.split("\n") for item in card.find_elements("css selector", ".strip li")):
                subject = card.find_element("css selector", "h3").text
                of = "whole" if mode in ("either", "cannot tell") else mode
                key = (subject, batch.replace("atch ", ""), of)
                if key in table:
                    text, _, _, _, interval_there = table[key]
                    self.assertEqual((text.rstrip("?"), interval_there),
                                     (gain, "-".join(re.findall(r"[\d.]+", interval[0]))))
                    drawn += 1
        self.assertGreater(drawn, 8)

    def test_the_numbers_are_the_documents(self):
        page = self.report(self.write_result("r.json", 93) and "r.json")
        shown = self.run_script("""
          return Object.fromEntries([...document.querySelectorAll("#cell-rows tr")].map((row) =>
            [row.dataset.cell, [...row.children].map((node) => node.innerText)]));
        """)
        self.assertEqual({cell["id"] for cell in self.measured["cells"]}, set(shown))
        result = self.embedded(page)[1]["result"]
        for cell, _, _, _, *lists in result["rows"]:
            numbers = dict(zip(result["columns"], lists))
            lists = [numbers.get(key) or ["\u2013"] for key in COLUMNS]
            texts = ["\n".join(filter(None, [each[0], *each[4:]])) for each in lists]
            self.assertEqual(texts, shown[cell][5:5 + len(COLUMNS)])
        for cell in self.measured["cells"]:
            if cell["summary"]["speedup_over_eager"] is None:
                continue
            told = float(re.search(r"([\d.]+)[x*]", shown[cell["id"]][8]).group(1))
            self.assertAlmostEqual(cell["summary"]["speedup_over_eager"], told, delta=0.0051)

    def test_the_first_plot_of_every_committed_document_has_several_lines(self):
        baselines = sorted(BASELINE.parent.glob("*.json"))
        self.assertGreaterEqual(len(baselines), 4)
        for baseline in baselines:
            with self.subTest(baseline.name):
                page = self.report(str(baseline))
                lines = [node.text.split()[0] for node in self.all("#legend li")]
                self.assertGreater(len(lines), 1)
                self.assertEqual("eager", lines[0])
                described = self.run_script("""
                  return document.querySelector("#figures .drawing desc").textContent
                """)
                for mode in lines:
                    self.assertIn(f"{mode}: ", described)
                # Eager's cells that graph cells of other axes refer to have no plot of their own.
                subjects = {each["subject"] for each in self.embedded(page)[1]["result"]["conclusions"]}
                self.assertEqual(len(subjects), len(self.all("#variant option")))
                self.assert_axe_finds_nothing()

    def test_graphs_join_the_eager_that_they_are_compared_with(self):
        self.run_graphbench(*TINY, "--workload", "mlp", "--mode", "eager,whole", "--io", "static,copy_in",
                            "--json", "io.json", code=0)
        self.report("io.json")
        plots = [each.text for each in self.all("#variant option")]
        self.assertEqual(2, len(plots), plots)
        self.assertTrue(any("io=copy_in" in each for each in plots))
        for each in plots:
            self.run_script("""
              const select = document.getElementById("variant");
              select.value = arguments[0];
              select.dispatchEvent(new Event("change"));
            """, each)
            self.assertEqual(["eager", "whole"], [node.text.split()[0] for node in self.all("#legend li")])

    def test_two_results_say_what_changed(self):
        def slow(cell, factor=1.5):
            if cell["mode"] != "whole":
                return
            cell["summary"] = {}
            for launch in cell["launches"]:
                for key in launch["latency_seconds"]:
                    if isinstance(launch["latency_seconds"][key], float):
                        launch["latency_seconds"][key] *= factor
                launch["latency_seconds"]["p50_ci95"] = None
        self.write_result("base.json", 93)
        self.write_result("new.json", 93, slow)
        self.report("base.json", "new.json")
        compared = json.loads(self.run_graphbench("compare", "base.json", "new.json", "--format",
                                                  "json").stdout)
        self.assertEqual(("slower", compared["headline"]), (self.text("verdict"), self.text("headline")))
        tops = [self.find(name).location["y"]
                for name in ("verdict", "results-title", "conclusions", "cells")]
        self.assertEqual(sorted(tops), tops, "the verdict comes first")
        mean = next(each for each in compared["means"]
                    if (each["mode"], each["metric"]) == ("whole", "latency"))
        row = next(row.text for row in self.all("#changes tbody tr") if row.text.startswith("whole latency"))
        low, high = mean["ratio_ci95"]
        self.assertIn(f"{mean['ratio']:.3f}x", row)
        self.assertIn(f"[{low:.3f}, {high:.3f}]", row)
        self.assertEqual([], self.all("#changes polygon.beyond"))
        self.assert_axe_finds_nothing()
        self.look_at("two")
        self.write_result("far.json", 93, lambda cell: slow(cell, 4))
        self.report("base.json", "far.json")
        self.assertNotEqual([], self.all("#changes polygon.beyond"), "ratios beyond the axis are arrows")
        # A comparison has margins of its own.
        self.run_graphbench("compare", "base.json", "new.json", "--margin", "90%", "--format", "json",
                            "-o", "wide.json", code=0)
        self.report("wide.json")
        self.assertEqual(self.result("wide.json")["headline"], self.text("headline"))
        self.assertNotEqual("slower", self.text("verdict"))

    def test_a_series_and_a_ladder_have_their_figures(self):
        series = json.loads((GOLDEN / "json" / "history.series.json").read_text(encoding="utf-8"))
        series["points"] *= 6
        series["changes"] = [{"index": 6, "entry": 1, "ratio": 1.25, "p": 0.001}]
        self.write("series.json", json.dumps(series))
        self.run_graphbench("ladder", "--device", "host", "--capture-sizes", "1,2,4", "--steps", "60",
                            "--warmup", "1", "--workload", "mlp", "--traffic", "uniform:1:4", "--suggest",
                            "--json", "ladder.json", code=0)
        self.report("ladder.json", "series.json")
        self.assertEqual(["What was found over time", "Ladders of captured sizes"], self.titles())
        text = self.find("figures").text
        self.assertIn("+25.0 %", text)
        ladder = self.result("ladder.json")
        for each in ladder["ladders"]:
            self.assertIn(each["id"], text)
        self.assertIn("mlp, suggested", text)
        said = self.text("conclusions")
        asked = [each for each in ladder["ladders"] if each["role"] == "asked"]
        for each in (*ladder["suggestions"], *asked):
            self.assertIn(each["sentence"], said)
        styles = self.run_script("""
          return [...document.querySelectorAll("#figures svg")]
            .filter((svg) => svg.textContent.includes("predicted"))
            .flatMap((svg) => [...svg.children].map((each) => each.getAttribute("class") ?? ""))
            .filter((name) => name.startsWith("line-"));
        """)
        lines = len(ladder["ladders"]) + len(ladder["suggestions"])
        self.assertEqual(2 * lines, len(styles))  # in the legend and in the drawing
        self.assertEqual(min(lines, 4), len(set(styles)))
        self.assert_axe_finds_nothing()
        self.look_at("ladder")

    def test_without_scripts_it_is_read_too(self):
        self.write_result("small.json", 93)
        self.write_result("large.json", 501)
        for name, rows in (("small.json", 99), ("large.json", 0)):
            self.report(name)
            self.browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
            self.addCleanup(self.browser.execute_cdp_cmd, "Emulation.setScriptExecutionDisabled",
                            {"value": False})
            self.browser.refresh()
            text = self.all("noscript")[0].text
            self.assertIn("Use whole at batch", text)
            self.assertEqual(rows, len(self.all("noscript tr")))
            self.assertNotIn("loaded", text)  # this sweep has no number of that column
            self.assertFalse(self.find("columns").is_displayed())
            self.screenshot(f"report-plain-{rows}")
            self.browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})

    def test_how_long_it_takes_to_be_there(self):
        for count in (100, 10_000, 100):
            document = self.write_result("r.json", count)
            for cell in document["cells"]:
                cell["launches"], cell["summary"] = cell["launches"][:1], {}
            document["complete"] = False
            self.write("r.json", json.dumps(document))
            self.report("r.json")
            marks = self.run_script("return performance.getEntriesByType('mark').map((each) => "
                                    "[each.name, Math.round(each.startTime)])")
            print(f"report: {count} cells: {dict(marks)} ms")
            self.assertTrue(self.find("findings").is_displayed())
            self.assertEqual(f"{count} ok", self.text("tally"))

    def test_what_is_no_report_is_refused(self):
        self.write_result("r.json", 3)
        self.write("odd.json", '{"schema": "graphbench.floors/1"}')
        self.write("half.json", '{"schema": "graphbench.series/1", "cell": "mlp"}')
        self.write("text.json", "hello")
        deep = '{"schema": "graphbench.comparison/1", "cells": [], "headline": "h", "x": '
        self.write("deep.json", deep + "[" * 200_000 + "]" * 200_000 + "}")
        self.refuse_each((
            ("report", ("report: ", "DOC is missing")),
            ("report r.json r.json r.json", ("r.json", "give one result, or two (BASE and NEW)")),
            ("report odd.json", ("odd.json", "graphbench.floors/1")),
            ("report half.json", ("half.json", "not a complete graphbench document")),
            ("report text.json", ("text.json", "not a JSON object")),
            ("report deep.json", ("deep.json", "nested deeper than 64 levels")),
            ("report r.json -o r.json", ("-o", '"r.json"', "is one of the documents")),
            ("report r.json -o nowhere/r.html", ("-o", "nowhere"))))
        self.assertFalse((self.folder / "report.html").exists())


class Made(PageCase):
    """By a sweep, and by the service."""

    def test_a_sweep_writes_one_beside_its_result(self):
        done = self.run_graphbench(*TINY, "--workload", "mlp", "--report", "r.html", "--json", "r.json")
        if "the web page was not built" in done.stderr:
            self.skipTest("this binary has no page")
        self.assertEqual(0, done.returncode, done.stderr)
        self.run_graphbench("report", "r.json", code=0)
        self.assertEqual(*(pathlib.Path(self.folder / name).read_text(encoding="utf-8")
                           for name in ("r.html", "report.html")))
        self.refuse_each((("--sweep --report r.json --json r.json", ("--report", '"r.json"')),
                          ("--sweep --report -", ("--report", "give a file")),
                          ("bench --report r.html", ("--report", "run a sweep"))))

    def test_the_service_makes_one_of_each_result(self):
        self.open_page()
        path = self.submit(REQUEST)
        self.wait_until("tally", "^6 ok$")
        wait_for("the button", lambda: self.find("save-report").is_displayed())
        self.browser.execute_cdp_cmd("Browser.setDownloadBehavior",
                                     {"behavior": "allow", "downloadPath": str(self.folder)})
        self.find("save-report").click()
        saved = self.folder / f"graphbench-{path.split('/')[-1]}.html"
        wait_for("the file", saved.exists)
        status, headers, text = fetch(self.url + path + "/report")
        self.assertEqual((200, "text/html; charset=utf-8"), (status, headers["Content-Type"]))
        self.assertEqual(text, saved.read_text(encoding="utf-8"))
        self.write("result.json", json.dumps(self.ask("GET", path + "/results")[1]))
        refused = self.ask("POST", "/v1/sweeps", {**REQUEST, "report": "r.html"})
        self.assertEqual(400, refused[0])
        self.assertIn("report: a request may not give this option", refused[1]["error"])
        self.assertEqual(404, self.ask("GET", "/v1/sweeps/missing/report")[0])
        self.browser.get(saved.as_uri())
        self.wait_until("tally", "^6 ok$")
        self.assertEqual([], self.run_script("return performance.getEntriesByType('resource')"))
