"""What torch says of graphs that it does not take, and what opening a step took: facts for the report."""

import collections
import contextlib
import logging
import os
import pathlib
import re
import sys
import tempfile
import time

from graphbench_abi import one_line
from graphbench_versions import logs_of_skips

# The words by which torch 2.1 to 2.11 says why it takes no graph. The first that fits gives the reason.
REASONS = (("several_devices", r"multiple devices"),
           ("mutated_input", r"mutated inputs"),
           ("cpu_device", r"cpu device|\bcpu ops|DeviceCopy"),
           ("dynamic_shape", r"(?i)symbolic shape|dynamic shape|unbacked"),
           ("incompatible_op", r"(?i)incompatible op|not compatible|unsafe|control flow|conditional ops"
                               r"|custom partition op|sparsity|Tensor\.item|\.tolist|data.dependent"))
PLACE = re.compile(r'File "([^"]+)", line (\d+)')
PARTITIONED = re.compile(r"^\s*\S+: reason=(.*?), ir=")


def skip(text, places, file):
    """A line of the report. `places` are (file, line), the innermost last; the step's own file goes first."""
    text = re.sub(r"^(skipping cudagraphs? due to )+", "", text.partition("Found from")[0].strip())
    reason = next((name for name, pattern in REASONS if re.search(pattern, text)), "other")
    places = [each for each in places if each[0] == file] or places
    line = f"{pathlib.Path(places[-1][0]).name}:{places[-1][1]}" if places else ""
    return {"reason": reason, "words": one_line(text, 200).rstrip(". :"), "line": line}


class Ear:
    """Stands in for a module's logger and keeps what it says of graphs, whatever level the user has set."""

    def __init__(self, log, heard):
        self.log, self.heard = log, heard

    def __getattr__(self, name):
        return getattr(self.log, name)

    def isEnabledFor(self, level):  # noqa: N802 - partitions are told only to those who ask
        return True

    def warning(self, text, *args, **kwargs):
        if str(text).startswith("skipping cudagraph"):
            self.heard.append([str(text), PLACE.findall(str(text))])
        self.log.warning(text, *args, **kwargs)

    def debug(self, text, *args, **kwargs):
        """A node outside of graphs, and then its lines."""
        said = text % args if args else str(text)
        if found := PARTITIONED.search(said):
            self.heard.append([found.group(1), []])
        elif (place := PLACE.search(said)) and self.heard:
            self.heard[-1][1].append(place.groups())
        if self.log.isEnabledFor(logging.DEBUG):
            self.log.debug(text, *args, **kwargs)


heard = []  # [text, places] since the last forget()


def listen():
    """Hears why torch takes no graph, from now on. Call it before torch compiles."""
    forget()
    for module, name in logs_of_skips():
        if not isinstance(log := getattr(module, name), Ear):
            setattr(module, name, Ear(log, heard))


def graph_breaks():
    return getattr(getattr(sys.modules.get("torch._dynamo"), "utils", None), "graph_break_reasons", [])


def forget():
    heard.clear()
    graph_breaks().clear()


def skips(file):
    """Why torch took no graph of a part since forget(): each reason once, however many nodes have it."""
    broken = [skip(f"graph break: {each.reason.partition(chr(10))[0]}",
                   [(frame.filename, frame.lineno) for frame in each.user_stack], file)
              for each in graph_breaks()]
    found = []
    for each in [skip(text, places, file) for text, places in heard] + broken:
        if each not in found:
            found.append(each)
    return found


class Stages(collections.Counter):
    """Seconds of opening a step, by stage. A stage within another is no part of that one."""

    @contextlib.contextmanager
    def timed(self, name, counts=True):
        began, before = time.monotonic(), self.total_seconds()
        yield
        if counts:
            self[name] += time.monotonic() - began - (self.total_seconds() - before)

    def total_seconds(self):
        return sum(self.values())

    def first_call(self, run, counts):
        """A call that compiles, warms up or records. torch's counters, from `counts`, tell which."""
        seconds, compiled = compiling(run, counts)
        self["compile" if compiled else "record"] += seconds


def compiling(run, counts):
    """The seconds of a call, and the counts of what torch compiled in it."""
    before, began = counts(), time.monotonic()
    run()
    seconds = time.monotonic() - began
    return seconds, collections.Counter({name: count for name, count in (counts() - before).items() if (
        name.startswith(("frames.", "inductor.fxgraph_cache", "aot_autograd.")))})


def compiled_from(counts):
    """For the report: whether what was compiled came from a cache."""
    hits = counts["inductor.fxgraph_cache_hit"] + counts["aot_autograd.autograd_cache_hit"]
    misses = counts["inductor.fxgraph_cache_miss"] + counts["inductor.fxgraph_cache_bypass"]
    where = "both" if hits and misses else "cache" if hits else "cold" if misses else ""
    return {"compiled_from": where} if where else {}


class FreshCache:
    """An empty folder in place of the user's cache, for all that this process compiles from now on."""
    folder = None

    @classmethod
    def use(cls):
        if cls.folder is None:
            cls.folder = tempfile.TemporaryDirectory(prefix="graphbench-torch-cache-")
            os.environ["TORCHINDUCTOR_CACHE_DIR"] = cls.folder.name
            os.environ["TRITON_CACHE_DIR"] = f"{cls.folder.name}/triton"

    @classmethod
    def remove(cls):
        if cls.folder is not None:
            with contextlib.suppress(OSError):
                cls.folder.cleanup()
