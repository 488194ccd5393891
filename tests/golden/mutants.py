"""Documents with one place changed, for tests of how strict a schema is."""

import copy

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
