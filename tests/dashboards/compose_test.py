"""compose.yaml, ci/Containerfile and the provisioning files fit together and stay on the loopback.

They are read, not run: that takes a Docker."""

import subprocess
import unittest

import compose_rules as rules
import metrics_table


def in_service(name, **values):
    return lambda files: files.services[name].update(values)


def without(name, key):
    return lambda files: files.services[name].pop(key)


def remount(name, old, new):
    def break_it(files):
        volumes = files.services[name]["volumes"]
        files.services[name]["volumes"] = [mount.replace(old, new) for mount in volumes]

    return break_it


def in_source(**values):
    return lambda files: files.source["datasources"][0].update(values)


def in_job(**values):
    return lambda files: files.prometheus["scrape_configs"][0].update(values)


def in_dockerfile(old, new):
    def break_it(files):
        files.dockerfile = files.dockerfile.replace(old, new)

    return break_it


ANYWHERE = ["serve", "--listen", "0.0.0.0:9464"]
MUTANTS = [
    (rules.services_are_whole, in_service("grafana", image="grafana/grafana:latest"), "not pinned"),
    (rules.services_are_whole, in_service("grafana", image="grafana/grafana"), "not pinned"),
    (rules.services_are_whole, in_service("grafana", volume=[]), "volume is not among"),
    (rules.services_are_whole, without("prometheus", "image"), "neither or both"),
    (rules.services_are_whole, in_service("grafana", depends_on=["prom"]), "depends on prom"),
    (rules.services_are_whole, without("graphbench", "healthcheck"), "has no healthcheck"),
    (rules.the_service_is_asked_for_its_health, in_service("graphbench", healthcheck={
        "test": ["CMD", "curl", "http://127.0.0.1:9464/readyz"]}), "does not have"),
    (rules.the_service_is_asked_for_its_health,
     lambda files: files.services["graphbench"]["healthcheck"].update(
         test=["CMD", "python3", "http://127.0.0.1:9090/readyz"]), "does not ask port 9464"),
    (rules.the_service_is_asked_for_its_health,
     lambda files: files.services["graphbench"]["healthcheck"].pop("timeout"), "timeout is missing"),
    (rules.ports_stay_on_the_loopback, in_service("grafana", ports=["3000:3000"]), "open to the network"),
    (rules.mounts_exist, remount("grafana", "./grafana:", "./grafanas:"),
     "./grafanas is not in the repository"),
    (rules.mounts_exist, lambda files: files.compose["volumes"].pop("grafana"), "the volume grafana"),
    (rules.mounts_exist, lambda files: files.compose["secrets"].clear(), "the secret token"),
    (rules.the_service_is_guarded, in_service("graphbench", command=ANYWHERE), "without a token"),
    (rules.the_service_is_guarded,
     in_service("graphbench", command=[*ANYWHERE, "--token-file", "/token"]), "elsewhere"),
    (rules.prometheus_scrapes_graphbench,
     in_job(static_configs=[{"targets": ["graphbench:9465"]}]), "graphbench listens on 9464"),
    (rules.prometheus_scrapes_graphbench, in_job(authorization={}), "does not show the token"),
    (rules.prometheus_scrapes_graphbench, in_job(job_name="bench"), "named otherwise"),
    (rules.prometheus_scrapes_graphbench, without("prometheus", "secrets"), "is not given the token"),
    (rules.prometheus_has_its_files, in_service("prometheus", command=[]), "another configuration"),
    (rules.prometheus_has_its_files, remount("prometheus", "/etc/prometheus/alerts", "/etc/alerts"),
     "alerts.rules"),
    (rules.prometheus_has_its_files, lambda files: files.prometheus["rule_files"].pop(), "differ"),
    (rules.grafana_finds_prometheus_and_dashboards, in_source(url="http://localhost:9090"),
     "is not the Prometheus"),
    (rules.grafana_finds_prometheus_and_dashboards, in_source(uid="prom"), "fixed id"),
    (rules.grafana_finds_prometheus_and_dashboards, in_source(jsonData={"timeInterval": "1m"}), "interval"),
    (rules.grafana_finds_prometheus_and_dashboards,
     remount("grafana", "provisioning/datasources:", "provisioning/dashboard:"),
     "no provisioning of datasources"),
    (rules.grafana_finds_prometheus_and_dashboards,
     remount("grafana", "/etc/grafana/dashboards", "/etc/dashboards"),
     "not mounted at /etc/grafana/dashboards"),
    (rules.grafana_finds_prometheus_and_dashboards,
     lambda files: files.services["grafana"]["environment"].update(
         GF_DASHBOARDS_DEFAULT_HOME_DASHBOARD_PATH="/etc/grafana/dashboards/home.json"),
     "home.json is not there"),
    (rules.no_password_is_written_down,
     lambda files: files.services["grafana"]["environment"].update(GF_SECURITY_ADMIN_PASSWORD="admin"),
     "password"),
    (rules.the_image_is_built_as_everything_is, in_dockerfile("RUN ci/packages bundle", "RUN apt-get"),
     "lacks 'RUN ci/packages bundle'"),
    (rules.the_image_is_built_as_everything_is, in_dockerfile("USER graphbench", "USER root"), "lacks 'USER"),
    (rules.the_image_is_built_as_everything_is, in_dockerfile("ci/packages.txt", "ci/debian.txt"),
     "ci/debian.txt"),
    (rules.the_image_is_built_as_everything_is,
     in_service("graphbench", build={"context": ".", "dockerfile": "Dockerfile"}), "context"),
]


class Compose(unittest.TestCase):
    def test_fits_together(self):
        self.assertEqual([], rules.faults_of(rules.Files()))

    def test_each_rule_finds_its_mutants(self):
        for rule, break_it, expected in MUTANTS:
            with self.subTest(rule=rule.__name__, expected=expected):
                files = rules.Files()
                break_it(files)
                faults = list(rule(files))
                self.assertTrue(any(expected in fault for fault in faults), faults)

    def test_every_rule_has_a_mutant(self):
        self.assertEqual(set(rules.RULES), {mutant[0] for mutant in MUTANTS})

    def test_the_token_goes_into_no_commit_and_no_image(self):
        ignored = (metrics_table.ROOT / "ci" / "Containerfile.dockerignore").read_text().split("\n")
        self.assertIn("**/graphbench.token", ignored)
        if (metrics_table.ROOT / ".git").exists():
            done = subprocess.run(
                ["git", "-c", "safe.directory=*", "check-ignore", "dashboards/graphbench.token"],
                cwd=metrics_table.ROOT, capture_output=True, text=True, check=False)
            self.assertEqual(0, done.returncode, done.stderr)
