"""How ci/house counts."""

import importlib.machinery
import importlib.util
import pathlib
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]


class House(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        loader = importlib.machinery.SourceFileLoader("house", str(ROOT / "ci" / "house"))
        cls.house = importlib.util.module_from_spec(importlib.util.spec_from_loader("house", loader))
        loader.exec_module(cls.house)

    def test_a_literal_and_an_operator_are_one_token_and_a_comment_is_none(self):
        for text, tokens in (('f("a // b", 1\'0.5e-3f);', ["f", "(", '"a // b"', ",", "1'0.5e-3f", ")", ";"]),
                             ("a->b <=> c::d; // e", ["a", "->", "b", "<=>", "c", "::", "d", ";"]),
                             ("/* x\n */ R\"(\"//\n)\" '\\''", ['R"("//\n)"', "'\\''"]),
                             ("#define A(x) x##1", ["#", "define", "A", "(", "x", ")", "x", "##", "1"])):
            self.assertEqual(tokens, self.house.tokens_of(text))

    def test_lines_of_code_are_neither_blank_nor_comments(self):
        self.assertEqual(2, self.house.code_lines("// a\n\nint b; // c\n/* d\n e */\nint f;\n"))

    def test_what_git_does_not_know_is_refused(self):
        done = subprocess.run([ROOT / "ci" / "house", "no-such-commit"], capture_output=True, text=True,
                              check=False)
        self.assertEqual(2, done.returncode)
        self.assertIn("no-such-commit", done.stderr)

    def test_a_change_counts_what_people_edit(self):
        with tempfile.TemporaryDirectory() as folder:
            def git(*arguments):
                subprocess.run(["git", "-C", folder, "-c", "user.name=a", "-c", "user.email=a@b", *arguments],
                               check=True, capture_output=True)
            git("init")
            git("commit", "--allow-empty", "-m", "empty")
            for path in ("harness/a.cpp", "tests/unit/a.cpp", "docs/a.md", "dashboards/metrics.json"):
                file = pathlib.Path(folder) / path
                file.parent.mkdir(parents=True)
                file.write_text("a")
            git("add", ".")
            git("commit", "-m", "change")
            root, self.house.ROOT = self.house.ROOT, pathlib.Path(folder)
            self.addCleanup(setattr, self.house, "ROOT", root)
            touched = self.house.touched("HEAD~1..HEAD")
            self.assertEqual(["harness/a.cpp", "tests/unit/a.cpp"], touched)
            self.assertEqual([True, False], [self.house.is_product(path) for path in touched])


if __name__ == "__main__":
    unittest.main()
