"""Reads PromQL as far as the linter needs: which metrics, which matchers, which ranges, which labels.

Whether an expression is PromQL at all is for a real Prometheus to say (queries_test.py)."""

import collections
import re

STRING = re.compile(r'"(?:\\.|[^"\\])*"')
SELECTOR = re.compile(r"([a-zA-Z_:][a-zA-Z0-9_:]*)\s*(\{[^{}]*\})?\s*(\[[^\]]*\])?")
# Of several families, which differ in one part of their names: {__name__=~"a_(b|c)_d", ...}
SEVERAL = re.compile(r'\{__name__=~"(\w*)\(([\w|]+)\)(\w*)",\s*')
MATCHER = re.compile(r'([a-zA-Z_][a-zA-Z0-9_]*)\s*(=~|!~|!=|=)\s*("(?:\\.|[^"\\])*")')
LABEL_LIST = re.compile(r"\b(?:by|without|on|ignoring|group_left|group_right)\s*\(([^()]*)\)")
RATES = ("rate", "increase", "irate", "resets")
WORDS = {"by", "without", "on", "ignoring", "group_left", "group_right", "bool", "offset", "and", "or",
         "unless", "inf", "nan", "start", "end"}


# metric{matchers}[range], and the function called right around it, empty where there is none. A matcher is
# (label, operator, value).
Selector = collections.namedtuple("Selector", "metric matchers window function")


def hide_strings(expression):
    """The expression with the contents of its strings blanked: braces and names in them do not count."""
    return STRING.sub(lambda match: '"' + "\0" * (len(match.group()) - 2) + '"', expression)


def each_family(expression):
    """The expression with each name that its selector of several families stands for; itself without one."""
    if not (several := SEVERAL.search(expression)):
        return [expression]
    before, parts, behind = several.groups()
    return [expression[:several.start()] + before + part + behind + "{" + expression[several.end():]
            for part in parts.split("|")]


def selectors(expression):
    """Every instant and range selector of the expression, in order."""
    if SEVERAL.search(expression):
        return [one for each in each_family(expression) for one in selectors(each)]
    hidden = LABEL_LIST.sub(lambda match: " " * len(match.group()), hide_strings(expression))
    # Durations and macros are not names: 5m, $__range.
    hidden = re.sub(r"(?<![a-zA-Z_:\d])\d[\w.]*(?:e-?\d+)?|\$\{?\w+\}?(?![^\[]*\])",
                    lambda match: " " * len(match.group()), hidden)
    found = []
    for match in SELECTOR.finditer(hidden):
        name = match.group(1)
        following = hidden[match.end(1):].lstrip()
        if (name.lower() in WORDS or following.startswith("(")
                or hidden[:match.start()].endswith(("{", "$"))):
            continue
        start, end = match.span(2)
        matchers = MATCHER.findall(expression[start:end]) if match.group(2) else []
        before = re.search(r"([a-z_]+)\s*\(\s*$", hidden[:match.start()])
        window = expression[slice(*match.span(3))][1:-1] if match.group(3) else ""
        found.append(Selector(name, [(label, op, value[1:-1]) for label, op, value in matchers], window,
                              before.group(1) if before else ""))
    return found


def halves(expression):
    """What stands around each `or` that is in no parentheses, or the expression for each of several families;
    the expression alone where it has neither."""
    if SEVERAL.search(expression):
        return each_family(expression)
    hidden = hide_strings(expression)
    parts, begin, depth = [], 0, 0
    for match in re.finditer(r"[(\[{]|[)\]}]|\bor\b(?:\s+(?:on|ignoring)\s*\([^)]*\))?", hidden):
        if match.group() in ("(", "[", "{"):
            depth += 1
        elif match.group() in (")", "]", "}"):
            depth -= 1
        elif depth == 0:
            parts.append(expression[begin:match.start()].strip())
            begin = match.end()
    return [*parts, expression[begin:].strip()]


def grouped_labels(expression):
    """Every label named in by, on, group_left and their like."""
    lists = LABEL_LIST.findall(hide_strings(expression))
    return {name.strip() for each in lists for name in each.split(",") if name.strip()}


def made_labels(expression):
    """Labels that label_replace and label_join write. A first argument may hold commas; the target label is
    the string after it, so every string that is a label name and stands behind a comma counts."""
    if not re.search(r"\blabel_(?:replace|join)\s*\(", expression):
        return set()
    return set(re.findall(r',\s*"([a-zA-Z_]\w*)"\s*,', expression))
