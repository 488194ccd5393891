"""Plugins that crash, hang, throw and lie: each costs its own cells, or the sweep before it begins."""

import os
import pty
import signal
import time

from client import wait_for
from harness_case import BINARY, TINY, HarnessCase, workers_of

# About a minute of work, of which a second is done.
LONG = ["--sweep", "--device", "host", "--workload", "mlp", "--batch", "1,2", "--warmup", "0",
        "--launches", "30", "--time-per-cell", "0.3"]


class BadPlugins(HarnessCase):
    """Found before anything is measured; records_test and builder_glue_test have what is wrong of records."""

    def refuse(self, name, *words, timeout="60"):
        with self.subTest(plugin=name):
            done = self.run_graphbench(*TINY, "--plugin", self.plugin(name), "--workload", name,
                                       "--worker-timeout", timeout)
            self.assert_refused(done, name, *words)

    def test_that_do_not_load(self):
        self.refuse("wrong_version", "--plugin: plugin ", "ABI version 1", "has version 2")
        self.refuse("null_record", "--plugin: plugin ", "without a plugin record")
        self.refuse("missing_entry", "--plugin: plugin ", "does not export graphbench_plugin_open")
        self.refuse("open_error", "--plugin: plugin ", "returned 3", "the licence has?expired")
        self.refuse("open_throw", "--plugin: ", "open threw this")

    def test_that_crash_or_hang_while_they_load(self):
        self.refuse("open_crash", "--plugin: ", "SIGSEGV", "while the file was loaded")
        self.refuse("open_hang", "--plugin: ", "silent for more than 1 s", "while the file was loaded",
                    timeout="1")

    def test_whose_program_does_not_build(self):
        self.refuse("build_error", "--workload: ", "width and height must match")
        self.refuse("build_throw", "--workload: ", "build threw this")
        self.refuse("build_crash", "--workload: ", "SIGSEGV")
        self.refuse("build_hang", "--workload: ", "silent for more than 1 s", timeout="1")


class BadWorkers(HarnessCase):
    """Found while measuring: the plugin's cells fail, those of mlp beside it are measured."""

    def sweep(self, name, *extra):
        done = self.run_graphbench(*TINY, "--plugin", self.plugin(name), "--workload", f"{name},mlp", *extra)
        cells = self.result()["cells"]
        self.assertTrue(self.result()["complete"])
        mlp = [cell for cell in cells if cell["workload"] == "mlp"]
        self.assertTrue(mlp)
        self.assert_ok(mlp)
        return done, {(cell["mode"], cell["batch"]): cell for cell in cells if cell["workload"] == name}

    def assert_failed(self, done, cells, code, *words):
        self.assertEqual(3, done.returncode, done.stderr)
        for cell in cells.values():
            self.assertEqual("failed", cell["status"], cell)
            self.assertEqual(code, cell["reason"]["code"], cell["reason"])
            self.assert_all_in(words, cell["reason"]["message"])

    def test_a_crash_is_recorded_with_its_signal_and_place(self):
        done, cells = self.sweep("crash_op", "--mode", "eager,whole")
        self.assert_failed(done, cells, "worker_crashed", "SIGSEGV in phase ")
        self.assertIn("cells failed", done.stderr)

    def test_a_crash_at_one_batch_costs_that_batch_alone(self):
        done, cells = self.sweep("crash_op", "--mode", "eager,whole", "--launches", "2",
                                 "--set", "crash_op.min_batch=2")
        self.assertEqual(3, done.returncode, done.stderr)
        for (mode, batch), cell in cells.items():
            if batch == 1:
                self.assertEqual("ok", cell["status"], cell)
                self.assertEqual(2, len(cell["launches"]), mode)
            else:
                self.assertEqual("worker_crashed", cell["reason"]["code"])
                self.assertRegex(cell["reason"]["message"], "SIGSEGV in phase .* of batch 2")

    def test_a_plugin_that_remembers_a_failure_costs_the_batch_that_failed_alone(self):
        done, cells = self.sweep("sticky_op", "--set", "sticky_op.min_batch=2")
        self.assertEqual(3, done.returncode, done.stderr)
        for (mode, batch), cell in cells.items():
            self.assertEqual("ok" if batch == 1 else "failed", cell["status"], f"{mode}: {cell}")
            if batch == 2:
                self.assertEqual("plugin_failed", cell["reason"]["code"])

    def test_a_hang_is_killed_and_recorded(self):
        done, cells = self.sweep("hang_op", "--mode", "eager", "--worker-timeout", "2")
        self.assert_failed(done, cells, "worker_timeout", "silent for more than 2 s in phase ")

    def test_an_op_that_fails_is_recorded(self):
        done, cells = self.sweep("error_op", "--mode", "eager,whole")
        self.assert_failed(done, cells, "plugin_failed", "7")

    def test_a_good_plugin_is_swept_like_any_other(self):
        done, cells = self.sweep("good_op")
        self.assertEqual(0, done.returncode, done.stderr)
        self.assertEqual(6, len(cells))
        self.assert_ok(cells.values())

    def test_an_answer_that_differs_fails_its_check(self):
        done, cells = self.sweep("flaky_op", "--mode", "eager,whole")
        self.assertEqual(3, done.returncode, done.stderr)
        self.assertEqual({"check_failed"}, {cell["reason"]["code"] for cell in cells.values()})

    def test_a_worker_killed_from_outside_costs_its_cells_alone(self):
        process = self.start(*TINY, "--plugin", self.plugin("hang_op"), "--workload", "hang_op,mlp",
                             "--set", "hang_op.min_batch=2", "--mode", "eager", "--worker-timeout", "60")
        # The one that hangs is the one still there after a while.
        def hanging():
            found = workers_of(process.pid)
            return len(found) == 1 and age_seconds(found[0]) > 4 and found[0]

        os.kill(wait_for("the worker that hangs", hanging, 60), signal.SIGKILL)
        _, err = process.communicate(timeout=120)
        self.assertEqual(3, process.returncode, err)
        for cell in self.result()["cells"]:
            if cell["workload"] == "mlp" or cell["batch"] == 1:
                self.assertEqual("ok", cell["status"], cell)
            else:
                self.assertEqual("worker_crashed", cell["reason"]["code"])
                self.assertIn("SIGKILL", cell["reason"]["message"])

    def test_workers_die_with_the_sweep(self):
        process = self.start(*TINY, "--plugin", self.plugin("hang_op"), "--workload", "hang_op",
                             "--mode", "eager")
        children = wait_for("a worker",
                            lambda: [pid for pid in workers_of(process.pid) if age_seconds(pid) > 1], 60)
        process.kill()
        process.communicate()
        wait_for("its workers to end", lambda: not any(alive(pid) for pid in children), 60)


class Interrupt(HarnessCase):
    """Ctrl-C and SIGTERM: the measurements are kept, the document says that it is not complete."""

    def interrupt(self, number):
        process = self.start(*LONG)
        seen = ""
        while "worker 1/" not in seen:
            line = process.stderr.readline()
            self.assertTrue(line, "the sweep ended before it was interrupted: " + seen)
            seen += line
        process.send_signal(number)
        out, err = process.communicate(timeout=60)
        return process.returncode, out, seen + err

    def check(self, code, err):
        self.assertEqual(130, code, err)
        self.assertIn("interrupted", err)
        self.assertTrue(err.endswith("graphbench: repeat the command to continue the sweep\n"), err)
        self.check_document()

    def check_document(self):
        result = self.result()
        self.assertFalse(result["complete"])
        statuses = {cell["status"] for cell in result["cells"]}
        self.assertIn("ok", statuses)
        self.assertLessEqual(statuses, {"ok", "skipped"})
        for cell in result["cells"]:
            if cell["status"] == "skipped":
                self.assertEqual("interrupted", cell["reason"]["code"])
                self.assertEqual([], cell["launches"])
            else:
                self.assertTrue(cell["launches"])

    def test_ctrl_c_keeps_what_was_measured_and_shows_it(self):
        code, out, err = self.interrupt(signal.SIGINT)
        self.check(code, err)
        self.assertIn("mlp", out)
        left = sum(cell["status"] == "skipped" for cell in self.result()["cells"])
        self.assertIn(f" 0 skipped, {left} not measured; the result is in ", out)

    def test_termination_does_too(self):
        code, _, err = self.interrupt(signal.SIGTERM)
        self.check(code, err)

    def test_a_closed_terminal_does_too(self):
        pid, terminal = pty.fork()
        if pid == 0:
            os.chdir(self.folder)
            os.execve(BINARY, [BINARY, *LONG], self.environment())
        journal = self.folder / "graphbench.json.partial"
        while not journal.exists() or '"event":"task"' not in journal.read_text(encoding="utf-8"):
            os.read(terminal, 65536)
        os.close(terminal)
        self.assertEqual(130, os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
        self.check_document()

    def test_before_anything_was_measured_there_is_nothing_to_keep(self):
        process = self.start(*TINY, "--plugin", self.plugin("open_hang"))
        time.sleep(1)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
        self.assertEqual(130, process.returncode, err)
        self.assertEqual("graphbench: interrupted before anything was measured\n", err)
        self.assertFalse((self.folder / "graphbench.json").exists())


def stat_fields(pid):
    with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
        return file.read().rsplit(")", 1)[1].split()


def alive(pid):
    try:
        return stat_fields(pid)[0] not in "ZX"
    except OSError:
        return False


def age_seconds(pid):
    try:
        started = int(stat_fields(pid)[19]) / os.sysconf("SC_CLK_TCK")
        with open("/proc/uptime", encoding="utf-8") as file:
            return float(file.read().split()[0]) - started
    except OSError:
        return 0
