"""Who the service answers, and what becomes of its token; access_test and http_test have the names."""

import pathlib
import signal
import socket

import yaml
from client import wait_for
from harness_case import ROOT
from serve_case import LONG, TOKEN, ServeCase


class ServeAccess(ServeCase):
    def say(self, request):
        """The first line of what comes back; sent as it stands."""
        host, port = self.url.removeprefix("http://").rsplit(":", 1)
        with socket.create_connection((host.strip("[]"), int(port)), timeout=30) as client:
            client.sendall(request.encode())
            return client.recv(65536).split(b"\r\n")[0].decode()

    def test_kubernetes_probes_and_scrapes_what_the_service_answers(self):
        """The manifest's container is started and asked as a kubelet would: without the token."""
        manifest = (ROOT / "ci/templates/kubernetes-serve.yaml").read_text(encoding="utf-8")
        claim, deployment, service, monitor = yaml.safe_load_all(manifest)
        pod = deployment["spec"]["template"]["spec"]
        container, = pod["containers"]
        self.write("token", TOKEN)
        here = {"0.0.0.0:9464": "0.0.0.0:0", "/state/sweeps": "sweeps", "/token/token": "token"}
        arguments = [here.get(word, word) for word in container["args"]]
        self.start_service(*arguments)
        self.url = f"http://127.0.0.1:{self.port}"
        for probe in ("startupProbe", "livenessProbe", "readinessProbe"):
            asked = container[probe]["httpGet"]
            self.assertIn({"name": asked["port"], "containerPort": 9464}, container["ports"])
            answer = self.say(f"GET {asked['path']} HTTP/1.1\r\nHost: 10.1.2.3:9464\r\n\r\n")
            self.assertIn(" 200 ", answer, probe)
        endpoint, = monitor["spec"]["endpoints"]
        line = f"GET {endpoint['path']} HTTP/1.1\r\nHost: 10.1.2.3:9464\r\n"
        self.assertIn(" 401 ", self.say(line + "\r\n"))
        self.assertIn(" 200 ", self.say(line + f"Authorization: Bearer {TOKEN}\r\n\r\n"))
        secret = endpoint["authorization"]["credentials"]
        volumes = {each["name"]: each for each in pod["volumes"]}
        self.assertEqual((secret["name"], secret["key"]), (volumes["token"]["secret"]["secretName"], "token"))
        self.assertEqual(claim["metadata"]["name"], volumes["state"]["persistentVolumeClaim"]["claimName"])
        labels = deployment["spec"]["template"]["metadata"]["labels"]
        for selector in (service["spec"]["selector"], monitor["spec"]["selector"]["matchLabels"]):
            self.assertEqual(labels, selector)
        self.assertEqual(endpoint["port"], service["spec"]["ports"][0]["name"])
        self.assertGreater(pod["terminationGracePeriodSeconds"], 10, "the default of --grace")

    def test_requests_are_answered_by_the_host_that_they_name_once(self):
        self.serve(listen="127.0.0.2:0")
        for target, headers, code in (
                ("/v1/sweeps", "Host: 127.0.0.2", 200), ("http://localhost/none", "Host: localhost", 404),
                ("http://evil.example/v1/sweeps", "Host: localhost", 421),
                ("/v1/sweeps", "Host: localhost\r\nHost: localhost", 400)):
            with self.subTest(target=target, headers=headers):
                self.assertIn(f" {code} ", self.say(f"GET {target} HTTP/1.1\r\n{headers}\r\n\r\n"))

    def test_token_files_of_any_system_will_do(self):
        for ending in ("", "\n", "\r\n", " \r\n"):
            with self.subTest(ending=ending):
                (self.folder / "token").write_bytes((TOKEN + ending).encode())
                process = self.serve("--token-file", "token")
                for scheme, code in (("Bearer", 200), ("bearer", 200), ("Basic", 401)):
                    given = f"{scheme} {TOKEN}"
                    self.assertEqual(code, self.ask("GET", "/v1/sweeps", Authorization=given)[0])
                self.end(process)

    def test_tokens_that_no_client_could_send_are_refused(self):
        for text in ("correct horse battery", "correct\thorse-battery", "correct\0horse-battery"):
            with self.subTest(text):
                self.write("token", text)
                done = self.run_graphbench("serve", "--token-file", "token")
                self.assert_refused(done, "--token-file", "spaces or control characters")
        done = self.run_graphbench("serve", env=self.environment(GRAPHBENCH_TOKEN="correct horse battery"))
        self.assert_refused(done, "GRAPHBENCH_TOKEN", "spaces or control characters")

    def test_no_process_shows_the_token(self):
        self.serve(env=self.environment(GRAPHBENCH_TOKEN=TOKEN))
        self.assertEqual(401, self.ask("GET", "/v1/sweeps")[0])
        self.assertEqual(202, self.ask("POST", "/v1/sweeps", LONG, Authorization="Bearer " + TOKEN)[0])
        for pid in wait_for("service, sweep and worker",
                            lambda: len(now := self.processes()) >= 3 and now):
            self.assertNotIn(TOKEN.encode(), pathlib.Path(f"/proc/{pid}/environ").read_bytes())

    def test_only_its_user_may_read_what_it_and_its_sweeps_write(self):
        state = self.folder / "graphbench-state"
        state.mkdir(mode=0o755)
        self.serve()
        self.submit(LONG)
        wait_for("a journal", lambda: list(state.glob("*.partial")))
        files = list(state.iterdir())
        self.assertIn(state / "sweeps.sqlite", files)
        self.assertEqual([], [file for file in files if file.stat().st_mode & 0o077])

    def test_a_hang_up_is_said_once_and_changes_nothing(self):
        process = self.serve()
        process.send_signal(signal.SIGHUP)
        self.assertIn("SIGHUP changes nothing", process.stderr.readline())
        process.send_signal(signal.SIGHUP)
        self.assertEqual(200, self.ask("GET", "/v1/sweeps")[0])
        done = self.end(process)
        self.assertEqual((0, "graphbench: stopping\n"), (done.returncode, done.stderr))
