"""What PyTorch of several years has in different ways."""

import contextlib
import ctypes
import functools
import importlib
import inspect
import uuid
import warnings

import torch


def uuid_of(index):
    """The name of PyTorch's device that the driver knows it by."""
    properties = torch.cuda.get_device_properties(index)
    if hasattr(properties, "uuid"):
        return f"GPU-{properties.uuid}"
    driver, device, name = ctypes.CDLL("libcuda.so.1"), ctypes.c_int(), ctypes.create_string_buffer(16)
    if failed := driver.cuDeviceGet(ctypes.byref(device), index) or driver.cuDeviceGetUuid(name, device):
        raise RuntimeError(f"the driver says no UUID of device {index}: cuDeviceGetUuid returned {failed}")
    return f"GPU-{uuid.UUID(bytes=name.raw)}"


def lends_graphs():
    """Whether others can launch a CUDAGraph. If not, it is instantiated as its capture ends, and only its
    replay() launches it."""
    return hasattr(torch.cuda.CUDAGraph, "raw_cuda_graph")


def new_graph(lends):
    return torch.cuda.CUDAGraph(keep_graph=True) if lends else torch.cuda.CUDAGraph()


def recording(graph, **how):
    """torch.cuda.graph() under which other threads may go on, where this PyTorch has the choice."""
    if "capture_error_mode" in inspect.signature(torch.cuda.graph).parameters:
        how["capture_error_mode"] = "thread_local"
    return torch.cuda.graph(graph, **how)


def logs_of_skips():
    """The loggers, as (module, name), through which torch says why it takes no graph of compiled code."""
    found = []
    # compile_fx first, as torch itself imports them. The scheduler says it of parts, from 2.9 on.
    for name in ("compile_fx", "cudagraph_utils", "scheduler"):
        with contextlib.suppress(ImportError):
            module = importlib.import_module(f"torch._inductor.{name}")
            found += [(module, log) for log in ("cudagraphs_log", "perf_hint_log") if hasattr(module, log)]
    return found


@functools.cache
def shared_pool(device):
    """The memory pool of all graphs of whole, piecewise and torch.replay on a device, as in a serving engine.
    It outlives its graphs: one stays, because torch refuses a pool whose graphs are all destroyed."""
    if not hasattr(torch.cuda, "MemPool"):
        return PoolOfHandle(device)
    pool = torch.cuda.MemPool()
    pool.first = torch.cuda.CUDAGraph()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # torch says that it is empty
        with recording(pool.first, pool=pool.id):
            pass
    return pool


def give_up_pool(device):
    """Gives the memory of the shared pool back to the driver. Torch ends the process if a graph is left."""
    if shared_pool.cache_info().currsize:
        pool = shared_pool(device)
        vars(pool).pop("first", None)
        if hasattr(pool, "use_count") and pool.use_count() > 1:
            raise RuntimeError("something still holds a graph of the pool that all graphs share")
        shared_pool.cache_clear()
        del pool
    torch.cuda.empty_cache()


class PoolOfHandle:
    """A pool before there was MemPool: its handle, and a graph that keeps it."""

    def __init__(self, device):
        self.id, self.graph = torch.cuda.graph_pool_handle(), torch.cuda.CUDAGraph()
        with recording(self.graph, pool=self.id):
            self.held = torch.zeros(1, device=device)
