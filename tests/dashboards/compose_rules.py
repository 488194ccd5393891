"""What can be said of compose.yaml and the provisioning files without a Docker: that they fit together.

faults_of(files) takes a Files and returns sentences, none where all is well."""

import re

import yaml

import metrics_table

FOLDER = metrics_table.DASHBOARDS
PINNED = re.compile(r"[a-z0-9./-]+:v?\d+\.\d+\.\d+")
SERVICE_KEYS = {"build", "command", "depends_on", "environment", "healthcheck", "image", "init", "ports",
                "restart", "secrets", "stop_grace_period", "volumes"}
HEALTH_KEYS = {"test", "interval", "timeout", "start_period"}


def load(*names):
    return yaml.safe_load(FOLDER.joinpath(*names).read_text())


class Files:
    """The documents that compose.yaml starts, parsed; tests break them in memory."""

    def __init__(self):
        self.compose = load("compose.yaml")
        self.prometheus = load("provisioning", "prometheus.yml")
        self.example = load("prometheus", "scrape.yml")
        self.source = load("provisioning", "datasources", "prometheus.yaml")
        self.provider = load("provisioning", "dashboards", "graphbench.yaml")
        self.dockerfile = (metrics_table.ROOT / "ci" / "Containerfile").read_text()
        self.services = self.compose["services"]

    def mounts(self, service):
        """Target in the container to its source, which may be a volume's name."""
        pairs = [mount.split(":") for mount in self.services[service].get("volumes", [])]
        return {parts[1]: parts[0] for parts in pairs}

    def in_repository(self, service, path):
        """The file of the repository behind a path in the container, None where there is none."""
        for target, source in self.mounts(service).items():
            if source.startswith(".") and (path + "/").startswith(target + "/"):
                return FOLDER / source / path[len(target):].lstrip("/")
        return None


def services_are_whole(files):
    for name, service in files.services.items():
        for key in sorted(set(service) - SERVICE_KEYS):
            yield f"{name}: {key} is not among the keys used here"
        if ("image" in service) == ("build" in service):
            yield f"{name}: neither or both of image and build"
        if "image" in service and not PINNED.fullmatch(service["image"]):
            yield f"{name}: the image {service['image']} is not pinned to a version"
        for other in service.get("depends_on", []):
            if other not in files.services:
                yield f"{name}: depends on {other}, which is not a service"
            elif "healthcheck" not in files.services[other] and waits_for_health(service, other):
                yield f"{name}: waits for the health of {other}, which has no healthcheck"


def waits_for_health(service, other):
    depends_on = service["depends_on"]
    return isinstance(depends_on, dict) and depends_on[other]["condition"] == "service_healthy"


def the_service_is_asked_for_its_health(files):
    check = files.services["graphbench"].get("healthcheck", {})
    for key in sorted(HEALTH_KEYS ^ set(check)):
        yield f"graphbench's healthcheck: {key} is missing, or not among the keys used here"
    command = files.services["graphbench"]["command"]
    port = command[command.index("--listen") + 1].rsplit(":", 1)[1]
    asked = " ".join(map(str, check.get("test", [])))
    if f"http://127.0.0.1:{port}/readyz" not in asked:
        yield f"graphbench's healthcheck does not ask port {port} for /readyz"
    # What it is asked with must be in the image.
    packages = (metrics_table.ROOT / "ci" / "packages.txt").read_text().split()
    if check.get("test", ["", ""])[:2] != ["CMD", "python3"] or "python3" not in packages:
        yield "graphbench's healthcheck runs a program that its image does not have"


def ports_stay_on_the_loopback(files):
    for name, service in files.services.items():
        for port in service.get("ports", []):
            if not port.startswith("127.0.0.1:"):
                yield f"{name}: port {port} is open to the network"


def mounts_exist(files):
    for name in files.services:
        for target, source in files.mounts(name).items():
            if source.startswith("."):
                if not (FOLDER / source).exists():
                    yield f"{name}: {source} is not in the repository"
            elif source not in files.compose["volumes"]:
                yield f"{name}: the volume {source} for {target} is not defined"
        for secret in files.services[name].get("secrets", []):
            if secret not in files.compose["secrets"]:
                yield f"{name}: the secret {secret} is not defined"


def the_service_is_guarded(files):
    command = files.services["graphbench"]["command"]
    listen = command[command.index("--listen") + 1]
    if not listen.startswith("127.0.0.1:") and "--token-file" not in command:
        yield f"graphbench listens on {listen} without a token"
    elif command[command.index("--token-file") + 1] != "/run/secrets/token":
        yield "graphbench reads its token elsewhere than its secret stands"


def prometheus_scrapes_graphbench(files):
    job = files.prometheus["scrape_configs"][0]
    command = files.services["graphbench"]["command"]
    port = command[command.index("--listen") + 1].rsplit(":", 1)[1]
    if job["static_configs"][0]["targets"] != [f"graphbench:{port}"]:
        yield f"Prometheus scrapes {job['static_configs'][0]['targets']}, graphbench listens on {port}"
    if job.get("authorization", {}).get("credentials_file") != "/run/secrets/token":
        yield "Prometheus does not show the token"
    if job["job_name"] != files.example["scrape_configs"][0]["job_name"]:
        yield "the job is named otherwise than in the scrape example"
    if "token" not in files.services["prometheus"].get("secrets", []):
        yield "Prometheus is not given the token"


def prometheus_has_its_files(files):
    config = "/etc/prometheus/prometheus.yml"
    if f"--config.file={config}" not in files.services["prometheus"]["command"]:
        yield "Prometheus is started with another configuration"
    for path in [config, *(f"/etc/prometheus/{name}" for name in files.prometheus["rule_files"])]:
        source = files.in_repository("prometheus", path)
        if source is None or not source.is_file():
            yield f"Prometheus wants {path}, which no file is mounted at"
    if files.prometheus["rule_files"] != files.example["rule_files"]:
        yield "the rule files differ from the scrape example's"


def grafana_finds_prometheus_and_dashboards(files):
    source = files.source["datasources"][0]
    if source["url"] != "http://prometheus:9090" or source["type"] != "prometheus":
        yield f"the data source {source['url']} is not the Prometheus here"
    if source["jsonData"]["timeInterval"] != files.prometheus["global"]["scrape_interval"]:
        yield "the data source's interval is not the scrape interval"
    if "uid" in source:
        yield "the data source has a fixed id"
    for kind in ("datasources", "dashboards"):
        folder = files.in_repository("grafana", f"/etc/grafana/provisioning/{kind}")
        if folder is None or not list(folder.glob("*.yaml")):
            yield f"Grafana has no provisioning of {kind}"
    path = files.provider["providers"][0]["options"]["path"]
    folder = files.in_repository("grafana", path)
    if folder is None or len(list(folder.glob("*.json"))) != 5:
        yield f"the dashboards are not mounted at {path}"
    home = files.services["grafana"]["environment"]["GF_DASHBOARDS_DEFAULT_HOME_DASHBOARD_PATH"]
    if files.in_repository("grafana", home) is None or not files.in_repository("grafana", home).is_file():
        yield f"the home dashboard {home} is not there"


def no_password_is_written_down(files):
    password = str(files.services["grafana"]["environment"].get("GF_SECURITY_ADMIN_PASSWORD"))
    if not re.fullmatch(r"\$\{GRAFANA_PASSWORD:\?[^}]+\}", password):
        yield "Grafana's password is not asked for"


def the_image_is_built_as_everything_is(files):
    for wanted in ("ARG BASE=debian:12\n", "RUN ci/packages bundle\n", " ci/bundle --tree ",
                   " -DGRAPHBENCH_PAGE=ON ", "\nUSER graphbench\n"):
        if wanted not in files.dockerfile:
            yield f"the Containerfile lacks {wanted.strip()!r}"
    for copied in re.findall(r"^COPY (?!--from)(.*) \S+$", files.dockerfile, re.MULTILINE):
        for name in copied.split():
            if not (metrics_table.ROOT / name).exists():
                yield f"the Containerfile copies {name}, which is not in the repository"
    build = files.services["graphbench"]["build"]
    if (FOLDER / build["context"]).resolve() != metrics_table.ROOT:
        yield "the image's context is not the repository"
    elif not (metrics_table.ROOT / build["dockerfile"]).is_file():
        yield f"there is no {build['dockerfile']}"


RULES = [services_are_whole, the_service_is_asked_for_its_health, ports_stay_on_the_loopback, mounts_exist,
         the_service_is_guarded, prometheus_scrapes_graphbench, prometheus_has_its_files,
         grafana_finds_prometheus_and_dashboards, no_password_is_written_down,
         the_image_is_built_as_everything_is]


def faults_of(files):
    return [fault for rule in RULES for fault in rule(files)]
