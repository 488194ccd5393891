"""Counts collections of garbage, and reads other threads' CPU time and torch's compilations."""

import collections
import gc
import os
import pathlib
import sys
import threading
import time

from graphbench_abi import one_line

collected_at = []  # when the interpreter began and ended each collection of garbage, in turn
gc.callbacks.append(lambda *_: collected_at.append(time.monotonic()))


def seconds_of_other_threads():
    """CPU time, by name, of the threads that Python code started. A busy one holds the interpreter's lock for
    5 ms at a time."""
    used = collections.Counter()
    for thread in threading.enumerate():
        stat = pathlib.Path(f"/proc/self/task/{thread.native_id}/stat")
        # The main thread and threads that Python did not start are the worker's, which runs the step.
        own = thread is threading.main_thread() or isinstance(thread, threading._DummyThread)
        if not own and stat.exists():
            ticks = stat.read_text(encoding="utf-8").rsplit(")", 1)[1].split()[11:13]
            used[thread.name] = sum(map(int, ticks)) / os.sysconf("SC_CLK_TCK")
    return used


def compilations(opening=False, forget=False):
    """Returns torch._dynamo's counters by their names, and the counts of the most frequent reasons.
    Batches compile the same code, so while a batch is opened, a function's first compilation is not a
    recompilation. `forget` sets the counters to zero."""
    utils = getattr(sys.modules.get("torch._dynamo"), "utils", None)
    found, reasons, compiled = collections.Counter(), collections.Counter(), set()
    for group, counts in getattr(utils, "counters", {}).items():
        if group not in ("graph_break", "unimplemented"):  # the names in these groups are long texts
            found.update({f"{group}.{name}": count for name, count in counts.items()})
    for record in getattr(utils, "get_compilation_metrics", list)():
        function = record.co_filename, record.co_firstlineno
        repeated = not opening or function in compiled
        compiled.add(function)
        if repeated and (reason := getattr(record, "recompile_reason", None)):
            reasons[f"recompile_reason.{one_line(reason, 200)}"] += 1
    if forget and utils:
        utils.counters.clear()
        getattr(utils, "clear_compilation_metrics", list)()
    return found + collections.Counter(dict(reasons.most_common(8)))
