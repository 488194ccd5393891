"""`graphbench cache` and --cache as a person uses them. Entries are made here, by the form that is documented
(docs/reference/packages.md): on the host device nothing is chosen."""

import hashlib
import json
import os
import time

from harness_case import TINY, HarnessCase

PARTS = {"op": "linear", "shape": "8x1024 bf16", "device": "GPU", "libraries": "driver 1, CUDA 2",
         "build": "graphbench 1"}


def entry(content="algorithm 66", seconds="0.125", **parts):
    """The name and the bytes of an entry."""
    key = "kind choices\n" + "".join(f"{name} {value}\n" for name, value in {**PARTS, **parts}.items())
    head = f"graphbench cache 1\n{key}seconds {seconds}\nbytes {len(content)}\n"
    digest = hashlib.sha256((head + content).encode()).hexdigest()
    return hashlib.sha256(key.encode()).hexdigest() + ".entry", f"{head}sha256 {digest}\n\n{content}"


class Cache(HarnessCase):
    def setUp(self):
        super().setUp()
        self.kept = self.folder / "kept"
        self.kept.mkdir()

    def keep(self, age=0, **entry_parts):
        """An entry that was last used `age` seconds ago; returns its file."""
        name, text = entry(**entry_parts)
        (self.kept / name).write_text(text, encoding="utf-8")
        used = time.time() - age
        os.utime(self.kept / name, (used, used))
        return self.kept / name

    def cache(self, word, *arguments, code=0):
        return self.run_graphbench("cache", word, "--cache", "kept", *arguments, code=code)

    def test_lists_what_is_kept_and_what_for(self):
        newest = self.keep()
        oldest = self.keep(age=500, shape="1x1 fp32")
        bad = self.keep(age=5, shape="2x2 fp32")
        bad.write_text("nothing", encoding="utf-8")
        table = self.cache("list").stdout
        self.assertIn(", ".join(f"{name} {value}" for name, value in PARTS.items()), table)
        self.assertIn(f"refused  {bad.name}: the file is not a cache entry\n", table)
        size = sum(file.stat().st_size for file in (newest, oldest, bad))
        self.assertIn(f"3 files, {size} bytes in kept", table)
        listed = json.loads(self.cache("list", "--format", "json").stdout)
        self.assertEqual([oldest.name, newest.name], [each["file"] for each in listed["entries"]])
        first = listed["entries"][1]
        self.assertEqual((first["kind"], first["for"], first["bytes"], first["seconds"]),
                         ("choices", PARTS, newest.stat().st_size, 0.125))
        self.assertEqual(first["used_at"], int(newest.stat().st_mtime))
        self.assertEqual(listed["refused"], [{"file": bad.name, "reason": "the file is not a cache entry"}])

    def test_verify_names_each_entry_that_is_not_sound(self):
        sound = self.keep()
        self.assertIn("1 files in kept, 0 of them unusable", self.cache("verify").stdout)
        damaged = self.keep(shape="damaged")
        damaged.write_text(damaged.read_text().replace("66", "67"))
        newer = self.keep(shape="newer")
        newer.write_text(newer.read_text().replace("cache 1", "cache 9"))
        short = self.keep(shape="short")
        os.truncate(short, 100)
        foreign = sound.rename(self.kept / ("0" * 64 + ".entry"))
        (self.kept / "notes.txt").write_text("not of the cache")
        said = self.cache("verify", code=10).stdout
        for file, why in ((damaged, "the entry is damaged"),
                          (newer, "the entry has version 9, but this graphbench reads version 1"),
                          (short, "the entry is cut short"),
                          (foreign, "the file's name does not match its key")):
            self.assertIn(f"kept/{file.name}: {why}\n", said)
        self.assertIn("4 files in kept, 4 of them unusable", said)

    def test_prune_removes_by_size_and_by_age(self):
        old = self.keep(age=3 * 86400, shape="old")
        new = self.keep(shape="new")
        self.cache("prune", "--older-than", "4d")
        self.assertTrue(old.exists())
        self.assertIn("removed 1 files", self.cache("prune", "--older-than", "2d").stdout)
        self.assertEqual(list(self.kept.iterdir()), [new])
        self.cache("prune", "--max-bytes", new.stat().st_size)
        self.assertTrue(new.exists())
        self.cache("prune", "--max-bytes", new.stat().st_size - 1)
        self.assertFalse(new.exists())

    def test_bad_input_is_one_line(self):
        self.write("file", "")
        for arguments, said in (
                ("cache", "cache: the command needs an action: give list, verify or prune"),
                ("cache prune",
                 "cache prune: the command needs a limit: give --max-bytes N or --older-than AGE"),
                *((f"cache prune --older-than={age}",
                   f'--older-than: "{age}" is not an age: give e.g. 30d, 12h, 90m or 60s')
                  for age in ("soon", "3", "-1d", "d", "99999999999d")),
                ("cache verify --cache none",
                 '--cache: "none" is not a folder: give a folder in which a sweep kept library choices'),
                (" ".join([*TINY, "--cache file"]),
                 '--cache: "file" is not a folder: give a folder, or off')):
            done = self.run_graphbench(*arguments.split(), code=2)
            self.assertEqual(f"graphbench: {said}\n", done.stderr)

    def test_the_option_wins_over_the_variable_and_reaches_the_workers(self):
        for option, used in (((), "elsewhere"), (("--cache", "kept"), str(self.folder / "kept")),
                             (("--cache", "off"), "off")):
            self.run_graphbench(*TINY, "--workload", "mlp", "--mode", "eager", "--json", "r.json", *option,
                                env=self.environment(GRAPHBENCH_PLAN_CACHE="elsewhere"), code=0)
            document = self.result("r.json")
            self.assertEqual(document["environment"]["variables"]["GRAPHBENCH_PLAN_CACHE"], used)
            self.assertNotIn("cache", document)  # the host device chooses nothing
        said = self.run_graphbench("cache", "list", env=self.environment(GRAPHBENCH_PLAN_CACHE="off"), code=2)
        self.assertIn("give a folder with --cache DIR", said.stderr)
