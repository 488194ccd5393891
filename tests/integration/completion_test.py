"""graphbench completion: real shells complete what the parser takes, and the manual page has every option."""

import pathlib
import re
import shlex
import shutil
import subprocess
import tempfile
import unittest

from harness_case import BINARY, HarnessCase


def output(*command, **options):
    words = [str(word) for word in command]
    return subprocess.run(words, capture_output=True, text=True, check=False, **options)


def script(what):
    return output(BINARY, "completion", what).stdout


def commands():
    """By the words of each command, the names of its options, as its help has them."""
    found = {}

    def read(words):
        text = output(BINARY, *words, "--help").stdout if words else output(BINARY, "--help-all").stdout
        text = re.sub(r".*--benchmark_.*", "", text)  # Google Benchmark's own
        found[" ".join(words)] = set(re.findall(r"^  ((?:-\w,)?--[\w-]+|-\w)", text, re.MULTILINE))
        below = text.partition("Subcommands:\n")[2].partition("\n\n")[0]
        for name in re.findall(r"^  (\w+) ", below, re.MULTILINE):
            read([*words, name])

    read([])
    found["sweep"] = {name for name in found[""] if not re.search("--(sweep|help-all|version)", name)}
    return {words: {each for name in names for each in name.split(",")} for words, names in found.items()}


class Completions:
    """What each shell must do; `complete(line)` gives the words that it offers at the line's end."""

    def test_offers_commands_and_actions(self):
        self.assertEqual({"sweep"}, self.complete("graphbench sw"))
        self.assertLessEqual({"sweep", "list", "completion", "help", "version"}, self.complete("graphbench "))
        self.assertEqual({"add", "list", "remove", "show"}, self.complete("graphbench history "))
        self.assertEqual({"ladder"}, self.complete("graphbench help lad"))

    def test_offers_the_options_of_the_command(self):
        self.assertEqual({"--mode"}, self.complete("graphbench sweep --mod"))
        self.assertEqual({"--mode"}, self.complete("graphbench --sweep --mod"))
        self.assertEqual({"--last"}, self.complete("graphbench history show --last"))
        self.assertEqual(set(), self.complete("graphbench list --mod"))

    def test_offers_values(self):
        self.assertEqual({"whole"}, self.complete("graphbench sweep --mode who"))
        self.assertEqual({"rotate"}, self.complete("graphbench sweep --io-addresses ro"))
        self.assertEqual({"devices"}, self.complete("graphbench list dev"))
        self.assertEqual({"fish"}, self.complete("graphbench completion f"))

    def test_offers_files(self):
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "result.json").touch()
            for line in ("graphbench show ", "graphbench compare ", "graphbench sweep --config "):
                self.assertEqual({folder + "/result.json"}, self.complete(line + folder + "/res"), line)

    def test_offers_every_option_of_every_command(self):
        for words, names in commands().items():
            line = " ".join(("graphbench", *words.split()))
            offered = self.complete(line + " --")
            self.assertEqual({name for name in names if name.startswith("--")}, offered, line)


class Bash(Completions, HarnessCase):
    def complete(self, line):
        words = re.findall(r"=|[^\s=]+", line) + [""] * line.endswith((" ", "="))
        done = output("bash", "-c", script("bash") + """
            COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
            _graphbench
            printf '%s\\n' "${COMPREPLY[@]}" """, "bash", *words)
        self.assertEqual("", done.stderr)
        return set(done.stdout.split())

    def test_divides_words_at_the_sign_as_bash_does(self):
        self.assertEqual({"whole"}, self.complete("graphbench sweep --mode=who"))
        self.assertEqual({"eager,whole"}, self.complete("graphbench sweep --mode=eager,who"))
        self.assertIn("eager", self.complete("graphbench sweep --mode="))

    @unittest.skipUnless(shutil.which("shellcheck"), "shellcheck is not installed")
    def test_is_clean(self):
        done = output("shellcheck", "-", input=script("bash"))
        self.assertEqual("", done.stdout)


@unittest.skipUnless(shutil.which("fish"), "fish is not installed")
class Fish(Completions, HarnessCase):
    def complete(self, line):
        done = output("fish", "--no-config", "-c", script("fish") + f"\ncomplete -C {shlex.quote(line)}")
        self.assertEqual("", done.stderr)
        return {row.split("\t")[0].rstrip("=") for row in done.stdout.splitlines()}


# An interactive zsh in a terminal of its own, which writes down what completions hand to `compadd`.
ZSH = r"""
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell 'source ./setup.zsh'
while zpty -r shell line; do [[ $line == ready* ]] && break; done
zpty -w -n shell "$1"$'\t'
while zpty -r shell line; do :; done
"""
ZSH_SETUP = r"""
PROMPT=
fpath=($PWD $fpath)
autoload -Uz compinit && compinit -C -d $PWD/dump
bindkey '^I' complete-word
compadd() {
  # Those calls fill arrays and offer nothing.
  [[ ${@[1,(i)(-|--)]} == *-(O|A|D)\ * ]] && { builtin compadd "$@"; return }
  local -a hits
  local -A outside inside
  builtin compadd -A hits "$@"
  zparseopts -E P:=outside p:=inside
  for hit in "${hits[@]}"; do print -r -- "$IPREFIX${outside[-P]}${inside[-p]}$hit" >> captured; done
}
comppostfuncs=(exit)
print ready
"""


@unittest.skipUnless(shutil.which("zsh"), "zsh is not installed")
class Zsh(Completions, HarnessCase):
    def complete(self, line):
        captured = self.folder / "captured"
        captured.unlink(missing_ok=True)
        for name, text in (("_graphbench", script("zsh")), ("setup.zsh", ZSH_SETUP), ("drive.zsh", ZSH)):
            (self.folder / name).write_text(text)
        output("zsh", "-f", "drive.zsh", line, cwd=self.folder, timeout=60)
        words = captured.read_text().split() if captured.exists() else []
        return {word.partition("=")[0] or word for word in words}


class Manual(HarnessCase):
    @unittest.skipUnless(shutil.which("groff"), "groff is not installed")
    def test_has_every_option_and_no_fault(self):
        done = output("groff", "-man", "-ww", "-Tutf8", "-P-cbou", "-rLL=100n", input=script("man"))
        self.assertEqual((0, ""), (done.returncode, done.stderr))
        for words, names in commands().items():
            for name in names:
                self.assertIn(name.replace("-", "\N{HYPHEN-MINUS}"), done.stdout, words)
        for head in ("NAME", "SYNOPSIS", "OPTIONS", "COMMANDS", "EXAMPLES", "EXIT STATUS"):
            self.assertRegex(done.stdout, rf"(?m)^{head}$")


class Refusals(HarnessCase):
    def test_what_is_no_shell(self):
        done = self.run_graphbench("completion", "csh")
        self.assert_refused(done, 'completion: "csh" is not a shell', "bash, zsh")


if __name__ == "__main__":
    unittest.main()
