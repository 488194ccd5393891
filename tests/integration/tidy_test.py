"""Checks the tree against the rules of tidy_rules.py and the files it imports, and the rules themselves.

Tree checks every tracked file, Rules plants violations and expects each to be found, Commits reads the newest
messages of git's log, Format asks clang-format."""

import pathlib
import re
import shutil
import subprocess
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(HERE))
import rooms  # noqa: E402
import tidy_rules  # noqa: E402
import tidy_words  # noqa: E402

# A link of a Markdown file into the tree: a file, a heading, or both.
LINK = re.compile(r"\]\((?!https?:)([^)#]*)#?([^)]*)\)")
DOCS_WORDS_MAX = 14_500  # as wc -w counts them, without the tables of ci/tables.py
README_BYTES_MAX = 6_000


def anchors_of(page):
    """The names by which links reach the page's headings, as GitHub makes them."""
    headings = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


def tracked_files():
    """Tracked files and new ones that git does not ignore; from a tarball, all files outside of build."""
    listing = subprocess.run(
        ["git", "-C", str(ROOT), "-c", "safe.directory=*", "ls-files", "-co", "--exclude-standard", "-z"],
        capture_output=True, check=False)
    if listing.returncode == 0:
        names = [name for name in listing.stdout.decode().split("\0") if name]
    else:
        names = [path.relative_to(ROOT).as_posix() for path in ROOT.rglob("*") if path.is_file()]
        skipped = (".git/", "build/")
        made = re.compile(r"__pycache__|node_modules")
        names = [name for name in names if not name.startswith(skipped) and not made.search(name)]
    return sorted(name for name in names if (ROOT / name).is_file())


class Tree(unittest.TestCase):
    maxDiff = None

    def test_keeps_the_rules(self):
        faults, long_files, checked = [], [], 0
        for name in tracked_files():
            if not tidy_rules.is_checked(name):
                continue
            try:
                text = (ROOT / name).read_text(encoding="utf-8")
            except UnicodeDecodeError:
                faults.append(f"{name}: is not UTF-8 text")
                continue
            checked += 1
            faults.extend(tidy_rules.faults_of(name, text))
            if tidy_rules.is_long(name, text):
                long_files.append(f"{name}: {len(text.splitlines())} lines")
        print("files that are long enough to need a reason:", *long_files, sep="\n")
        self.assertGreater(checked, 50, "the files of the tree were not found")
        self.assertEqual([], faults, "\n" + "\n".join(faults))

    def test_has_every_room_and_header_of_the_table(self):
        for room, row in rooms.ROOMS.items():
            self.assertTrue((ROOT / room).is_dir(), room)
            for header in row.get("headers", []):
                self.assertTrue((ROOT / header).is_file(), f"{room}: {header}")

    def test_rooms_do_not_include_each_other_in_a_circle(self):
        done = set()

        def visit(room, way):
            self.assertNotIn(room, way, " -> ".join([*way, room]))
            for other in rooms.ROOMS:
                if room not in done and rooms.is_allowed(room, other):
                    visit(other, [*way, room])
            done.add(room)

        for room in rooms.ROOMS:
            visit(room, [])

    def test_shows_the_rooms_in_the_architecture(self):
        text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
        self.assertEqual(rooms.with_table(text), text, "out of date: run tests/integration/rooms.py")

    def test_links_documents_to_what_exists(self):
        pages = [name for name in tracked_files() if name.endswith(".md") and tidy_rules.is_checked(name)]
        links = [(name, link) for name in pages
                 for link in LINK.findall((ROOT / name).read_text(encoding="utf-8"))]
        self.assertGreater(len(links), 20, "the links were not found")
        for name, (link, anchor) in links:
            page = (ROOT / name).parent / link if link else ROOT / name
            self.assertTrue(page.exists(), f"{name}: {link}")
            if anchor:
                self.assertIn(anchor, anchors_of(page), f"{name}: {link}#{anchor}")

    def test_names_files_in_recipes_that_exist(self):
        page = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
        recipes = page.split("## Recipes\n")[1].split("\n## ")[0]
        paths = [path for path in re.findall(r"`([\w.*-]+/[\w./*-]*)", recipes) if "NAME" not in path]
        self.assertGreater(len(paths), 20, "the paths were not found")
        self.assertEqual([], [path for path in paths if not list(ROOT.glob(path))])

    def test_has_documentation_that_is_read(self):
        """Guides are few, the index names every page, and all of them together stay short."""
        pages = sorted((ROOT / "docs").rglob("*.md"))
        index = (ROOT / "docs" / "README.md").read_text(encoding="utf-8")
        self.assertIn("I want to ...", index)
        missing = [page.name for page in pages if page.name != "README.md"
                   and f"({page.relative_to(ROOT / 'docs').as_posix()}" not in index]
        self.assertEqual([], missing, "docs/README.md names no such page")
        guides = {page.name for page in (ROOT / "docs").glob("*.md")} - {"README.md", "figures.md"}
        self.assertLessEqual(len(guides), 10, guides)
        tables = re.compile(r"<!-- table (\w+) -->.*?<!-- end of \1 -->", re.DOTALL)
        words = sum(len(tables.sub("", page.read_text(encoding="utf-8")).split()) for page in pages)
        self.assertLessEqual(words, DOCS_WORDS_MAX, "words of docs")
        self.assertLessEqual((ROOT / "README.md").stat().st_size, README_BYTES_MAX)

    def test_counts_exceptions(self):
        needed = rooms.needed_exceptions(ROOT)
        print("includes against the table of rooms:", sum(map(len, needed.values())))
        print("exceptions that are no longer needed (rooms.py drops them):",
              *sorted(set(rooms.STILL) - set(needed)))


PURPOSE = "// Says what this file is for, at some length,\n// in two lines.\n"

BODY = "{\nint a() {\n}\n}\n"  # of a namespace that defines a function

PLANTED = [
    ("graphs/ir/a.cpp", '#include "harness/model/result.hpp"\n', "may not include"),
    ("graphs/ir/a.cpp", '#include "graphs/device/device.hpp"\n', "may not include"),
    ("graphs/ir/a.cpp", '#include "graphs/abi/graphbench_abi.h"\n', "may not include"),
    ("harness/judge/ab/a.cpp", "namespace graphbench::ab " + BODY, "namespace is graphbench::judge;"),
    ("harness/judge/a.hpp", "namespace graphbench::model {\nstruct A {\n};\n}\n",
     "namespace is graphbench::judge;"),
    ("tests/unit/harness/judge/ab/a.cpp", "namespace graphbench " + BODY, "namespace is graphbench::judge;"),
    ("graphs/base/a.cpp", "namespace graphbench::base " + BODY, "namespace is graphbench;"),
    ("graphs/device/cache/a.cpp", "namespace graphbench " + BODY, "namespace is graphbench::cache;"),
    ("graphs/device/a.cpp", '#include "graphs/execution/executor.hpp"\n', "may not include"),
    ("graphs/host/a.cpp", '#include "graphs/cuda/stream.hpp"\n', "may not include"),
    ("graphs/execution/a.cpp", '#include "harness/measure/summary.hpp"\n', "may not include"),
    ("workloads/mlp/a.cpp", '#include "graphs/execution/executor.hpp"\n', "may not include"),
    ("reporters/a.cpp", '#include "harness/model/result.hpp"\n', "may not include"),
    ("harness/judge/a.cpp", '#include "harness/measure/passes.hpp"\n', "may not include"),
    ("harness/model/a.cpp", '#include "graphs/ir/types.hpp"\n', "may not include"),
    ("harness/sweep/a.cpp", '#include "harness/measure/passes.hpp"\n', "private to harness/measure"),
    ("harness/model/codec/a.cpp", '#include "harness/sweep/run_sweep.hpp"\n', "may not include"),
    ("harness/options/a.cpp", '#include "harness/sweep/plan/make_plan.hpp"\n', "may not include"),
    ("graphs/base/process/a.cpp", '#include "harness/options/options.hpp"\n', "may not include"),
    ("harness/sweep/a.cpp", '#include "harness/cli/main.hpp"\n', "may not include"),
    ("harness/cli/a.cpp", '#include "harness/judge/compare/judge.hpp"\n', "private to harness/judge"),
    ("harness/cli/a.cpp", '#include "tests/support/fake.hpp"\n', "may not include"),
    ("harness/cli/a.cpp", "#include <cuda_runtime.h>\n", "CUDA header"),
    ("graphs/device/device.cpp", "#include <nvtx3/nvToolsExt.h>\n", "CUDA header"),
    ("graphs/cuda/a.cpp", "#if CUDART_VERSION >= 13000\n", "between toolkits"),
    ("graphs/host/a.hpp", "#include <cublasLt.h>\n", "CUDA header"),
    ("graphs/device/a.cpp", "int a;  \n", "blanks"),
    ("graphs/device/a.cpp", "\tint a;\n", "tab"),
    ("ci/a.py", "x = 1 \n", "blanks"),
    ("graphs/device/a.cpp", "// " + "x" * 108 + "\n", "columns"),
    ("graphs/device/a.cpp", "// TODO: later\n", "TODO"),
    ("graphs/device/a.cpp", "// FIXME\n", "FIXME"),
    ("graphs/device/a.cpp", "int a;\n" * 499, "split it"),
    ("graphs/device/a.cpp", "int a;", "no line break"),
    ("graphs/device/a.cpp", "void f(int a) {\n" + "  a++;\n" * 70 + "}\n", "a function of"),
    ("graphs/device/a.cpp", "class A {\n  int f() const {\n" + "    a();\n" * 70 + "  }\n};\n",
     "a function of"),
    ("harness/cli/a.cpp", "class Descriptor {\n", "files.hpp"),
    ("graphs/device/a.cpp", "  std::rename(a, b);\n", "files.hpp"),
    ("graphs/device/a.cpp", "  text << file.rdbuf();\n", "files.hpp"),
    ("harness/model/a.cpp", "  return {std::istreambuf_iterator<char>(in), {}};\n", "files.hpp"),
    ("graphs/device/a.cpp", "  EVP_Digest(a, b, c, d, EVP_sha256(), nullptr);\n", "digest.hpp"),
    ("graphs/ir/a.cpp", "bool contains(const std::vector<int>& list, int a) {\n", "text.hpp"),
    ("reporters/a.cpp", "std::string join(const std::vector<std::string>& words) {\n", "text.hpp"),
    ("harness/cli/a.cpp", '  for (auto& each : all) text += (text.empty() ? "" : ", ") + each;\n',
     "text.hpp"),
    ("harness/cli/a.cpp", "  return std::chrono::duration<double>(Clock::now() - start).count();\n",
     "clock.hpp"),
    ("graphs/host/a.hpp", "  return std::chrono::steady_clock::now().time_since_epoch().count();\n",
     "clock.hpp"),
    ("harness/judge/a.cpp", '  std::fprintf(stderr, "graphbench: no\\n");\n', "text.hpp"),
    ("graphs/device/a.cpp", "A::A(int a)\n    : a_(a) {\n" + "  b();\n" * 70 + "}\n", "a function of"),
    ("graphs/device/a.cpp", "void f() {\n  if (a) {\n" + "    b('{');\n" * 70 + "  }\n}\n", "a function of"),
    ("graphs/device/a.cpp", "void f(int a,\n       int b) {\n" + "  a++;\n" * 70 + "}\n", "a function of"),
    ("graphs/ir/a.cpp", "\n// Of an op.\n", "subject"),
    ("graphs/ir/a.cpp", "\n  // Likewise.\n", "subject"),
    ("graphs/ir/a.cpp", "\n// As above.\n", "subject"),
    ("graphs/ir/a.cpp", "\n// Those of the step.\n", "subject"),
    ("graphs/ir/a.hpp", "int a;  // samples a cell\n", "per"),
    ("graphs/ir/a.hpp", "int a;  // opened once a process\n", "per"),
    ("graphs/cuda/a.cu", "// It takes 3 us a node.\n", "per"),
    ("harness/model/a.cpp", "counts = facts::GraphCounts{1, 2, 3, 4, 5};\n", "by position"),
    ("tests/unit/a.cpp", "  const auto use = model::CacheUse{hits, 0};\n", "by position"),
    ("graphs/host/a.cpp", "  facts::DeviceFacts facts;\n", "write {} behind"),
    ("harness/model/a.hpp", "  Launch launch_;  // the last\n", "write {} behind"),
    ("graphs/base/facts/device.hpp", "struct CacheUse {\n  double s = 0;  // saved\n};\n", "a default in"),
    ("harness/model/result.hpp", "struct Setup {\n  std::map<int, int> a{};\n};\n", "a default in"),
]

CLEAN = [
    ("graphs/ir/a.cpp", '#include "graphs/ir/types.hpp"\n'),
    ("harness/judge/ab/a.cpp", "namespace graphbench::judge " + BODY),
    ("harness/judge/a.hpp", "namespace graphbench::abi {\nclass A;\n}\n"),
    ("harness/judge/a.hpp", "namespace graphbench::model {\nstruct A {\n};\nGB_DESCRIBE(A, a);\n}\n"),
    ("harness/judge/a.cpp", "namespace graphbench::model {\nint A::a() {\n  b();\n}\n}\n"),
    ("graphs/device/a.cpp", "namespace graphbench " + BODY),
    ("tests/support/a.cpp", "namespace graphbench::test " + BODY),
    ("graphs/abi/a.cpp", '#include "graphs/ir/types.hpp"\n#include "graphs/abi/graphbench_abi.h"\n'),
    ("harness/judge/ab/a.cpp", '#include "harness/judge/compare/judge.hpp"\n'),
    ("harness/cli/a.cpp", '#include "harness/judge/compare/compare.hpp"\n'),
    ("harness/service/serve/a.cpp", '#include "harness/service/net/http.hpp"\n'),
    ("graphs/cuda/a.cpp", '#include <cuda_runtime.h>\n#include "graphs/device/device.hpp"\n'),
    ("graphs/device/stage_range.cpp", "#include <nvtx3/nvToolsExt.h>\n"),
    ("graphs/cuda/runtime_names.hpp", "#if CUDART_VERSION >= 13000\n"),
    ("tests/unit/a.cpp", '#include "harness/cli/main.hpp"\n'),
    ("harness/cli/a.cpp", '#include "harness/sweep/report/table.hpp"\n// TODO(#12): a place for it.\n'),
    ("graphs/device/a.cpp", "void f(int a) {\n" + "  a++;\n" * 60 + "}\n"),
    ("graphs/device/a.cpp", "namespace a {\n" + "int b;\n" * 100 + "}\n"),
    ("graphs/device/a.cpp", "A::A(int a)\n    : a_(a) {\n  b('{', \"{\");  // {\n}\n" + "int b;\n" * 100),
    ("graphs/device/a.cpp", "class A : public B<int()> {\n" + "  int b();\n" * 100 + "};\n"),
    ("graphs/ir/a.cpp", "\n// A step launches nodes.\n// Of these, one waits.\nint a;  // of a step\n"),
    ("graphs/base/a.cpp", "class Descriptor {\n"),
    ("tests/unit/a.cpp", "  text << file.rdbuf();\n"),
    ("graphs/cuda/a.cpp", "class CudnnDescriptor {\n"),
    ("harness/measure/a.cpp", "  const auto start = Clock::now();\n  if (contains(a, b)) a = join(b);\n"),
    ("docs/a.md", "x" * 200 + "\n"),
    ("docs/a.md", "An interface; the surface of `profile.witness`; twenty issues; no moon, no teletype.\n"),
    ("dashboards/page/a.css", "@font-face {}\n"),
    ("LICENSE", "Nobody.\n"),
]

# One line for each pattern of tidy_words.py, in its order.
WORDS = """// Nobody waits.
// when somebody asks
// stands with whoever asked
// Who comes when all are taken
// shared with strangers
// measured anew
// for until the largest has run
// is told of once
class SweepTeller {
// until the clock came round
// stands for no wish of the user
// with those there are
// options that are none
// a process that is no more
// lets go of the stream
// is as good as no limit
"what will not do"
// does not cry wolf
int cpu_mood = 0;
struct ByStanders;
// an independent witness of events
const Face& face
// the order CONTRACT has
// in the contract's order
// SEEDS.md's condition
// since issue 12""".split("\n")


class Rules(unittest.TestCase):
    def test_find_every_planted_violation(self):
        for path, text, expected in PLANTED:
            with self.subTest(path=path, expected=expected):
                faults = tidy_rules.faults_of(path, PURPOSE + text)
                self.assertTrue(any(expected in fault for fault in faults), faults)

    def test_find_every_word(self):
        found = set()
        for line in WORDS:
            for path in ("docs/a.md", "ci/a", "graphs/ir/a.cpp", "tests/unit/a.cpp"):
                with self.subTest(line=line, path=path):
                    faults = list(tidy_words.faults_of_words(path, ["", line]))
                    self.assertTrue(faults and faults[0].startswith(f"{path}:2: "), faults)
            found.update(pattern for pattern, _ in tidy_words.WORDS if pattern.search(line))
        self.assertEqual({pattern for pattern, _ in tidy_words.WORDS}, found)

    def test_except_what_is_listed_and_nothing_else(self):
        line = ['#include "harness/model/result.hpp"']
        self.assertEqual([], list(rooms.faults_of_includes(
            "graphs/ir/a.cpp", line, {"graphs/ir/a.cpp": ["harness/model/result.hpp"]})))
        for still in ({"graphs/ir/b.cpp": ["harness/model/result.hpp"]}, {"graphs/ir/a.cpp": []}):
            self.assertEqual(1, len(list(rooms.faults_of_includes("graphs/ir/a.cpp", line, still))))
        gone = {"graphs/ir/gone.cpp": ["harness/model/result.hpp"],
                "graphs/base/error.cpp": ["harness/model/result.hpp"]}
        self.assertEqual({}, rooms.needed_exceptions(ROOT, gone))

    def test_find_a_file_without_a_purpose(self):
        for text in ("#pragma once\n", "", "// x\n#pragma once\n"):
            faults = tidy_rules.faults_of("graphs/ir/a.hpp", text)
            self.assertTrue(any("first lines" in fault for fault in faults), text)

    def test_find_a_purpose_that_is_not_a_sentence(self):
        for text, found in (("// op by op, with a rewriter over everything.\n", 1),
                            ("// Reads the settings, and the order of asking\n", 1),
                            ("// rmsnorm reads each row twice: first for its mean square.\n", 0),
                            ("// Reads each row\n// twice, first for its mean square.\n", 0)):
            faults = tidy_rules.faults_of("graphs/host/ops/rmsnorm.cpp", text)
            self.assertEqual(found, len(faults), (text, faults))

    def test_leave_clean_files_alone(self):
        for path, text in CLEAN:
            with self.subTest(path=path):
                self.assertEqual([], tidy_rules.faults_of(path, PURPOSE + text))

    def test_name_the_line(self):
        faults = tidy_rules.faults_of("graphs/ir/a.cpp", PURPOSE + "int a;\nint b; \n")
        self.assertEqual(["graphs/ir/a.cpp:4: blanks at the end of the line"], faults)

    def test_find_what_is_wrong_with_a_commits_message(self):
        body = "\n\nWhy.\n"
        for subject in ("net: refuse a coding other than chunked", "graphs/ir, abi: pass programs on",
                        "Drop generated kernels", "page: bring the focus back", "a: " + "x" * 69):
            self.assertEqual([], list(tidy_rules.faults_of_commit(subject + body)), subject)
        for subject in ("net: refused a coding", "net: refuses a coding", "net: refusing it",
                        "net: the coding", "wip host, ir", "net:", "", "a: " + "x" * 70):
            self.assertEqual(1, len(list(tidy_rules.faults_of_commit(subject + body))), subject)
        self.assertEqual(1, len(list(tidy_rules.faults_of_commit("net: refuse a coding\n\n \n"))))


class Commits(unittest.TestCase):
    def test_the_newest_twenty_keep_the_rules(self):
        git = ["git", "-C", str(ROOT), "-c", "safe.directory=*"]
        shallow = subprocess.run([*git, "rev-parse", "--is-shallow-repository"],
                                 capture_output=True, text=True, check=False)
        if shallow.stdout.strip() != "false":
            self.skipTest("there is no history here, or a part of it alone")
        # Those of before the rule stay as they are.
        log = subprocess.run(
            [*git, "log", "-20", "--no-merges", "--since=2026-11-25T00:00Z", "--format=%B%x00"],
            capture_output=True, text=True, check=True)
        messages = [message.strip() for message in log.stdout.split("\0") if message.strip()]
        self.assertEqual([], [fault for each in messages for fault in tidy_rules.faults_of_commit(each)])


class Format(unittest.TestCase):
    @unittest.skipUnless(shutil.which("clang-format"), "clang-format is not installed")
    def test_sources_are_as_clang_format_writes_them(self):
        names = [name for name in tracked_files() if name.endswith(tidy_rules.CODE)]
        self.assertGreater(len(names), 50, "the sources were not found")
        check = subprocess.run(["clang-format", "--dry-run", "--Werror", *names],
                               cwd=ROOT, capture_output=True, text=True, check=False)
        complaints = [line for line in check.stderr.splitlines() if "error:" in line]
        self.assertEqual([], complaints[:40])
        self.assertEqual(0, check.returncode, check.stderr)
