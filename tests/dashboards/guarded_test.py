"""What compose.yaml starts, without a Docker: its command, healthcheck, token and provisioned Prometheus.

Addresses and folders are this machine's; every other word is that of the files."""

import contextlib
import pathlib
import shutil
import subprocess
import tempfile
import unittest
import urllib.error
import urllib.request

import compose_rules
import live_service
import metrics_table
from client import free_port
from prometheus_servers import Prometheus, running

MISSING = [name for name in ("prometheus",) if not shutil.which(name)]
TOKEN = "correct-horse-battery-staple"


@unittest.skipIf(MISSING, f"not installed: {' '.join(MISSING)}")
class Guarded(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(
            tempfile.TemporaryDirectory(prefix="graphbench-guarded-")))
        self.files = compose_rules.Files()
        self.token = self.folder / "token"
        self.token.write_text(TOKEN + "\n")
        self.address = f"127.0.0.1:{free_port()}"

    def command(self):
        places = {"0.0.0.0:9464": self.address, "/var/lib/graphbench": self.folder / "state",
                  "/run/secrets/token": self.token}
        words = self.files.services["graphbench"]["command"]
        self.assertLessEqual(set(places), set(words))
        return [places.get(word, word) for word in words]

    def healthcheck(self):
        kind, *words = self.files.services["graphbench"]["healthcheck"]["test"]
        self.assertEqual("CMD", kind)
        words = [word.replace("127.0.0.1:9464", self.address) for word in words]
        return subprocess.run(words, capture_output=True, check=False, timeout=60).returncode

    def test_the_service_is_healthy_guarded_and_scraped_with_the_token(self):
        self.assertNotEqual(0, self.healthcheck(), "nothing listens yet")
        with contextlib.ExitStack() as stack:
            stack.enter_context(running([live_service.BINARY, *self.command()], self.folder,
                                        lambda _: self.healthcheck() == 0))
            with self.assertRaises(urllib.error.HTTPError) as refused:
                urllib.request.urlopen(f"http://{self.address}/metrics", timeout=10)
            self.assertEqual(401, refused.exception.code)
            config = self.files.prometheus
            config["global"] = {"scrape_interval": "1s", "evaluation_interval": "1s"}
            config["rule_files"] = [str(metrics_table.DASHBOARDS / "prometheus" / name)
                                    for name in config["rule_files"]]
            [job] = config["scrape_configs"]
            job["static_configs"][0]["targets"] = [self.address]
            job["authorization"]["credentials_file"] = str(self.token)
            prometheus = Prometheus([self.address])
            prometheus.config = config
            stack.enter_context(prometheus)
            prometheus.wait_for_scrapes(2)
            self.assertEqual("graphbench", prometheus.instant("graphbench_build_info")[0]["metric"]["job"])
            self.assertEqual(2, len(prometheus.data("/api/v1/status/config")["yaml"].split("rules.yml")) - 1)
