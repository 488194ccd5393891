"""Records of the plugin ABI (graphs/abi/graphbench_abi.h), field by field."""

import ctypes

ABI_VERSION = 2
ON_CUDA = 1
SKIP = 2
OTHER_DTYPE = -1
RUN_PART, CAPTURED, LAUNCHED = range(3)

ERROR = (ctypes.POINTER(ctypes.c_char), ctypes.c_size_t)
STEP = ctypes.c_void_p


class Request(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_uint32), ("place", ctypes.c_int32), ("batch", ctypes.c_int64),
                ("mode", ctypes.c_char_p), ("cuda_stream", ctypes.c_void_p), ("device_uuid", ctypes.c_char_p),
                ("split_ops", ctypes.POINTER(ctypes.c_char_p)), ("split_op_count", ctypes.c_int32),
                ("axis_count", ctypes.c_int32), ("axis_names", ctypes.POINTER(ctypes.c_char_p)),
                ("axis_values", ctypes.POINTER(ctypes.c_char_p))]


class Output(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("data", ctypes.c_void_p), ("bytes", ctypes.c_int64),
                ("dtype", ctypes.c_int32), ("reserved", ctypes.c_int32)]


OPEN = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(Request), ctypes.POINTER(STEP), *ERROR, ctypes.c_void_p)
PARTS = ctypes.CFUNCTYPE(ctypes.c_int32, STEP, ctypes.POINTER(ctypes.c_uint8), ctypes.c_int32, *ERROR)
RUN = ctypes.CFUNCTYPE(ctypes.c_int, STEP, ctypes.c_int32, *ERROR)
CAPTURE = ctypes.CFUNCTYPE(ctypes.c_int, STEP, ctypes.c_int32, ctypes.POINTER(ctypes.c_void_p), *ERROR)
FILL = ctypes.CFUNCTYPE(ctypes.c_int, STEP, ctypes.c_uint64, *ERROR)
OUTPUTS = ctypes.CFUNCTYPE(ctypes.c_int32, STEP, ctypes.POINTER(ctypes.POINTER(Output)), *ERROR)
REPORT = ctypes.CFUNCTYPE(ctypes.c_void_p, STEP)
CLOSE = ctypes.CFUNCTYPE(None, STEP)


class StepRecord(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_uint32), ("mode_count", ctypes.c_int32), ("name", ctypes.c_char_p),
                ("help", ctypes.c_char_p), ("modes", ctypes.POINTER(ctypes.c_char_p)), ("open", OPEN),
                ("parts", PARTS), ("run", RUN), ("capture", CAPTURE), ("fill", FILL), ("outputs", OUTPUTS),
                ("report", REPORT), ("close", CLOSE), ("user", ctypes.c_void_p)]


class Plugin(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_uint32), ("abi_version", ctypes.c_uint32), ("name", ctypes.c_char_p),
                ("version", ctypes.c_char_p), ("workloads", ctypes.c_void_p), ("ops", ctypes.c_void_p),
                ("workload_count", ctypes.c_int32), ("op_count", ctypes.c_int32),
                ("passes", ctypes.c_void_p), ("pass_count", ctypes.c_int32), ("step_count", ctypes.c_int32),
                ("steps", ctypes.POINTER(ctypes.POINTER(StepRecord)))]


class Skip(Exception):
    """The mode cannot hold the step, which is not a failure."""
