"""Bad input: exit code 2 and one line that names the flag, the value and what would do.

Each way to a message has a row here; options_test, document_options_test, make_plan_test and
command_line_test have what is said of which value."""

import fcntl
import json
import os

from harness_case import HarnessCase, TINY


class BadInput(HarnessCase):
    def refuse(self, arguments, *words, code=2):
        with self.subTest(arguments=arguments):
            self.assert_refused(self.run_graphbench(*arguments), *words, code=code)

    def test_unknown_words_are_named_with_what_there_is(self):
        for flag, value, words in (
                ("--workload", "mpl", ("mlp, attention, conv", 'did you mean "mlp"?')),
                ("--preset", "tinny", ("base, tiny", 'did you mean "tiny"?')),
                ("--split-ops", "no_such_op", ("mlp",)), ("--seed", "-1", ("give ",)),
                ("--samples-max", "0", ("give ",)), ("--worker-timeout", "-1", ("give ",))):
            self.refuse(["--sweep", flag, value], flag + ": ", f'"{value}"', *words)
        self.refuse(["--sweep", "--device", "host", "--set", "attention.heads=3"], "--set: ", "heads")

    def test_the_message_of_the_contract(self):
        done = self.run_graphbench("--sweep", "--batch", "0")
        self.assertEqual('graphbench: --batch: "0" is not a batch: give positive whole numbers, '
                         'e.g. 1,2,4 or 1:256:x2\n', done.stderr)

    def test_a_dtype_the_device_lacks(self):
        for dtype in ("fp16", "bf16"):  # bf16: oneDNN's limit is one of our host device too
            self.refuse(["--sweep", "--device", "host", "--dtype", dtype],
                        "--dtype: ", f'"{dtype}"', "host", "give one of fp32\n")

    def test_unknown_options_and_commands(self):
        self.refuse_each((
            ("swep", '"swep" is not a command'), ("", ("nothing to do", "--help")),
            ("--sweep --batch", "--batch"),
            ("floor stray", ('"stray" is one argument too many', "give floor ")),
            ("--batch 1 list", ("--batch: ", "stands before list"))))

    def test_a_device_that_is_not_there_is_the_machines_fault(self):
        self.refuse(["--sweep", "--device", "cuda:9999"], "cuda:9999", code=1)

    def test_json_is_checked_before_the_sweep_starts(self):
        self.refuse(["--sweep", "--json", "missing/result.json"], "--json: ", "missing")
        self.refuse(["--sweep", "--json", "."], "--json: ", "folder")

    def test_malformed_toml_is_named_by_file_and_line(self):
        for text, words in (("seed = 1\nwarmup = = 2\n", ["sweep.toml:2: "]),
                            ('preset = "tinny"\n', ("sweep.toml:1: ", 'did you mean "tiny"?')),
                            ("[set]\nmlp.hiden = 8\n", ("sweep.toml:2: ", 'did you mean "hidden"?'))):
            self.write("sweep.toml", text)
            self.refuse(["--sweep", "--device", "host", "--config", "sweep.toml"], *words)

    def test_a_configuration_that_cannot_be_read(self):
        self.refuse(["--sweep", "--config", "missing.toml"], "--config: ", "missing.toml", "No such file")
        self.refuse(["--sweep", "--config", "."], "--config: ", "directory")

    def test_inputs_that_are_no_files_or_too_large(self):
        os.mkfifo(self.folder / "pipe")
        with open(self.folder / "large", "wb") as file:
            file.truncate((1 << 30) + 1)
        for path, words in (("/dev/zero", "device"), (".", "directory"), ("pipe", "has no writer"),
                            ("large", "has more than 1")):
            self.refuse(["--sweep", "--config", path], "--config: ", path, words)
            self.refuse(["serve", "--token-file", path], "--token-file: ", path, words)
            self.refuse(["package", "inspect", path], "FILE: ", path, words)

    def test_a_state_folder_that_is_none(self):
        self.write("file", "")
        for path in ("file", ""):
            self.refuse(["serve", "--listen", "127.0.0.1:0", "--state", path], "--state: ", f'"{path}"')

    def test_variables_of_the_host_device(self):
        for name, value in (("GRAPHBENCH_HOST_DEVICES", "-1"), ("GRAPHBENCH_HOST_MEMORY_BYTES", "junk")):
            for command in ("--sweep", "floor"):
                done = self.run_graphbench(command, "--device", "host",
                                           env=self.environment(**{name: value}))
                self.assert_refused(done, name, f'"{value}"')

    def test_a_pipe_without_a_reader_is_refused_before_the_sweep_starts(self):
        os.mkfifo(self.folder / "pipe")
        self.refuse([*TINY, "--json", "pipe"], "--json: ", "the pipe has no reader")
        reader = os.open(self.folder / "pipe", os.O_RDONLY | os.O_NONBLOCK)
        fcntl.fcntl(reader, fcntl.F_SETPIPE_SZ, 1 << 20)
        self.run_graphbench(*TINY, "--json", "pipe", "--quiet", code=0)
        self.assertTrue(json.loads(os.read(reader, 1 << 20))["complete"])
        os.close(reader)

    def test_plugins_that_are_none(self):
        text = self.write("text.so", "this is not a library\n")
        self.refuse(["--sweep", "--plugin", text], "--plugin: ", "text.so")
        self.refuse(["list", "workloads", "--plugin", text], "--plugin: ", "text.so")

    def test_nothing_a_person_types_breaks_the_line(self):
        self.refuse(["--sweep", "--workload", "a\nb"], '"a\\x0ab"')
        self.refuse(["--sweep", "--no\nsuch"])

    def test_a_long_value_is_not_repeated_in_full(self):
        value = "a" * 100_000
        for arguments in ([flag, value] for flag in (
                "--workload", "--batch", "--mode", "--dtype", "--device", "--preset", "--set", "--grid",
                "--shard", "--config", "--json", "--plugin", "--program-pass", "--dump-graph",
                "--seed", "--quiet")):
            with self.subTest(flag=arguments[0]):
                done = self.run_graphbench("--sweep", *arguments)
                self.assertIn(done.returncode, (1, 2))
                self.assertEqual("", done.stdout)
                self.assertEqual(1, done.stderr.count("\n"))
                self.assertLess(len(done.stderr), 4500)
        self.refuse([value], "(100000 bytes) is not a command")

    def test_a_batch_that_memory_cannot_hold_costs_its_cells_alone(self):
        # 64 columns of fp32 at 2^40 rows: 256 TiB for the input alone.
        done = self.run_graphbench("--sweep", "--device", "host", "--workload", "mlp", "--mode",
                                   "eager,whole", "--warmup", "0", "--batch", "1,1099511627776",
                                   "--time-per-cell", "0.005")
        self.assertEqual(3, done.returncode, done.stderr)
        cells = {cell["id"]: cell for cell in self.result()["cells"]}
        self.assertEqual(4, len(cells))
        for mode in ("eager", "whole"):
            small = cells[f"mlp/tiny/fp32/forward/b1/w0/{mode}"]
            large = cells[f"mlp/tiny/fp32/forward/b1099511627776/w0/{mode}"]
            self.assertEqual("ok", small["status"], small)
            self.assertEqual("failed", large["status"])
            self.assertEqual("out_of_memory", large["reason"]["code"], large["reason"])
