"""Each sample in README and docs is what a command prints: one that the page names, or one of a table below,
over the committed documents or on the host device. `...` leaves text out, and line breaks may differ."""

import json
import random
import re
import shlex
import shutil
import unittest

from client import ask
from harness_case import PLUGINS, ROOT, HarnessCase
from torch_test import HAS_TORCH, PYTHON

# A paragraph, and the indented lines after it.
SAMPLE = re.compile(r"((?:^\S.*\n)+)\n((?:^    .*\n|^\n(?=    ))+)", re.MULTILINE)
# Lines that are typed, not printed: commands, and code of a user's own.
TYPED = re.compile(r"(graphbench|ci/\S+|git|cmake|vllm|gh|openssl|import|extern|int) ")
ELSEWHERE = {"reference-systems.md": "reference_test", "capture-failures.md": "torch_reasons_test"}
# Samples that no test makes, by their beginning.
NOT_MADE = {"option ffn=32 is below": "the plugin of docs/plugins.md, which install_test builds, says it"}
H200 = ROOT / "ci/baselines/h200.json"
CELL = "mlp/base/bf16/forward/b8/w3/whole"


def one_line(text):
    return " ".join(text.split())


def masked(text):
    """Without what differs from run to run."""
    return re.sub(r"[0-9a-f]{16}|\d[\d.:TZ-]*", "#", text)


def samples():
    """Triples of page, paragraph and sample."""
    for page in [ROOT / "README.md", *sorted(ROOT.glob("docs/**/*.md"))]:
        for paragraph, sample in SAMPLE.findall(page.read_text(encoding="utf-8")):
            if page.name not in ELSEWHERE and not TYPED.match(sample.lstrip()):
                yield str(page.relative_to(ROOT)), one_line(paragraph), sample


def slower(document, factor):
    """Multiplies the latencies of whole. What follows from them is left out, and computed by the reader."""
    for cell in document["cells"]:
        cell.pop("summary", None)
        for launch in cell["launches"] if cell["mode"] == "whole" else ():
            launch["latency_seconds"] = {
                name: [each * factor for each in value] if isinstance(value, list)
                else value * factor if isinstance(value, float) else value
                for name, value in launch["latency_seconds"].items()}
    return document


class DocSamples(HarnessCase):
    def setUp(self):
        super().setUp()
        for name in ("ci", "tests"):
            (self.folder / name).symlink_to(ROOT / name)

    def test_are_what_their_command_prints(self):
        found = list(samples())
        used = set()
        for page, paragraph, sample in found:
            begin = next(filter(sample.lstrip().startswith, {**self.MADE, **NOT_MADE}), None)
            used.add(begin)
            if begin in NOT_MADE:
                continue
            with self.subTest(page=page, sample=sample.splitlines()[0].strip()):
                commands = re.findall(r"`(graphbench show [^`]+)`", paragraph)
                if begin:
                    sample, printed = self.MADE[begin](self, sample)
                else:
                    self.assertTrue(commands, "no command is named: add the sample to MADE or NOT_MADE")
                    printed = self.printed_by(commands[-1])
                self.look_for(one_line(sample), one_line(printed))
        self.assertEqual({*self.MADE, *NOT_MADE, None}, used, "no page has some of the table's samples")

    def look_for(self, sample, printed):
        place = 0
        for part in filter(None, map(str.strip, sample.split("..."))):
            at = printed.find(part, place)
            self.assertGreaterEqual(at, 0, f"not printed at this place: {part}\nprinted: {printed[place:]}")
            place = at + len(part)

    def printed_by(self, command, **options):
        return self.run_graphbench(*shlex.split(command)[1:], **options).stdout

    def named(self, sample):
        """What the `$ ` lines of a sample print."""
        lines = sample.splitlines(keepends=True)
        commands = [line for line in lines if line.startswith("    $ ")]
        return ("".join(line for line in lines if line not in commands),
                "".join(self.printed_by(line.strip(" $")) for line in commands))

    def compared(self, sample):
        self.write("new.json", json.dumps(slower(json.loads(H200.read_text(encoding="utf-8")), 1.04)))
        return sample, self.printed_by("graphbench compare ci/baselines/h200.json new.json", code=10)

    def history(self, sample):
        """Thirty nights of one cell, from the 21st on 5 % slower."""
        whole = json.loads(H200.read_text(encoding="utf-8"))
        whole["complete"] = False
        cells = CELL, CELL.replace("whole", "eager")
        whole["cells"] = [each for each in whole["cells"] if each["id"] in cells]
        noise = random.Random(28)
        for day in range(1, 31):
            night = json.loads(json.dumps(whole))
            for name in ("started_at", "finished_at"):
                night[name] = f"2026-10-{day:02}T02:00:00Z"
            night = slower(night, (1.05 if day > 20 else 1) * noise.gauss(1, 0.002))
            self.write("night.json", json.dumps(night))
            self.run_graphbench("history", "add", "night.json", "--history", "h.sqlite", "--branch", "main",
                                "--commit", "0123456789abcdef0123456789abcdef01234567",
                                *(("--label", "new driver") if day == 21 else ()), code=0)
        return sample, self.printed_by(f"graphbench history show {CELL} --history h.sqlite", code=0)

    def listed(self, sample):
        shutil.copy(PLUGINS / "good_op.so", self.folder)
        return self.named(sample.split("    $ graphbench --sweep")[0])

    def scraped(self, sample):
        self.run_graphbench("--sweep", "--device", "host", "--workload", "mlp", "--batch", "1", "--mode",
                            "whole,eager", "--time-per-cell", "0.005", "--samples-max", "5",
                            "--prometheus-textfile", "f.prom", code=0)
        text = masked((self.folder / "f.prom").read_text(encoding="utf-8"))
        return "...".join(map(masked, one_line(sample).replace(", ", ",").split(" graphbench_"))), text

    def asked(self, document):
        self.start_service("serve", "--listen", "127.0.0.1:0", "--state", f"{len(document)}")
        return ask(self.url + "/v1/sweeps", "POST", document)[1]

    def queued(self, sample):
        command, answer = sample.split("/v1/sweeps\n")
        said = self.asked(json.loads(re.search("'({.*})'", command).group(1)))
        self.assertEqual(masked(json.dumps(said, sort_keys=True)),
                         masked(json.dumps(json.loads(answer), sort_keys=True)))
        return "", ""

    def refused(self, sample):
        return sample, json.dumps(self.asked({"workload": "mpl"}), separators=(",", ":"))

    def examined(self, sample):
        if not HAS_TORCH:
            self.skipTest(f"{PYTHON} has no torch")
        return sample, self.printed_by("graphbench doctor --torch tests/torch/breakers.py:item --batch 4 "
                                       f"--device host --python {PYTHON}", code=10)

    MADE = {"slower: ": compared, CELL: history, "$ graphbench list workloads": listed,
            "$ graphbench ladder": named, "graphbench_cells_total": scraped, "$ curl": queued,
            '{"error"': refused, "aten::item": examined}


if __name__ == "__main__":
    unittest.main()
