"""Two sweeps compared on the service's page; what axe-core says of the page; what can be saved."""

import json
import signal

from client import open_url, wait_for
from page_test import COLUMNS, PageCase
from serve_case import MANY, TINY

WIDTHS = {"desktop": 1280, "phone": 360}


class Compared(PageCase):
    def ended(self, request):
        path = self.submit(request)
        self.wait_for_state(path, "done")
        return path

    def compare(self, base, new):
        """As a person does it."""
        wait_for("both rows", lambda: (self.state_of(base), self.state_of(new)) == ("done", "done"))
        self.press(new, "show")
        wait_for("the choice", lambda: base.split("/")[-1] in self.run_script(
            "return [...document.querySelectorAll('#base option')].map((node) => node.value)"))
        self.select("base", base.split("/")[-1])
        self.find("compare").click()
        wait_for("the comparison", lambda: self.find("comparison").is_displayed())

    def test_two_sweeps_are_compared_in_the_services_words(self):
        self.open_page()
        base, new = (self.ended({**TINY, "launches": 3, "seed": seed}) for seed in (1, 2))
        other = self.ended({**TINY, "workload": "conv"})
        self.compare(base, new)
        said = self.ask("POST", "/v1/compare", {"base": base.split("/")[-1], "new": new.split("/")[-1]})[1]
        self.wait_until("headline", ".")
        self.assertEqual((said["outcome"], said["headline"]), (self.text("verdict"), self.text("headline")))
        names = [f"{each['mode']} {each['metric']}" for each in said["means"]]
        names += [f"{cell['id']} {each['metric']}" for cell in said["cells"] for each in cell["metrics"]
                  if each["verdict"] != "same"]
        rows = [row.text for row in self.all("#changes figure tbody tr")]
        self.assertEqual(sorted(names), sorted(" ".join(row.split()[:2]) for row in rows))
        for each in said["means"]:
            ratio = f"{each['ratio']:.3f}x"
            self.assertTrue(any(ratio in row and each["verdict"] in row for row in rows), ratio)
        self.assert_axe_finds_nothing()
        self.look_at("9-compared")
        self.press(other, "show")
        wait_for("it to go", lambda: not self.find("comparison").is_displayed())
        self.compare(base, other)
        self.wait_until("headline", "not comparable")

    def test_the_table_shows_each_number_as_the_cells_event_has_it(self):
        self.open_page()
        path = self.ended({**TINY, "launches": 3})
        self.wait_until("tally", "^6 ok$")
        rows = self.rows_shown()
        with open_url(self.url + path + "/events", 60) as answer:
            lines = answer.read().decode().splitlines()
        cells = [json.loads(line[len("data: "):]) for line in lines if line.startswith('data: {"id"')]
        cells = [cell for cell in cells if "row" in cell]
        self.assertEqual(6, len(cells))
        for cell in cells:
            numbers = [cell["row"].get(key, {"text": "\u2013"}) for key in COLUMNS]
            texts = ["\n".join(filter(None, (each["text"], each.get("range")))) for each in numbers]
            self.assertEqual(texts, rows[cell["id"]][5:5 + len(COLUMNS)])

    def look_at(self, name):
        self.addCleanup(self.browser.set_window_size, 1280, 1500)
        for scheme in ("light", "dark"):
            self.emulate(prefers_color_scheme=scheme)
            for kind, width in WIDTHS.items():
                self.browser.set_window_size(width, 1500)
                self.screenshot(f"{name}-{kind}-{scheme}")
                self.assertLessEqual(self.run_script("return document.documentElement.scrollWidth"), width)

    def test_axe_finds_nothing_on_the_page(self):
        self.open_page()
        self.wait_until("queue-empty", "None yet")
        self.assert_axe_finds_nothing()
        self.ended({**TINY, "batch": [1, 1_000_000_000]})
        self.wait_until("tally", "^3 ok, 3 failed$")
        wait_for("what was found", lambda: self.find("findings").is_displayed())
        self.addCleanup(self.browser.set_window_size, 1280, 1500)
        for scheme in ("light", "dark"):
            self.emulate(prefers_color_scheme=scheme)
            for width in WIDTHS.values():
                self.browser.set_window_size(width, 1500)
                self.assert_axe_finds_nothing()

    def test_the_form_names_workloads_and_steps(self):
        folder = self.folder / "steps"
        folder.mkdir(mode=0o755)
        (folder / "llama.py").write_text("def build(batch, device):\n    pass\n")
        self.open_page("--torch-folder", "steps")
        self.wait_until("workload-help", ": mlp, .*; or one step of PyTorch alone: llama:build[.]$")
        offered = self.run_script("return [...document.querySelectorAll('#workloads option')]"
                                  ".map(({ value }) => value)")
        self.assertEqual(("mlp", "llama:build"), (offered[0], offered[-1]))
        self.assert_axe_finds_nothing()

    def test_an_empty_page_offers_a_first_sweep(self):
        self.open_page()
        self.wait_until("first-sweep", "first sweep")
        self.find("first-sweep").click()
        self.wait_until("form-done", "Queued as [0-9a-f]{16}")
        path = "/v1/sweeps/" + self.text("form-done").split()[-1].rstrip(".")
        asked = self.ask("GET", path)[1]["arguments"]
        self.assertIn("--batch=1,4,16,64", asked)
        self.assertIn("--workload=mlp", asked)
        wait_for("the offer to go", lambda: not self.find("queue-first").is_displayed())
        self.ask("DELETE", path)

    def test_a_sweep_without_a_document_has_none_to_save(self):
        process = self.open_page()
        path = self.submit(MANY)
        self.wait_until("tally", r"\d+ ok")
        address = self.url.removeprefix("http://")
        self.end(process, signal.SIGKILL)
        self.wait_until("problem", "The service does not answer")
        self.serve(listen=address)
        wait_for("its state", lambda: self.state_of(path) == "interrupted")
        self.wait_until("tally", r"\d+ ok")
        self.assertFalse(self.ask("GET", path)[1]["has_results"])
        self.assertFalse(self.find("save").is_displayed())
        self.allow(r"ERR_CONNECTION_REFUSED|ERR_INCOMPLETE_CHUNKED_ENCODING|ERR_EMPTY_RESPONSE")
