#!/usr/bin/env python3
"""The rooms of the tree, from rooms.json: who may include whom, and ARCHITECTURE.md's table of them.

Run as a program, it writes the table into ARCHITECTURE.md and drops exceptions that are no longer needed."""

import json
import pathlib
import re

HERE = pathlib.Path(__file__).resolve().parent
DATA = HERE / "rooms.json"
TABLE = json.loads(DATA.read_text(encoding="utf-8"))
# A room is a folder: its purpose, the rooms it may include (a folder of rooms stands for all of them) and,
# for a room with an interface, the headers that other rooms may include. The tests may include everything.
# A room has `namespace` if that is not its last word (tidy_namespaces.py).
ROOMS = TABLE["rooms"]
# Includes against the table that are still there: file -> headers. It only shrinks.
STILL = TABLE["still"]
OURS = ("graphs/", "workloads/", "harness/", "reporters/", "tests/", "ci/")
INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"')
BEGIN, END = "<!-- rooms.json begins -->\n", "<!-- rooms.json ends -->\n"


def room_of(path):
    """The innermost room that a file is in, or "" for none."""
    return max((room for room in ROOMS if path.startswith(room + "/")), key=len, default="")


def is_allowed(room, other):
    return any(other == folder or other.startswith(folder + "/")
               for folder in ROOMS[room]["includes"]) and other != room


def fault_of_include(path, target):
    """Why a file may not include a header, or "" where it may."""
    room, owner = room_of(path), room_of(target)
    if not room or room == owner or not target.startswith(OURS):
        return ""
    if not is_allowed(room, owner):
        allowed = ", ".join(ROOMS[room]["includes"]) or "no other room"
        return f"{room} may not include {target}; it may include {allowed}"
    headers = ROOMS[owner].get("headers", [target])
    if target not in headers:
        return f"{target} is private to {owner}; its headers for others are {', '.join(headers)}"
    return ""


def faults_of_includes(path, lines, still=STILL):
    for number, line in enumerate(lines, 1):
        match = INCLUDE.match(line)
        fault = fault_of_include(path, match.group(1)) if match else ""
        if fault and match.group(1) not in still.get(path, []):
            yield f"{path}:{number}: {fault}"


def needed_exceptions(root, still=STILL):
    """Those of `still` that a file of the tree needs."""
    needed = {}
    for path, headers in still.items():
        text = (root / path).read_text(encoding="utf-8") if (root / path).is_file() else ""
        included = {match.group(1) for match in map(INCLUDE.match, text.splitlines()) if match}
        kept = [header for header in headers if header in included and fault_of_include(path, header)]
        if kept:
            needed[path] = kept
    return needed


def markdown():
    rows = ["| room | what it holds | may include |", "| --- | --- | --- |"]
    for room, row in ROOMS.items():
        allowed = ", ".join(f"`{name}`" for name in row["includes"]) or "no other room"
        rows.append(f"| `{room}` | {row['purpose']} | {allowed} |")
    return "\n".join(rows) + "\n"


def with_table(text):
    """ARCHITECTURE.md's text with the table as rooms.json has it."""
    before, rest = text.split(BEGIN)
    return before + BEGIN + markdown() + END + rest.split(END)[1]


def main():
    root = HERE.parents[1]
    page = root / "ARCHITECTURE.md"
    page.write_text(with_table(page.read_text(encoding="utf-8")), encoding="utf-8")
    needed = needed_exceptions(root)
    if needed != STILL:
        text, begin = DATA.read_text(encoding="utf-8"), '  "still": '
        still = json.dumps(needed, indent=2).replace("\n", "\n  ")
        DATA.write_text(text[:text.index(begin)] + begin + still + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
