"""Namespaces: a file opens that of its room, which is the room's last word. So a name says where it is from.

Rooms whose names every room speaks have `"namespace": "graphbench"` in rooms.json: they open graphbench
itself, and a folder in them opens its own last word. What is in tests/unit opens what it tests."""

import re

import rooms

OPENED = re.compile(r"^(?:inline )?namespace (graphbench\b[\w:]*) \{", re.MULTILINE)
# What only the namespace of a template may hold.
SPECIALISED = re.compile(r"^(?:GB_DESCRIBE|GB_NAMES)\(|^template (?:<>|void)", re.MULTILINE)
STATEMENT = re.compile(r"^[A-Za-z].*", re.MULTILINE)
MEMBER = re.compile(r"\b\w+::~?\w+\(")
PLACES = ("graphs/", "harness/", "reporters/", "workloads/", "tests/unit/")


def namespace_of(path):
    """The namespace that a file of a room opens, or "" for a file of none."""
    path = path.removeprefix("tests/unit/")
    room = rooms.room_of(path)
    if not room:
        return ""
    word = room.rpartition("/")[2]
    if rooms.ROOMS[room].get("namespace"):
        folders = path.removeprefix(room + "/").split("/")[:-1]
        word = folders[-1] if folders else ""
    return f"graphbench::{word}" if word else "graphbench"


def body_of(code, begin):
    """From an opening brace to the one that closes it."""
    depth = 0
    for at in range(begin, len(code)):
        depth += {"{": 1, "}": -1}.get(code[at], 0)
        if depth == 0:
            return code[begin + 1:at]
    return code[begin + 1:]


def may_be_elsewhere(body):
    """Whether a block only declares, specialises, or defines members of what such a block declared."""
    return "{" not in body or SPECIALISED.search(body) or all(
        MEMBER.search(line) for line in STATEMENT.findall(body))


def faults_of_namespaces(path, code):
    """`code`: the text without comments and literals."""
    wanted = namespace_of(path) if path.startswith(PLACES) else ""
    if not wanted:
        return
    for match in OPENED.finditer(code):
        if match.group(1) != wanted and not may_be_elsewhere(body_of(code, match.end() - 1)):
            line = code.count("\n", 0, match.start()) + 1
            yield (f"{path}:{line}: {match.group(1)} is opened, but this room's namespace is {wanted}; "
                   "another's is opened only to declare its names or to specialise its templates")
