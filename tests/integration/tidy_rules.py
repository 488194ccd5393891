"""The rules of the tree that a program can check. Rooms are in rooms.py, facts in tidy_facts.py, words in
tidy_words.py, namespaces in tidy_namespaces.py.

faults_of(path, text) returns sentences, empty for a clean file. Pure: it reads no files."""

import itertools
import pathlib
import re

import rooms
import tidy_facts
import tidy_namespaces
import tidy_words

LINE_MAX = 110
FILE_LINES_MAX = 500
FILE_LINES_LISTED = 300
FUNCTION_LINES_MAX = 70

CODE = (".hpp", ".cpp", ".h", ".cu", ".cuh")
SCRIPTS = (".py", ".cmake", ".sh")
# Tables, prose and generated files may be wide: a link or a row cannot be broken.
WIDE = (".md", ".json", ".txt", ".csv", "dashboards/page/columns.mjs")

CUDA_HEADER = re.compile(
    r"^(cuda|cublas|cudnn|cupti|nvml|nvtx|cooperative_groups|driver_types|vector_types|mma)")
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+\.(?:h|hpp|cuh))[>"]')
ORPHAN = re.compile(r"\b(TODO|FIXME|XXX|HACK)\b(?!\(#\d+\))")
# A line that opens a function's body: parameters, then what may follow them, then the brace.
OPENING = re.compile(r"^.*\).*\{\s*$")
NOT_A_FUNCTION = re.compile(
    r"^\s*(\}|(if|else|for|while|switch|do|namespace|struct|class|enum|union|extern|try|catch|case)\b)")

# NVTX is of the toolkit, and needs neither a GPU nor a library.
NVTX_FILE = "graphs/device/stage_range.cpp"

# What graphs/base has, and where. Tests may read their files as they like.
PRODUCT = ("graphs/", "harness/", "reporters/", "workloads/")
BASE = [(re.compile(pattern), header) for pattern, header in (
    (r"\bclass Descriptor\b|\bmkstemp\(|\brename\(|\.rdbuf\(\)|\bistreambuf_iterator\b", "files.hpp"),
    (r"\bEVP_(sha256|Digest\w*)\b|\bSHA256\w*\(", "digest.hpp"),
    (r"^(static |inline |constexpr |template <.*> )*[\w:]+ (joined|join|contains|among)\(|"
     r'empty\(\) \? "" : ", "\) \+ \w+;', "text.hpp"),
    (r"\bnow\(\) - \w+\)\.count\(\)|steady_clock::now\(\)\.time_since_epoch\(\)|\bclass \w*Stopwatch\b",
     "clock.hpp"),
    (r'fprintf\(stderr,\s*"graphbench: ', "text.hpp"))]
# Code that depends on the toolkit's version.
TOOLKIT = re.compile(r"^\s*#\s*(el)?if\b.*\b(CUDART_VERSION|CUDA_VERSION)\b")
TOOLKIT_HEADER = "graphs/cuda/runtime_names.hpp"


def is_cuda_file(path):
    folders = ("graphs/cuda/", "tests/gpu/", "tests/unit/graphs/cuda/")
    return path.startswith(folders) or path.endswith((".cu", ".cuh"))


def faults_of_cuda_headers(path, lines):
    if is_cuda_file(path):
        for number, line in enumerate(lines, 1):
            if TOOLKIT.match(line) and path != TOOLKIT_HEADER:
                yield f"{path}:{number}: what differs between toolkits belongs in {TOOLKIT_HEADER}"
        return
    for number, line in enumerate(lines, 1):
        match = INCLUDE.match(line)
        if match and path == NVTX_FILE and match.group(1).startswith("nvtx3/"):
            continue
        if match and CUDA_HEADER.match(match.group(1)) and not match.group(1).startswith(rooms.OURS):
            yield f"{path}:{number}: CUDA header {match.group(1)} outside of graphs/cuda and *.cu"


def faults_of_lines(path, lines):
    for number, line in enumerate(lines, 1):
        if line != line.rstrip():
            yield f"{path}:{number}: blanks at the end of the line"
        if "\t" in line and not path.endswith("Makefile"):
            yield f"{path}:{number}: a tab"
        if len(line) > LINE_MAX and not path.endswith(WIDE):
            yield f"{path}:{number}: {len(line)} columns, more than {LINE_MAX}"
        if ORPHAN.search(line) and not path.startswith("tests/integration/tidy_"):
            yield f"{path}:{number}: {ORPHAN.search(line).group(1)} without its issue, as in TODO(#12)"


def faults_of_purpose(path, lines):
    """Two lines of purpose at the top of each source file: at least one full comment line for short ones."""
    if not path.endswith((".hpp", ".cpp", ".h", ".cu", ".cuh")):
        return
    head = [line.strip() for line in lines[:2]]
    if not head or not head[0].startswith(("//", "/*")):
        yield f"{path}:1: no purpose in the first lines"
    elif len(" ".join(head).lstrip("/* ")) < 30:
        yield f"{path}:1: the first lines do not say what the file is for"
    elif path.endswith((".cpp", ".cu")) and not path.startswith("tests/"):
        yield from faults_of_first_sentence(path, lines)


def faults_of_first_sentence(path, lines):
    """A sentence: it begins with a capital, or with the name of an op or a workload, and it ends."""
    comment = list(itertools.takewhile(lambda line: line.startswith("//"), lines))
    words = " ".join(line.lstrip("/ ") for line in comment).split()
    name = words[0].rstrip(":,")
    if not (name[0].isupper() or "_" in name or pathlib.PurePosixPath(path).stem.startswith(name)):
        yield f'{path}:1: "{name}" begins the first sentence: neither a capital nor in the name of the file'
    if not words[-1].endswith((".", ":", ".)")):
        yield f"{path}:{len(comment)}: the comment that says what the file is for has no end"


def without_literals(text):
    """The same lines, with comments, strings and character literals blanked: what braces are counted in."""

    def blank(match):
        return re.sub(r"[^\n]", " ", match.group())

    return re.sub(r'R"([^(\s]*)\((?:.|\n)*?\)\1"|//[^\n]*|/\*(?:.|\n)*?\*/|"(?:\\.|[^"\\\n])*"|'
                  r"(?<![0-9a-fA-F])'(?:\\.|[^'\\\n])+'", blank, text)


def faults_of_functions(path, lines):
    """A heuristic: from a line that opens a function's body to the brace that closes it."""
    if not path.endswith(CODE):
        return
    code = without_literals("\n".join(lines)).split("\n")
    for number, line in enumerate(code):
        if not OPENING.match(line) or NOT_A_FUNCTION.match(line):
            continue
        depth, end = 0, number
        while end < len(code):
            depth += code[end].count("{") - code[end].count("}")
            if depth <= 0:
                break
            end += 1
        length = end - number + 1
        if length > FUNCTION_LINES_MAX:
            yield f"{path}:{number + 1}: a function of {length} lines, more than {FUNCTION_LINES_MAX}"


def faults_of_size(path, lines):
    if path.endswith(CODE + SCRIPTS) and len(lines) > FILE_LINES_MAX:
        yield f"{path}: {len(lines)} lines, more than {FILE_LINES_MAX}: split it"


# "area, area: verb ...". A verb that commands has none of these endings, but for a few of its own.
SUBJECT = re.compile(r"(?:[\w/.+-]+(?:, [\w/.+-]+)*: )?(?P<verb>[A-Za-z][a-z-]*)(?= |$)")
SUBJECT_MAX = 72
NO_VERBS = re.compile(r"(?!.*(?:ss|eed|cus|ring)$).*(?:ed|ing|s)$|(?:an?|its?|no|one|some|the|wip)$", re.I)


def faults_of_commit(message):
    """What is wrong with a commit's message, in words that follow its subject."""
    subject, _, body = message.partition("\n")
    verb = SUBJECT.match(subject)
    if not verb or NO_VERBS.match(verb["verb"]):
        yield f"{subject!r}: begin with 'area: ' and a verb, as in 'codec: read a document once'"
    if len(subject) > SUBJECT_MAX:
        yield f"{subject!r}: {len(subject)} characters, more than {SUBJECT_MAX}"
    if not body.strip():
        yield f"{subject!r}: it has no body: say why, and give the evidence"


def faults_of_base(path, lines):
    if path.startswith("graphs/base/") or not path.startswith(PRODUCT):
        return
    for number, line in enumerate(lines, 1):
        for pattern, header in BASE:
            match = pattern.search(line)
            if match:
                yield f'{path}:{number}: a second "{match.group().strip()}": use graphs/base/{header}'


def is_long(path, text):
    return path.endswith(CODE + SCRIPTS) and len(text.splitlines()) > FILE_LINES_LISTED


def is_checked(path):
    if path in ("LICENSE",) or path.startswith("ci/baselines/") or path.endswith(".png"):
        return False
    if path.startswith("tests/fuzz/corpus/"):
        return False  # broken on purpose
    if re.match(r"tests/golden/(comparison|console|json|prometheus)/", path):
        return False  # what reporters print, escapes and all
    return True


def faults_of(path, text):
    path = pathlib.PurePosixPath(path).as_posix()
    lines = text.splitlines()
    faults = []
    for rule in (faults_of_lines, faults_of_purpose, faults_of_functions, faults_of_size,
                 tidy_words.faults_of_words, tidy_words.faults_of_comments):
        faults.extend(rule(path, lines))
    if path.endswith(CODE):
        faults.extend(faults_of_cuda_headers(path, lines))
        faults.extend(faults_of_base(path, lines))
        faults.extend(rooms.faults_of_includes(path, lines))
        faults.extend(tidy_facts.faults_of_facts(path, lines))
        faults.extend(tidy_namespaces.faults_of_namespaces(path, without_literals(text)))
    if text and not text.endswith("\n"):
        faults.append(f"{path}: no line break at the end of the file")
    return faults
