"""A row of the table that ci/figures.py prints."""

import dataclasses
import json
import math


@dataclasses.dataclass
class Row:
    figure: str
    limit: str
    measured: str
    passed: bool


def at_most(figure, limit, measured, unit=""):
    """A row that passes if a number was measured and is at most its limit."""
    unit = f" {unit}" if unit else ""
    if measured is None:
        return Row(figure, f"<= {limit}{unit}", "not measured", False)
    text = f"{measured:.4g}" if isinstance(measured, float) else str(measured)
    return Row(figure, f"<= {limit}{unit}", f"{text}{unit}", measured <= limit)


# What tests/gpu prints of a comparison: two times, their ratio with its interval, and the ratio's limit.
RATIO = (r"\s+[\d.]+\s+[\d.]+\s+(?P<ratio>[\d.]+)\s+(?P<low>[\d.]+)\s+(?P<high>[\d.]+)"
         r"\s+(?P<limit>[\d.]+)(\s+OVER)?$")


def interval_row(figure, limit, text, low, high, unit=""):
    """A row that passes if the whole interval is at most the limit. An interval that holds the limit shows
    neither that the value is within it nor that it is above."""
    measured = f"{text}{unit} (95 %: {low}..{high})"
    if float(low) <= float(limit) < float(high):
        measured += ", not decided"
    return Row(figure, f"<= {limit}{unit}", measured, float(high) <= float(limit))


def ratio_row(figure, match):
    """A row of a match of RATIO."""
    return interval_row(figure, match["limit"], match["ratio"], match["low"], match["high"])


def published(figure, measured):
    """A row without a limit. It fails if the number is missing (None)."""
    return Row(figure, "measured", "not measured" if measured is None else measured, measured is not None)


def document_rows(folder, name, rows_of_document):
    try:
        return rows_of_document(json.loads((folder / name).read_text()))
    except (OSError, ValueError) as error:
        return [Row(f"document {name}", "readable", str(error), False)]


def geometric_mean(ratios):
    return math.exp(sum(map(math.log, ratios)) / len(ratios)) if ratios else None
