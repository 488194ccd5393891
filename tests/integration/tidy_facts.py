"""Facts: structs of counts and times that rooms hand on.

GCC sees a field that is forgotten only where a struct has no defaults. So what is declared must be emptied,
and what is filled must name its fields."""

import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]
HEADERS = [*sorted(path.relative_to(ROOT).as_posix() for path in ROOT.glob("graphs/base/facts/*.hpp")),
           "harness/model/instruments.hpp", "harness/model/result.hpp", "harness/model/setup.hpp"]
# What was asked for, or is an identity: absent fields of theirs mean something. And a code with its message.
OTHERS = {"Axes", "Cell", "CpuState", "Environment", "InstrumentOptions", "Interleaved", "MergedShard",
          "PlanFacts", "Reason", "Result", "ShapeStep", "ShapeTrace", "ShardFacts"}
STRUCT = re.compile(r"^struct (\w+) \{$")
DEFAULT = re.compile(r"^  (?!static |friend |//)[^(]* = .*;|^  (?!static |friend |//)[^(]*\w\{.*\};")


def names():
    found = {match.group(1) for header in HEADERS for line in (ROOT / header).read_text("utf-8").splitlines()
             if (match := STRUCT.match(line))}
    return sorted(found - OTHERS)


FACTS = names()
EITHER = "|".join(FACTS)
POSITIONAL = re.compile(rf"\b(?:model|facts)::({EITHER})\{{(?=[^}}.])")
NOT_EMPTIED = re.compile(rf"^\s*(?:mutable |static |const )*(?:(?:model|facts)::)?({EITHER}) \w+;")


def faults_of_facts(path, lines):
    struct = ""
    for number, line in enumerate(lines, 1):
        if path in HEADERS:
            if match := STRUCT.match(line):
                struct = match.group(1)
            elif line.startswith("}"):
                struct = ""
            if struct in FACTS and DEFAULT.match(line):
                yield f"{path}:{number}: a default in the fact {struct}: GCC would not miss the field"
            continue
        if match := POSITIONAL.search(line):
            yield f"{path}:{number}: fields of the fact {match.group(1)} by position: name them"
        if match := NOT_EMPTIED.match(line):
            yield f"{path}:{number}: the fact {match.group(1)} has no defaults: write {{}} behind the name"
