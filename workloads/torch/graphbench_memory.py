"""Memory of graphbench's own in a step's process: copies of state, and what a check computes with. It has a
pool of its own, so that it can be left out of what is said of the step's memory."""

import contextlib
import os

import torch

DEFAULT_POOL = (0, 0)  # the id of what is allocated outside of all pools, so outside of graphs too


def pool_of(segment):
    return tuple(segment.get("segment_pool_id", DEFAULT_POOL))


class OwnMemory:
    """Two pools: `temporary` holds what is allocated at_work(), until keep() or release(); `kept_pools` hold
    the copies that last as long as the process."""

    kept_pools = {}  # by device, shared by all batches

    def __init__(self, device):
        self.device, self.on_cuda = device, device.type == "cuda"
        self.peaks = (0, 0)  # the step's own: bytes allocated, bytes reserved
        names = ("MemPool", "use_mem_pool")
        self.has_pools = self.on_cuda and all(hasattr(torch.cuda, name) for name in names)
        self.temporary = None
        if self.on_cuda:
            self.reset_peaks()

    def reset_peaks(self):
        with contextlib.suppress(RuntimeError):  # an allocator of the user may count nothing
            torch.cuda.reset_peak_memory_stats(self.device)

    def segments(self, own):
        """The allocator's segments, of our pools or of all others."""
        try:
            pools = (*OwnMemory.kept_pools.values(), self.temporary)
            ours = {tuple(pool.id) for pool in pools if pool is not None}
            return [each for each in torch.cuda.memory_snapshot() if each["device"] == self.device.index
                    and (pool_of(each) in ours) == own]
        except RuntimeError:  # backend:cudaMallocAsync has no snapshot
            return []

    def note_peaks(self):
        """Takes the step's peaks since the last reset. Our part is constant in between, because at_work()
        resets the peaks behind it, so it can be subtracted from them."""
        if not self.on_cuda:
            return
        own = self.segments(True)
        with contextlib.suppress(RuntimeError):
            now = (torch.cuda.max_memory_allocated(self.device) - sum(each["allocated_size"] for each in own),
                   torch.cuda.max_memory_reserved(self.device) - sum(each["total_size"] for each in own))
            self.peaks = tuple(map(max, self.peaks, now))

    @contextlib.contextmanager
    def at_work(self):
        """What is allocated inside is ours, and is no peak of the step's."""
        if not self.on_cuda:
            yield
            return
        self.note_peaks()
        if self.has_pools:
            self.temporary = self.temporary or torch.cuda.MemPool()
            with torch.cuda.use_mem_pool(self.temporary):
                yield
        else:
            yield
        torch.cuda.synchronize(self.device)
        self.reset_peaks()

    def allocate_for_copy(self, storage):
        """Memory for a copy of a storage: on its device while that leaves half of what is free, else on the
        CPU if that has room, else None."""
        bytes_needed = storage.nbytes()
        if storage.device.type == "cuda":
            free, _ = torch.cuda.mem_get_info(self.device)
            if bytes_needed <= free // 2:
                with contextlib.suppress(torch.cuda.OutOfMemoryError):
                    return torch.empty(bytes_needed, dtype=torch.uint8, device=storage.device)
        if bytes_needed <= os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2:
            return torch.empty(bytes_needed, dtype=torch.uint8)
        return None

    def keep(self, state):
        """Copies a state's copies into the pool that stays, and frees the temporary one."""
        if self.has_pools:
            pool = OwnMemory.kept_pools.setdefault(self.device, torch.cuda.MemPool())
            with torch.cuda.use_mem_pool(pool):
                state.move_copies()
            self.temporary = None
        if self.on_cuda:
            torch.cuda.synchronize(self.device)
            torch.cuda.empty_cache()

    def release(self):
        """Frees what was computed with, once no tensor of it is needed."""
        if self.temporary is not None:
            self.temporary = None
            torch.cuda.synchronize(self.device)
            torch.cuda.empty_cache()

    def facts(self):
        """What `graphbench bill` reads, without our own part."""
        self.note_peaks()
        others, own = self.segments(False), self.segments(True)
        reserved = sum(each["total_size"] for each in own)
        facts = {"memory_of_graphbench": reserved,
                 "memory_allocated": torch.cuda.memory_allocated(self.device) - sum(
                     each["allocated_size"] for each in own),
                 "memory_reserved": torch.cuda.memory_reserved(self.device) - reserved}
        if others:
            facts["memory_free_in_graph_pools"] = sum(
                each["total_size"] - each["allocated_size"] for each in others
                if pool_of(each) != DEFAULT_POOL)
            facts["memory_of_graph_pools"] = sum(
                each["total_size"] for each in others if pool_of(each) != DEFAULT_POOL)
        facts["max_memory_allocated"], facts["max_memory_reserved"] = self.peaks
        return facts
