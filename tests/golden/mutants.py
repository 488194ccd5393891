"""Documents with one place changed, for tests of how strict a schema is."""

import copy
import json

MISSING = object()


def change(document, path, value):
    """A copy with the value at `path` replaced, added or (MISSING) removed."""
    mutant = copy.deepcopy(document)
    place = mutant
    for step in path[:-1]:
        place = place[step]
    if value is MISSING:
        del place[path[-1]]
    else:
        place[path[-1]] = value
    return mutant


def table(text, places):
    """The (path, value) pairs of lines "PATH: VALUE, VALUE  # why". Values are JSON, or MISSING to remove
    what is there; a path may begin with a name of `places`."""
    pairs = []
    for line in text.strip().splitlines():
        path, _, values = line.partition("  #")[0].partition(": ")
        head, _, rest = path.partition(".")
        steps = ".".join(filter(None, [places.get(head, head), rest])).split(".")
        path = tuple(int(step) if step.isdigit() else step for step in steps)
        for value in json.loads(f"[{values.replace('MISSING', json.dumps(str(MISSING)))}]"):
            pairs.append((path, MISSING if value == str(MISSING) else value))
    return pairs
