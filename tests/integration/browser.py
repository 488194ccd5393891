"""Headless Chromium, driven through chromedriver: what it shows, and what it complains of."""

import base64
import os
import re
import shutil
import tempfile
import unittest

from harness_case import HarnessCase
from prometheus_servers import answering

try:
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service
    from selenium.webdriver.common.by import By
    from selenium.webdriver.support.ui import Select
except ImportError:
    webdriver = None

SCREENSHOTS = os.environ.get("GRAPHBENCH_TEST_SCREENSHOTS", "")
AXE = os.environ.get("GRAPHBENCH_TEST_AXE", "")
PROGRAMS = {"chromium": shutil.which("chromium"), "chromedriver": shutil.which("chromedriver")}
MISSING = [name for name, path in PROGRAMS.items() if path is None]
if webdriver is None:
    MISSING.append("python3-selenium")

ARGUMENTS = [
    "--headless=new", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--disable-sync",
    "--disable-background-networking", "--disable-component-update", "--no-proxy-server",
    # Nothing beyond this machine, whatever a browser would like to tell its maker.
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost",
    "--window-size=1280,1500", "--lang=en-GB",
]


def start_browser(profile):
    options = webdriver.ChromeOptions()
    options.binary_location = PROGRAMS["chromium"]
    for argument in [*ARGUMENTS, f"--user-data-dir={profile}"]:
        options.add_argument(argument)
    if os.geteuid() == 0:
        options.add_argument("--no-sandbox")  # Chromium's own wants another user than root
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    os.environ["no_proxy"] = "127.0.0.1,localhost"
    return webdriver.Chrome(service=Service(PROGRAMS["chromedriver"]), options=options)


@unittest.skipIf(MISSING, f"not installed: {' '.join(MISSING)}; ci/packages installs them")
class BrowserCase(HarnessCase):
    """Each test has a tab of its own. A complaint in the browser's console fails it, unless the test
    allows it, and then the complaint must be there; `allowed` is None where any may be."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.profile = tempfile.TemporaryDirectory(prefix="graphbench-chromium-", ignore_cleanup_errors=True)
        cls.addClassCleanup(cls.profile.cleanup)
        cls.browser = start_browser(cls.profile.name)
        cls.addClassCleanup(cls.browser.quit)

    def setUp(self):
        super().setUp()
        self.allowed = []
        before = self.browser.current_window_handle
        self.browser.switch_to.new_window("tab")
        mine = self.browser.current_window_handle
        self.browser.switch_to.window(before)
        self.browser.close()
        self.browser.switch_to.window(mine)
        self.browser.get_log("browser")

    def allow(self, pattern):
        self.allowed.append(pattern)

    def tearDown(self):
        super().tearDown()
        if self.allowed is None:
            return
        said = [entry["message"] for entry in self.browser.get_log("browser") if entry["level"] == "SEVERE"]
        strange = [line for line in said if not any(re.search(pattern, line) for pattern in self.allowed)]
        self.assertEqual([], strange, "the browser complained")
        for pattern in self.allowed:
            self.assertTrue(any(re.search(pattern, line) for line in said), f"{pattern} was not seen: {said}")

    def screenshot(self, name):
        if SCREENSHOTS:
            os.makedirs(SCREENSHOTS, exist_ok=True)
            whole = self.browser.execute_cdp_cmd("Page.captureScreenshot", {"captureBeyondViewport": True})
            with open(os.path.join(SCREENSHOTS, f"{name}.png"), "wb") as file:
                file.write(base64.b64decode(whole["data"]))

    def assert_axe_finds_nothing(self):
        """axe-core is a package of the page's, at the version that it is locked to."""
        self.browser.set_script_timeout(300)
        with open(AXE, encoding="utf-8") as file:
            self.run_script(file.read())
        found = self.browser.execute_async_script("""
          const done = arguments[0];
          axe.run().then(({ violations, passes }) => done([passes.length, violations.map(({ id, nodes }) =>
            `${id}: ${nodes.map(({ html, failureSummary }) => `${html} ${failureSummary}`).join("; ")}`)]));
        """)
        self.assertGreater(found[0], 10)
        self.assertEqual([], found[1])

    def serve_page(self, text):
        """The address of a page on another port, which is another origin."""
        server = answering(lambda path: (200, "text/html", text) if path == "/" else (204, "text/html", ""))
        return f"http://127.0.0.1:{self.enterContext(server).server_port}/"

    def find(self, name):
        return self.browser.find_element(By.ID, name)

    def all(self, selector):
        return self.browser.find_elements(By.CSS_SELECTOR, selector)

    def text(self, name):
        return self.find(name).text

    def write_in(self, name, text):
        self.find(name).clear()
        self.find(name).send_keys(text)

    def select(self, name, value):
        Select(self.find(name)).select_by_value(value)

    def run_script(self, script, *arguments):
        return self.browser.execute_script(script, *arguments)

    def emulate(self, **features):
        self.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {
            "features": [{"name": name.replace("_", "-"), "value": value}
                         for name, value in features.items()]})
