"""Records of the plugin ABI (graphs/abi/graphbench_abi.h), field by field, and errors in one line."""

import pathlib
import re
import traceback
from ctypes import CFUNCTYPE, POINTER, Structure, c_char_p, c_int, c_int32, c_int64, c_size_t, \
    c_uint8, c_uint32, c_uint64, c_void_p, py_object

VERSION = 2
ON_CUDA = 1
SKIP, FAILED = 2, -1
RUN_PART, CAPTURED, LAUNCHED, UNSEEN = range(4)
INPUT, STATE_KIND, OUTPUT = 0, 2, 4
DROP_GRAPHS, DROP_POOL = range(2)
ERROR = (c_void_p, c_size_t)


def record(name, /, **fields):
    return type(name, (Structure,), {"_fields_": list(fields.items())})


Request = record("Request", struct_size=c_uint32, place=c_int32, batch=c_int64, mode=c_char_p,
                 cuda_stream=c_void_p, device_uuid=c_char_p, split_ops=POINTER(c_char_p),
                 split_op_count=c_int32, axis_count=c_int32, axis_names=POINTER(c_char_p),
                 axis_values=POINTER(c_char_p), launch=c_int64, serves=c_int32, reserved=c_int32)
Copy = record("Copy", to=c_void_p, source=c_void_p, bytes=c_int64, place=c_int32, reserved=c_int32)
Rows = record("Rows", name=c_char_p, data=c_void_p, row_bytes=c_int64, row_stride=c_int64, blocks=c_int64,
              block_stride=c_int64, kind=c_int32, dtype=c_int32)

OPEN = CFUNCTYPE(c_int, POINTER(Request), POINTER(c_void_p), *ERROR, c_void_p)
PARTS = CFUNCTYPE(c_int32, py_object, POINTER(c_uint8), c_int32, *ERROR)
RUN = CFUNCTYPE(c_int, py_object, c_int32, *ERROR)
CAPTURE = CFUNCTYPE(c_int, py_object, c_int32, POINTER(c_void_p), *ERROR)
FILL = CFUNCTYPE(c_int, py_object, c_uint64, *ERROR)
OUTPUTS = CFUNCTYPE(c_int32, py_object, c_void_p, *ERROR)
REPORT = CFUNCTYPE(c_void_p, py_object)
CLOSE = CFUNCTYPE(None, py_object)
STATE = CFUNCTYPE(c_int32, py_object, POINTER(POINTER(Copy)), *ERROR)
CHECK = CFUNCTYPE(c_int, py_object, c_char_p, POINTER(c_char_p), *ERROR)
ROWS = CFUNCTYPE(c_int32, py_object, POINTER(POINTER(Rows)), *ERROR)
NARROW = CFUNCTYPE(c_int, py_object, c_int64, *ERROR)
DROP = CFUNCTYPE(c_int, py_object, c_int32, *ERROR)
BY_MODULES = CFUNCTYPE(c_int, py_object, CFUNCTYPE(None, c_char_p, c_void_p), c_void_p, *ERROR)

StepRecord = record("StepRecord", struct_size=c_uint32, mode_count=c_int32, name=c_char_p, help=c_char_p,
                    modes=POINTER(c_char_p), open=OPEN, parts=PARTS, run=RUN, capture=CAPTURE, fill=FILL,
                    outputs=OUTPUTS, report=REPORT, close=CLOSE, user=c_void_p, state=STATE, check=CHECK,
                    rows=ROWS, narrow=NARROW, drop=DROP, run_by_modules=BY_MODULES)
Plugin = record("Plugin", struct_size=c_uint32, abi_version=c_uint32, name=c_char_p, version=c_char_p,
                workloads=c_void_p, ops=c_void_p, workload_count=c_int32, op_count=c_int32, passes=c_void_p,
                pass_count=c_int32, step_count=c_int32, steps=POINTER(POINTER(StepRecord)))


class Skip(Exception):
    """The mode cannot hold the step, which is not a failure."""


class Refusal(Exception):
    """A name that the user gave does not exist, which its text says in full."""


def form_of(made):
    """What a function returned, in words: the types in a tuple too."""
    if isinstance(made, tuple):
        return f"({', '.join(type(each).__name__ for each in made)})"
    return type(made).__name__


def one_line(text, longest):
    return re.sub(r"\s+", " ", str(text)).strip()[:longest]


def reason_of(error, file):
    """One line: the exception, and its line in the user's file."""
    if isinstance(error, Refusal):
        return one_line(error, 600)
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == file]
    place = f" at {pathlib.Path(file).name}:{lines[-1]}" if lines else ""
    return f"{type(error).__name__}: {one_line(error, 600)}{place}"
