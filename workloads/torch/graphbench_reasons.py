"""What the doctor answers: its findings, each with the section of docs/reference/capture-failures.md that
says how to write such a step so that a graph holds it."""

import json
import pathlib
import re

STOPS = 10  # the exit code where something stops a capture

# A section of the page, and a pattern of the reasons that it cures, as the doctor says them ("OP at PLACE:
# REASON", here without the place). The order counts, because the first row that fits is taken: names of calls
# and our own sentences come before messages of PyTorch and CUDA.
CURES = [(section, re.compile(pattern)) for section, pattern in (
    ("first-call", r"\(only at its first call\)|^needs one warm-up"),
    ("own-graph", r"^CUDAGraph\.|prepare for replay|already capturing|[Nn]ested capture"),
    ("print", r"^print of a tensor:"),
    ("wait", r"^(Event|Stream|torch\.cuda)\."),
    ("python-state", r"^the step (keeps state in Python|does not repeat itself)|capturable(=| is )False"),
    ("several-devices", r"^the step is on several devices"),
    ("another-stream", r"another stream|unjoined|not joined|legacy stream|uncaptured work"),
    ("no-output", r"^the graph is empty|no tensor was found|^nothing can be compared"),
    ("captured-value", r"differs from eager's|two steps in a row|step leaves |another shape or type"),
    ("generator", r"^the whole step: .*([Gg]enerator|[Oo]ffset increment|philox)"),
    ("read-back", r"^aten::(item|nonzero|masked_select|unique\w*|equal|index|index_put_?):|^Tensor\."),
    ("host-memory", r"^aten::(_to_copy|copy_|_pin_memory):|^the whole step: .* pinned"),
    ("refused-op", r""),  # takes every reason that no other row knows
)]
PLACE = re.compile(r" at (backward|the step|\S+:\d+)( \(\S+:\d+\))?")  # a file may have the name of a reason


def section_of(reason):
    """The section for a reason, as the doctor says it."""
    said = PLACE.sub("", reason)
    return next(section for section, pattern in CURES if pattern.search(said))


def with_section(reason):
    return f"{reason} (capture-failures: {section_of(reason)})" if reason else ""


def sentence_of(found):
    when = " (only at its first call)" if found["first_call_only"] else ""
    return f"{found['op']} at {found['place']}: {found['reason']}{when}"


class Answer:
    """What was found in a step.

    calls      those that stop a capture: dictionaries of op, place, reason and first_call_only
    cause      why a capture fails, or why replays are not eager's step, if no call shows it; else ""
    remarks    more sentences
    cold       calls that fail only until a library has been called once, so a warm-up cures them
    undecided  what only a GPU would show; "" if there was one
    stops      whether something stops a capture"""

    def __init__(self, step, batch, calls, cause="", remarks=(), cold=(), undecided=""):
        self.step = step
        self.batch = batch
        self.calls = calls
        self.cause = cause
        self.remarks = list(remarks)
        self.stops = bool(cause) or any(not each["first_call_only"] for each in calls)
        self.cold = [] if self.stops else list(cold)
        self.undecided = undecided
        for each in calls:
            each["section"] = section_of(sentence_of(each))

    def lines(self):
        lines = [with_section(sentence_of(each)) for each in self.calls]
        if self.cause:
            lines.append(with_section(self.cause))
        lines += self.remarks
        if not self.stops and not self.undecided:
            lines.append("nothing stops a capture")
        elif not self.stops:
            lines.append(f"found nothing that stops a capture; {self.undecided}")
        elif self.undecided:
            lines.append(self.undecided)
        if self.cold:
            some = "; ".join(f"{each['op']} at {each['place']}" for each in self.cold[:2])
            more = ", ..." if len(self.cold) > 2 else ""
            lines.append(with_section(f"needs one warm-up: {some}{more}"))
        return lines

    def document(self):
        return json.dumps({
            "schema": "graphbench.doctor/1",
            "step": self.step,
            "batch": self.batch,
            "stops": self.stops,
            "found": self.calls,
            "silent": self.cause,
            "silent_section": section_of(self.cause) if self.cause else "",
            "remarks": self.remarks,
            "needs_warm_up": [{"op": each["op"], "place": each["place"]} for each in self.cold],
            "undecided": self.undecided,
        }, indent=2) + "\n"

    def give(self, output):
        """The exit code and the text for stdout. `output`: the document's file, "-" for stdout, or empty."""
        code = STOPS if self.stops else 0
        if output == "-":
            return code, self.document()
        if output:
            pathlib.Path(output).write_text(self.document(), encoding="utf-8")
        return code, "".join(f"{line}\n" for line in self.lines())
