"""The service's page as a person uses it: Chromium against a real service that runs real sweeps."""

import contextlib
import json
import re
import signal
import sqlite3

from browser import BrowserCase
from client import fetch, wait_for
from harness_case import ROOT
from serve_case import LONG, MANY, TINY, TOKEN, ServeCase

MODES = ("eager", "whole", "piecewise")
# The metrics of the table of cells, in its order.
COLUMNS = re.findall('"key": "(.*)"', (ROOT / "dashboards" / "page" / "columns.mjs").read_text("utf-8"))
UNITS = {"s": 1, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}
# What the page measures of itself in the tests below: the red, green and blue of a colour by its name.
CHANNELS = """
  const channels = (name) => {
    const probe = document.createElement("i");
    probe.style.color = `var(--${name})`;
    document.body.append(probe);
    const { color } = getComputedStyle(probe);
    probe.remove();
    return color.match(/\\d+/g).slice(0, 3).map(Number);
  };
"""
COLOURED = CHANNELS + """
  const canvas = document.querySelector("#plot canvas");
  const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  const [r, g, b] = channels(arguments[0]);
  let pixels = 0;
  for (let at = 0; at < data.length; at += 4) {
    if (data[at] === r && data[at + 1] === g && data[at + 2] === b && data[at + 3] === 255) ++pixels;
  }
  return pixels;
"""


def seconds_of(text):
    value, unit = re.match(r"([\d.]+)([a-z]+)", text).groups()
    return float(value) * UNITS[unit]


class PageCase(BrowserCase, ServeCase):
    def open_page(self, *arguments):
        process = self.serve(*arguments)
        if "text/html" not in fetch(self.url + "/")[1]["Content-Type"]:
            self.skipTest("this binary has no page: node or npm was missing where it was built, or failed")
        self.browser.get(self.url + "/")
        return process

    def queue_by_hand(self, **fields):
        for name, text in fields.items():
            self.write_in(name.replace("_", "-"), text)
        self.find("queue-sweep").click()

    def wait_until(self, name, pattern, seconds=180):
        return wait_for(f"'{pattern}' in #{name}", lambda: re.search(pattern, self.text(name)), seconds)

    def row(self, path):
        return self.all(f"#queue-rows tr[data-id='{path.split('/')[-1]}']")[0]

    def state_of(self, path):
        """As the page shows it in its queue."""
        return self.run_script("return document.querySelector(arguments[0])?.textContent",
                               f"#queue-rows tr[data-id='{path.split('/')[-1]}'] .state")

    def rows_shown(self):
        """What can be read in the table of cells at one moment: texts by the cell's id."""
        return dict(self.run_script("""
          return [...document.querySelectorAll("#cell-rows tr")].map((row) => [row.dataset.cell,
            [...row.children].filter((node) => !node.hidden).map((node) => node.innerText)]);
        """))

    def cells_shown(self):
        return set(self.rows_shown())

    def press(self, path, name):
        self.row(path).find_element("class name", name).click()

    def sweeps(self):
        return self.ask("GET", "/v1/sweeps")[1]["sweeps"]


# The ratio of luminances, as WCAG 2 computes it, of what is told by text on its background.
CONTRAST = CHANNELS + """
  const luminance = (name) => {
    const [r, g, b] = channels(name).map((each) => each / 255)
      .map((each) => (each <= 0.04045 ? each / 12.92 : ((each + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const [a, b] = [...arguments].map((name) => luminance(name) + 0.05);
  return Math.max(a, b) / Math.min(a, b);
"""


class Page(PageCase):
    def assert_row_tells(self, texts, cell):
        self.assertEqual(" / ".join(cell[key] for key in ("workload", "preset", "dtype", "pass")), texts[0])
        self.assertEqual([str(cell["warmup"]), str(cell["batch"]), cell["mode"], "ok"], texts[1:5])
        headings = [each.text for each in self.browser.find_elements("css selector", "#cell-columns th")]
        for metric in ("latency", "submit", "device"):
            text = texts[headings.index(metric.capitalize())]
            p50 = cell["summary"][f"{metric}_seconds"]["p50"]
            self.assertAlmostEqual(p50, seconds_of(text), delta=0.006 * p50)
        about = "" if cell["mode"] == "eager" else "~"  # one launch: no interval
        shown = re.fullmatch(rf"{about}([\d.]+)x", texts[headings.index("Gain")]).group(1)
        gain = cell["summary"]["speedup_over_eager"]
        self.assertAlmostEqual(gain, float(shown), delta=max(0.0051, 0.006 * gain))  # 0.59x, 21.0x

    def assert_plot_tells(self, cells, metric):
        told = self.find("plot").get_attribute("aria-label")
        lines = {line.split(":")[0].split()[-1]: line for line in told.rstrip(".").split(";")}
        self.assertEqual({cell["mode"] for cell in cells}, set(lines))
        for cell in cells:
            text = re.search(rf"([\d.]+[a-z]+) at batch {cell['batch']}\b", lines[cell["mode"]]).group(1)
            p50 = cell["summary"][f"{metric}_seconds"]["p50"]
            self.assertAlmostEqual(p50, seconds_of(text), delta=0.006 * p50)

    def test_a_sweep_is_queued_by_hand_watched_and_read(self):
        self.open_page()
        self.wait_until("queue-empty", "None yet")
        self.screenshot("1-empty")
        self.select("device", "host")
        self.queue_by_hand(workload="mlp, attention", batch="1:16:x4", warmup="0,2", time_per_cell="0.1",
                           launches="2")
        self.wait_until("form-done", "Queued as [0-9a-f]{16}")
        path = "/v1/sweeps/" + self.text("form-done").split()[-1].rstrip(".")
        self.wait_until("sweep-state", "running")
        self.wait_until("progress-text", r"[1-9]\d* of 72 cells, .* so far")
        self.wait_until("progress-doing", "mlp|attention")
        self.screenshot("2-running")
        self.wait_until("tally", r"\d+ ok")  # cells stand there before the sweep ends
        self.assertEqual("running", self.ask("GET", path)[1]["state"])
        self.wait_until("sweep-state", "done")
        self.wait_until("tally", "^36 ok$")
        result = self.ask("GET", path + "/results")[1]
        self.check_results(result["cells"])
        said = self.find("conclusions").get_attribute("textContent")
        self.assertTrue(said.startswith("mlp"), said)
        for each in result["conclusions"]:
            self.assertIn(each["text"], said)
        notes = [node.text for node in self.all("#notes li")]
        self.assertEqual([each["text"] for each in result["notes"]], notes)

    def check_results(self, cells):
        rows = self.rows_shown()
        self.assertEqual({cell["id"] for cell in cells}, set(rows))
        for cell in cells:
            self.assert_row_tells(rows[cell["id"]], cell)
        for workload, warmup, metric in (("mlp", 0, "latency"), ("attention", 2, "submit")):
            first = next(cell for cell in cells if cell["workload"] == workload)
            variant = " / ".join(first[key] for key in ("workload", "preset", "dtype", "pass"))
            self.select("variant", variant)
            self.select("warmups", str(warmup))
            self.select("metric", f"launches[].{metric}_seconds")
            plotted = [cell for cell in cells if cell["workload"] == workload and cell["warmup"] == warmup]
            self.assertEqual(9, len(plotted))
            self.assert_plot_tells(plotted, metric)
            for mode in MODES:
                self.assertGreater(self.run_script(COLOURED, mode), 60, f"no line of {mode}")
            self.assertEqual(list(MODES), [node.text.split()[0] for node in self.all("#legend li")])
        self.screenshot("3-done")
        self.select("filter", "plotted")
        self.assertEqual({cell["id"] for cell in plotted}, self.cells_shown())
        self.select("filter", "troubled")
        self.assertEqual(set(), self.cells_shown())
        self.assertEqual("0 of 36 shown.", self.text("cells-shown"))

    def test_cells_that_failed_say_why(self):
        self.open_page()
        path = self.submit({**TINY, "batch": [1, 1_000_000_000]})
        self.wait_until("sweep-state", "done")
        self.wait_until("tally", "^3 ok, 3 failed$")
        cells = self.ask("GET", path + "/results")[1]["cells"]
        failed = [cell for cell in cells if cell["status"] == "failed"]
        self.assertEqual(3, len(failed))
        rows = self.rows_shown()
        for cell in failed:
            reason = f"{cell['reason']['code']}: {cell['reason']['message']}"
            self.assertEqual([cell["mode"], "failed", reason], rows[cell["id"]][3:])
        self.select("filter", "troubled")
        self.assertEqual({cell["id"] for cell in failed}, self.cells_shown())
        self.screenshot("3-failed")
        for mode in MODES:  # one batch alone is a point each, and the failed ones are not in the plot
            self.assertIn(f"{mode}: ", self.find("plot").get_attribute("aria-label"))
        self.assertNotIn("at batch 1000000000", self.find("plot").get_attribute("aria-label"))

    def test_the_result_document_is_saved_whole(self):
        self.open_page()
        path = self.submit(TINY)
        wait_for("the button", lambda: self.find("save").is_displayed())
        self.browser.execute_cdp_cmd("Browser.setDownloadBehavior",
                                     {"behavior": "allow", "downloadPath": str(self.folder)})
        self.find("save").click()
        saved = self.folder / f"graphbench-{path.split('/')[-1]}.json"
        wait_for("the file", saved.exists)
        self.assertEqual(self.ask("GET", path + "/results")[1], json.loads(saved.read_text()))

    def test_sweeps_are_cancelled_the_running_one_after_a_question(self):
        self.open_page()
        running, waiting = self.submit(LONG), self.submit(TINY)
        wait_for("both rows", lambda: (self.state_of(running), self.state_of(waiting)) ==
                 ("running", "queued"))
        self.press(waiting, "cancel")
        wait_for("it to be cancelled", lambda: self.state_of(waiting) == "cancelled")
        self.assertEqual("cancelled", self.ask("GET", waiting)[1]["state"])
        self.press(running, "cancel")
        self.assertTrue(self.find("confirm").is_displayed())
        self.screenshot("4-question")
        self.browser.switch_to.active_element.send_keys("\ue00c")  # Escape: let it run
        wait_for("the question to go", lambda: not self.find("confirm").is_displayed())
        self.assertEqual("running", self.ask("GET", running)[1]["state"])
        self.press(running, "cancel")
        self.find("confirm").find_element("css selector", "[value=cancel]").click()
        wait_for("it to be cancelled", lambda: self.state_of(running) == "cancelled")
        self.assertEqual("cancelled", self.ask("GET", running)[1]["state"])
        self.assertFalse(self.row(running).find_element("class name", "cancel").is_displayed())

    def test_what_will_not_do_is_told_in_the_services_words(self):
        self.open_page()
        self.allow(r"/v1/sweeps - Failed to load resource: .* 400 ")
        for field, key, text in (("batch", "batch", "0"), ("time-per-cell", "time-per-cell", "soon"),
                                 ("workload", "workload", "no-such"), ("warmup", "warmup", "1:2:3")):
            self.queue_by_hand(**{field: text})
            words = self.ask("POST", "/v1/sweeps", {key: text})[1]["error"]
            self.wait_until("form-error", re.escape(words))
            self.assertEqual("true", self.find(field).get_attribute("aria-invalid"))
            self.assertEqual(field, self.browser.switch_to.active_element.get_attribute("id"))
            if field == "time-per-cell":
                self.screenshot("5-refused")
            self.find(field).clear()
        self.assertEqual([], self.sweeps())
        self.queue_by_hand(batch="1", warmup="0", time_per_cell="0.005", workload="mlp")
        self.wait_until("form-done", "Queued")
        self.assertEqual("", self.text("form-error"))
        self.assertIsNone(self.find("warmup").get_attribute("aria-invalid"))
        late = self.submit({**TINY, "dtype": "fp16"})  # as the device does not take it
        wait_for("its row", lambda: self.state_of(late) == "failed")
        self.press(late, "show")
        self.wait_until("sweep-message", "fp16")
        self.assertEqual(self.sweeps()[0]["message"], self.text("sweep-message"))

    def test_what_comes_from_the_service_is_text_and_never_html(self):
        self.open_page()
        name = "<img src=x onerror=document.title='caught'><script>document.title='caught'</script>"
        self.allow(r"/v1/sweeps - Failed to load resource: .* 400 ")
        self.queue_by_hand(workload=name)
        self.wait_until("form-error", re.escape(name))
        self.submit({**TINY, "split-ops": name})
        self.wait_until("sweep-state", "failed")
        self.wait_until("sweep-asked", re.escape(name))
        wait_for("the row", lambda: name in self.all("#queue-rows tr")[0].text)
        self.assertEqual([], self.all("main img, main script"))
        self.assertEqual("graphbench", self.browser.title)

    def test_a_reload_in_mid_sweep_loses_nothing(self):
        self.open_page()
        path = self.submit(MANY)
        self.wait_until("tally", r"\d+ ok")
        before = self.cells_shown()
        self.browser.refresh()
        self.wait_until("tally", r"\d+ ok")
        self.assertEqual(set(), before - self.cells_shown())
        self.wait_until("progress-text", r"\d+ of 360 cells")
        self.ask("DELETE", path)
        self.wait_until("sweep-state", "cancelled")

    def test_the_one_that_is_asked_for_is_shown(self):
        self.open_page()
        first, second = self.submit(TINY), self.submit({**TINY, "workload": "conv"})
        self.wait_for_state(second, "done")
        wait_for("both rows", lambda: self.state_of(first) == "done" and self.state_of(second) == "done")
        self.press(first, "show")
        self.wait_until("sweep-id", first.split("/")[-1])
        self.assertTrue(self.browser.current_url.endswith("#" + first.split("/")[-1]))
        self.wait_until("tally", "6 ok")
        self.assertEqual({"mlp"}, {cell.split("/")[0] for cell in self.cells_shown()})
        self.press(second, "show")
        wait_for("the other's cells", lambda: {cell.split("/")[0] for cell in self.cells_shown()} == {"conv"})
        self.browser.back()
        self.wait_until("sweep-id", first.split("/")[-1])

    def queue_shown(self):
        rows = "document.querySelectorAll('#queue-rows tr')"
        return self.run_script(f"return [...{rows}].map((row) => row.dataset.id)")

    def test_older_sweeps_are_a_button_away(self):
        self.end(self.serve())
        ids = [f"{number:016x}" for number in range(250, 0, -1)]
        with contextlib.closing(sqlite3.connect(self.folder / "graphbench-state" / "sweeps.sqlite")) as store:
            store.executemany("INSERT INTO sweeps (id, state, arguments, submitted_at) "
                              "VALUES (?, 'failed', '[]', '')", [(each,) for each in reversed(ids)])
            store.commit()
        self.open_page()
        wait_for("the newest", lambda: self.queue_shown() == ids[:100])
        for shown in (200, 250):
            self.assertTrue(self.find("older").is_displayed())
            self.find("older").click()
            wait_for("older ones", lambda shown=shown: self.queue_shown() == ids[:shown])
        wait_for("no more to ask for", lambda: not self.find("older").is_displayed())
        path = self.submit(TINY)
        wait_for("a new one", lambda: self.queue_shown() == [path.split("/")[-1], *ids[:250]][:251])
        self.press(f"/v1/sweeps/{ids[-1]}", "show")
        self.wait_until("sweep-id", ids[-1])

    def test_an_interrupted_sweep_is_seen_and_resumed(self):
        process = self.open_page()
        path = self.submit(MANY)
        self.wait_until("tally", r"\d+ ok")
        address = self.url.removeprefix("http://")
        self.end(process, signal.SIGKILL)
        self.wait_until("problem", "The service does not answer")
        self.screenshot("6-gone")
        self.serve(listen=address)
        wait_for("its state", lambda: self.state_of(path) == "interrupted")
        self.assertFalse(self.find("problem").is_displayed())
        self.press(path, "resume")
        wait_for("it to run", lambda: self.state_of(path) == "running")
        self.wait_until("progress-text", "of 360 cells")
        self.ask("DELETE", path)
        self.wait_until("sweep-state", "cancelled")
        self.allow(r"ERR_CONNECTION_REFUSED|ERR_INCOMPLETE_CHUNKED_ENCODING|ERR_EMPTY_RESPONSE")


class Looks(PageCase):
    """Readable in the dark and in a narrow window, and by a screen reader."""

    def test_it_can_be_read_in_light_and_dark_wide_and_narrow(self):
        self.open_page()
        self.submit({**TINY, "batch": "1:64:x2", "launches": 6})
        self.wait_until("sweep-state", "done", 180)
        self.wait_until("tally", "21 ok")
        self.addCleanup(self.browser.set_window_size, 1280, 1500)
        for scheme in ("light", "dark"):
            self.emulate(prefers_color_scheme=scheme)
            for text, behind in (("text", "page"), ("text", "card"), ("quiet", "card"), ("quiet", "page"),
                                 ("bad", "card"), ("bad", "bad-card"), ("accent", "card"), ("good", "card"),
                                 ("warn", "card"), ("on-accent", "accent"),
                                 *((mode, "card") for mode in MODES)):
                ratio = self.run_script(CONTRAST, text, behind)
                self.assertGreaterEqual(ratio, 4.5, f"{scheme}: {text} on {behind}")
            for width in (1280, 700, 360):
                self.browser.set_window_size(width, 1500)
                wait_for("the plot to fit", lambda: self.run_script(
                    "return document.querySelector('#plot canvas').clientWidth <= "
                    "document.querySelector('#plot').clientWidth"))
                for mode in MODES:
                    self.assertGreater(self.run_script(COLOURED, mode), 15, f"{scheme}: no line of {mode}")
                self.screenshot(f"8-{scheme}-{width}")
                self.assertLessEqual(self.run_script("return document.documentElement.scrollWidth"),
                                     self.run_script("return innerWidth"), f"the page is wider than {width}")
            self.assertEqual(["Workload", "Batch", "Mode", "Latency", "Gain"], self.headings_in_sight())

    def headings_in_sight(self):
        """Of the table of cells, without scrolling it sideways."""
        return self.run_script("""
          const right = document.querySelector("#cells").parentElement.getBoundingClientRect().right;
          return [...document.querySelectorAll("#cell-columns th")].filter((node) =>
            node.clientWidth > 0 && node.innerText.trim() !== "Remark"
            && node.getBoundingClientRect().right <= right + 1).map((node) => node.innerText.trim());
        """)

    def test_everything_that_can_be_used_has_a_name(self):
        self.open_page()
        self.wait_for_state(self.submit(TINY), "done")
        self.wait_until("tally", "6 ok")
        used = self.all("input, select, button, progress, a, dialog, [role=img], [role=region]")
        self.assertGreater(len(used), 20)
        for node in used:
            if node.is_displayed():
                self.assertNotEqual("", node.accessible_name, node.get_attribute("outerHTML"))

    def test_a_sweep_is_queued_without_a_mouse(self):
        self.open_page()
        reached, wanted = [], {"workload": "mlp", "batch": "1", "warmup": "0", "time-per-cell": "0.005"}
        for _ in range(30):
            self.browser.switch_to.active_element.send_keys("\ue004")  # Tab
            node = self.browser.switch_to.active_element
            reached.append(node.get_attribute("id") or node.get_attribute("value"))
            if reached[-1] in wanted:
                node.send_keys(wanted[reached[-1]])
            if reached[-1] == "piecewise":
                node.send_keys(" ")
            if reached[-1] == "queue-sweep":
                node.send_keys("\ue007")  # Enter
                break
        self.assertEqual(["workload", "eager", "whole", "piecewise", "batch", "warmup", "time-per-cell",
                          "launches", "device", "queue-sweep"], reached[-10:])
        self.wait_until("tally", "2 ok")
        self.assertIn("--mode=eager,whole", self.sweeps()[0]["arguments"])


class Token(PageCase):
    def give(self, token):
        self.write_in("token", token)
        self.find("token-form").submit()

    def ask(self, method, path, document=None, **headers):
        return super().ask(method, path, document, Authorization="Bearer " + TOKEN, **headers)

    def test_is_asked_for_kept_in_the_tab_and_forgotten(self):
        self.write("token", TOKEN + "\n")
        self.open_page("--token-file", "token")
        self.allow(r"/v1/sweeps\S* - Failed to load resource: .* 401 ")
        self.wait_until("token-title", "This service asks for its token")
        self.screenshot("7-token")
        self.give("wrong-horse-battery")
        self.wait_until("token-error", "does not take this token")
        self.give(TOKEN)
        wait_for("the page to go on", lambda: not self.find("token-part").is_displayed())
        self.select("device", "host")
        self.queue_by_hand(workload="mlp", batch="1,2", warmup="0", time_per_cell="0.005")
        self.wait_until("sweep-state", "done")
        self.wait_until("tally", "6 ok")  # they came as events, which took the token, too
        self.browser.refresh()
        self.wait_until("tally", "6 ok")
        self.assertEqual(0, self.run_script("return localStorage.length + document.cookie.length"))
        self.find("forget").click()
        self.wait_until("token-title", "This service asks for its token")
        self.assertEqual(0, self.run_script("return sessionStorage.length"))


# What a page may try against a service on the loopback; it is told only that it got no answer.
ATTACKS = """
  const [url, id, done] = arguments;
  const simple = { mode: "no-cors", method: "POST" };
  const json = { "Content-Type": "application/json" };
  const form = document.createElement("form");
  Object.assign(form, { method: "POST", action: `${url}/v1/sweeps`, enctype: "text/plain", target: "frame" });
  form.append(Object.assign(document.createElement("input"), { name: '{"batch": 1, "x', value: '": 1}' }));
  const frame = Object.assign(document.createElement("iframe"), { name: "frame" });
  document.body.append(form, frame);
  form.submit();
  Promise.allSettled([
    fetch(`${url}/v1/sweeps`, { ...simple, body: "{}" }),
    fetch(`${url}/v1/sweeps`, { method: "POST", body: "{}", headers: json }),
    fetch(`${url}/v1/sweeps/${id}/resume`, simple),
    fetch(`${url}/v1/sweeps/${id}`, { method: "DELETE" }),
    fetch(`${url}/v1/sweeps`).then((answer) => answer.text()),
  ]).then((all) => setTimeout(() => done(all.map(({ value }) => value?.type ?? value ?? "refused")), 500));
"""


class Origins(PageCase):
    """A page of another origin, which another port of this machine is."""

    def test_another_page_can_neither_queue_nor_cancel_nor_read(self):
        self.open_page()
        self.allowed = None  # what it complains of is the browser's affair
        service = self.url
        path = self.submit(LONG)
        self.wait_for_state(path, "running")
        self.browser.get(self.serve_page("<!doctype html><title>elsewhere</title>"))
        said = self.browser.execute_async_script(ATTACKS, service, path.split("/")[-1])
        self.assertEqual(["opaque", "refused", "opaque", "refused", "refused"], said)
        self.assertEqual([("running", path.split("/")[-1])],
                         [(sweep["state"], sweep["id"]) for sweep in self.sweeps()])
        metrics = fetch(service + "/metrics")[2]
        # A form, what was sent without asking first, and the browser's question whether it may.
        self.assertIn('requests_total{code="403",route="/v1/sweeps"} 3', metrics)
        self.assertIn('requests_total{code="403",route="/v1/sweeps/{id}/resume"} 1', metrics)
        self.assertIn('requests_total{code="403",route="/v1/sweeps/{id}"} 1', metrics)

    def test_another_page_cannot_frame_this_one(self):
        self.open_page()
        service = self.url
        self.browser.get(self.serve_page(f"<!doctype html><iframe src='{service}/'></iframe>"))
        self.allow("frame-ancestors")
        wait_for("the frame", lambda: self.all("iframe"))
        self.browser.switch_to.frame(self.all("iframe")[0])
        self.assertEqual([], self.all("#form"))

    def test_the_policy_lets_nothing_else_run(self):
        self.open_page()
        self.wait_until("queue-empty", "None yet")
        self.allow("Content Security Policy")
        self.allow("This document requires 'Trusted")
        refused = self.run_script("""
          const script = document.createElement("script");
          const attempts = {
            html: () => { document.body.innerHTML = "<b>"; },
            text: () => { script.text = "caught()"; },
            source: () => { script.src = "data:text/javascript,caught()"; },
            frame: () => { document.createElement("iframe").srcdoc = "caught"; },
          };
          document.body.append(Object.assign(document.createElement("img"), { src: "/healthz" }));
          return Object.keys(attempts).filter((name) => {
            try { attempts[name](); } catch { return true; }
            return false;
          });
        """)
        self.assertEqual(["html", "text", "source", "frame"], refused)
