"""Finds what a step writes, whatever keeps it, and puts it back. State is the bytes of storages that existed
before the step and that the step changes, and the states of generators that it draws from."""

import contextlib
import gc
import itertools

import torch
from torch.multiprocessing.reductions import StorageWeakRef

from graphbench_walk import parts_of

CHUNK = 1 << 21  # words of 8 bytes that are digested at once, which bounds the digest's own memory
ON_CPU_MAX = 256 << 20  # larger storages on the CPU, such as data sets, are judged by their tensors' versions
SMALL = 1 << 20  # bytes of state that are put back before each timed step


def storage_of(tensor):
    return tensor.untyped_storage() if hasattr(tensor, "untyped_storage") else tensor.storage().untyped()


def bytes_of(storage):
    """A tensor over the bytes of a storage. Writing to it moves no tensor's version, and autograd does not
    see it."""
    over = torch.empty(0, dtype=torch.uint8, device=storage.device)
    return over.set_(storage, 0, (storage.nbytes(),), (1,))


@contextlib.contextmanager
def unseen():
    """For work of our own on a user's tensors: without autograd, dispatch modes and overridden functions."""
    subclasses = getattr(torch._C, "DisableTorchFunctionSubclass", torch._C.DisableTorchFunction)
    with torch.no_grad(), subclasses():
        yield


def collected():
    """All objects that the garbage collector tracks. They stay frozen: there may be a million, and the next
    collection looks at younger ones only. Call unfrozen() where memory of older ones has to come back."""
    gc.collect()
    gc.unfreeze()
    objects = gc.get_objects()
    gc.freeze()
    return objects


def unfrozen():
    """Collects the garbage of all objects, also of frozen ones."""
    gc.unfreeze()
    gc.collect()


def instances(objects, *kinds):
    """The objects of these types and their subclasses. There are millions of objects, so no loop over them is
    Python's."""
    chosen, more = set(), list(kinds)
    while more:
        kind = more.pop()
        if kind not in chosen:
            chosen.add(kind)
            more += type.__subclasses__(kind)
    try:
        return list(itertools.compress(objects, map(chosen.__contains__, map(type, objects))))
    except TypeError:  # a type that cannot be hashed
        return [each for each in objects if issubclass(type(each), kinds)]


def owned(tensor):
    """The tensor, which now keeps its memory. An object that the collector or a weak reference gives may be
    one that its C++ tensor owns, and would point to nothing when that tensor goes."""
    if tensor is not None and hasattr(tensor, "_fix_weakref"):
        tensor._fix_weakref()
    return tensor


def is_trained(tensor):
    """True for a leaf that gets a gradient. An undefined tensor has no attributes, and some views refuse the
    question."""
    with contextlib.suppress(RuntimeError):
        return tensor.is_leaf and tensor.requires_grad
    return False


def live_tensors(objects):
    """The tensors among all objects, and the gradients of the leaves among them."""
    with unseen():
        found = [owned(each) for each in instances(objects, torch.Tensor)]
        return found + [each.grad for each in found if is_trained(each) and each.grad is not None]


def live_generators(objects):
    """The random number generators that all objects reach. The garbage collector does not track them, nor
    tuples and dicts that hold nothing else, so they are looked for in what tracked objects refer to."""
    referents = instances(gc.get_referents(*objects), dict, tuple, torch.Generator)
    untracked = itertools.filterfalse(gc.is_tracked, instances(referents, dict, tuple))
    found = instances(referents + gc.get_referents(*untracked), torch.Generator)
    return list({id(each): each for each in found}.values())


class Digests:
    """Digests of bytes on their own device: 64 bits that depend on every word and its place."""

    def __init__(self):
        self.weights = {}

    def of(self, data):
        """The digest of a one-dimensional tensor of bytes, as a tensor of one element on its device."""
        weights = self.weights.get(data.device)
        needed = min(CHUNK, max(8, data.numel() // 8))
        if weights is None or weights.numel() < needed:
            index = torch.arange(min(CHUNK, 2 * needed), device=data.device, dtype=torch.int64)
            weights = self.weights[data.device] = (index * 0x5851F42D4C957F2D + 0x14057B7EF767814F) | 1
        total = torch.zeros((), dtype=torch.int64, device=data.device)
        if data.data_ptr() % 8 and data.is_cuda:
            data = data.clone()
        whole = data.numel() // 8 * 8
        for words in data[:whole].view(torch.int64).split(CHUNK):
            mixed = words * weights[:words.numel()]
            total = total * 0x2545F4914F6CDD1D + (mixed ^ (mixed >> 32)).sum()
        tail = data[whole:].to(torch.int64)
        return total * 0x2545F4914F6CDD1D + (tail * weights[:tail.numel()]).sum()

    def forget(self):
        self.weights.clear()


def numbers(tensors):
    """Reads tensors of one element from all devices, with one wait for each device."""
    by_device, values = {}, {}
    for key, tensor in tensors.items():
        by_device.setdefault(tensor.device, []).append((key, tensor))
    for pairs in by_device.values():
        read = torch.stack([tensor for _, tensor in pairs]).tolist()
        values.update(zip((key for key, _ in pairs), read))
    return values


class Seen:
    """A storage at one moment: its digest, the greatest version of its tensors, and the shapes of those
    tensors. It keeps the storage's address from being used again, but not its memory."""

    def __init__(self, storage):
        self.weak, self.nbytes, self.device = StorageWeakRef(storage), storage.nbytes(), storage.device
        self.views, self.version, self.digest = {}, 0, None

    def add(self, tensor):
        view = (tensor.dtype, tensor.storage_offset(), tuple(tensor.shape), tuple(tensor.stride()))
        self.views[view] = tensor.numel()
        with contextlib.suppress(RuntimeError):  # an inference tensor has no version
            self.version = max(self.version, tensor._version)

    def storage(self):
        """The storage, or None if nothing but us refers to it any more."""
        if self.weak.expired():
            return None
        return torch.UntypedStorage._new_with_weak_ptr(self.weak.cdata)

    def tensors(self):
        """The storage's elements as tensors: the largest views, without those that lie inside of a dense
        one."""
        storage, chosen, covered = self.storage(), [], []
        for view, count in sorted(self.views.items(), key=lambda each: -each[1]):
            dtype, offset, shape, stride = view
            size = torch.empty(0, dtype=dtype).element_size()
            reach = 1 + sum((n - 1) * step for n, step in zip(shape, stride)) if count else 0
            begin, end = offset * size, (offset + reach) * size
            if count and not any(low <= begin and end <= high for low, high in covered):
                over = torch.empty(0, dtype=dtype, device=self.device)
                chosen.append(over.set_(storage, offset, shape, stride))
                if reach == count:
                    covered.append((begin, end))
        return chosen


class Memory:
    """The storages of all live tensors. Those of `ours` are left out."""

    def __init__(self):
        self.ours, self.digests = {}, Digests()

    def own(self, tensor):
        storage = storage_of(tensor)
        self.ours[storage._cdata] = StorageWeakRef(storage)  # keeps the address from being another's
        return tensor

    def look(self, devices, objects):
        """What is live among all objects on `devices`, by the storage's address, with digests."""
        found, parts = {}, {}
        self.ours = {key: weak for key, weak in self.ours.items() if not weak.expired()}
        with unseen():
            for tensor in live_tensors(objects):
                with contextlib.suppress(RuntimeError, NotImplementedError):  # without memory of its own
                    for part in parts_of(tensor):
                        storage = storage_of(part)
                        key = storage._cdata
                        if (key in self.ours or storage.nbytes() == 0 or storage.device not in devices
                                or storage.data_ptr() == 0):  # as what a compiler traces with
                            continue
                        if key not in found:
                            data = bytes_of(storage)  # fails for an output that another run of a graph took
                            if storage.device.type != "cpu" or storage.nbytes() <= ON_CPU_MAX:
                                parts[key] = self.digests.of(data)
                            found[key] = Seen(storage)
                        found[key].add(part)
            for key, digest in numbers(parts).items():
                found[key].digest = digest
        self.digests.forget()
        return found


class Kept:
    """The bytes of one storage that a step writes, as they were, and where they go."""

    def __init__(self, seen, copy):
        self.seen, self.copy, self.name, self.writer = seen, copy, "", ""
        self.parameter = self.moved = False

    def put_back(self):
        storage = self.seen.storage()
        if storage is not None and self.copy is not None:
            bytes_of(storage).copy_(self.copy, non_blocking=True)


class State:
    """What a step writes. Call before_first(), run the step, after_first(), run it again, after_second(); and
    if that returns true, run it once more and call after_third(). `shared` holds the copies of all batches of
    the process, because batches share weights. `generators_seen`: all that were found in the process."""

    shared, generators_seen, is_first = {}, {}, True
    memory = Memory()

    def __init__(self, device, room, walk):
        """`room` makes memory for a copy: a tensor of so many bytes on the device or the CPU, or None. `walk`
        makes a Walk of the step."""
        self.devices, self.room, self.walk = {device, torch.device("cpu")}, room, walk
        self.kept, self.generators = {}, []

    def copies(self, seen, of):
        """Copies the storages `of`, those of the least bytes first."""
        with unseen():
            for key in sorted(of, key=lambda each: seen[each].nbytes):
                storage = seen[key].storage()
                copy = None if storage is None else self.room(storage)
                if copy is not None:
                    self.memory.own(copy).copy_(bytes_of(storage))
                yield key, copy

    def find_generators(self, young, objects):
        """All generators that were ever found. They are looked for among all objects for the first step of
        the process, which takes half a second of a million objects; later among the young ones that no
        collected() has seen, and in what the step reaches, where an old object may have got one."""
        found = live_generators(objects if State.is_first else young) + self.walk().generators
        State.generators_seen.update({id(each): each for each in found})
        return list(State.generators_seen.values())

    def before_first(self):
        young, objects = gc.get_objects(), collected()
        self.before = self.memory.look(self.devices, objects)
        State.shared = {key: kept for key, kept in State.shared.items() if kept.seen.storage() is not None}
        known = {key for key, kept in State.shared.items() if key in self.before
                 and kept.seen.digest == self.before[key].digest and kept.copy is not None}
        self.first = {key: State.shared[key].copy for key in known}
        self.first.update(self.copies(self.before, self.before.keys() - known))
        self.draws = [(each, each.get_state()) for each in self.find_generators(young, objects)]

    def after_first(self):
        young, objects = gc.get_objects(), collected()
        self.middle = self.memory.look(self.devices, objects)
        self.born = dict(self.copies(self.middle, self.middle.keys() - self.before.keys()))
        known = {id(each) for each, _ in self.draws}
        self.draws += [(each, each.get_state()) for each in self.find_generators(young, objects)
                       if id(each) not in known]
        State.is_first = False

    def after_second(self):
        """Keeps the copies of what was written, and of generators that were drawn from; drops the others.
        Returns true if some of it changed in the first step only: the step may have filled a table once, or
        write the same values again. A third step, from the old values of these, shows which."""
        after = self.memory.look(self.devices, collected())

        def differ(a, b):
            return a.digest != b.digest or a.version != b.version

        self.once = []
        for key in {**self.before, **self.middle}:  # what was there before the step is named first
            old, seen, new = (moment.get(key) for moment in (self.before, self.middle, after))
            if not (seen and new and (differ(seen, new) or old and differ(old, seen))):
                continue
            first = old or seen
            first.views = new.views
            copy = self.first[key] if old is not None else self.born[key]
            self.kept[key] = Kept(first, copy)
            if not differ(seen, new) and self.kept[key].copy is not None:
                self.once.append(key)
        State.shared.update(self.kept)
        self.old = set(self.before)
        self.known = {key: each.weak for key, each in {**self.before, **after}.items()}
        self.generators = [(each, state) for each, state in self.draws
                           if not torch.equal(state, each.get_state())]
        with unseen():
            self.filled = {}
            for key in self.once:
                data = bytes_of(after[key].storage())
                self.filled[key] = after[key].digest, self.memory.own(data.clone())
                self.kept[key].put_back()
        del self.before, self.middle, self.first, self.born, self.draws
        return bool(self.once)

    def after_third(self):
        """What was not written again keeps the value that the first step gave it."""
        now = self.memory.look(self.devices, collected())
        with unseen():
            for key, (digest, data) in self.filled.items():
                if key in now and now[key].digest != digest:
                    bytes_of(now[key].storage()).copy_(data)
                    del self.kept[key]
                    State.shared.pop(key, None)
        del self.filled, self.once

    def move_copies(self):
        """Copies the copies into the memory that is current now."""
        for kept in self.kept.values():
            if kept.copy is not None and kept.copy.is_cuda and not kept.moved:
                kept.copy, kept.moved = self.memory.own(kept.copy.clone()), True

    def put_back(self):
        with unseen():
            for kept in self.kept.values():
                kept.put_back()
        for generator, state in self.generators:
            generator.set_state(state)

    def is_old(self, tensor):
        """True if the tensor's memory existed before the first step, and the step does not write it."""
        keys = {storage_of(part)._cdata for part in parts_of(tensor)}
        return keys <= self.old and not keys & self.kept.keys()

    def small(self):
        """What is put back before each timed step: integers first, then the smallest, up to SMALL bytes in
        all."""
        total, chosen = 0, []

        def order(kept):
            return any(dtype.is_floating_point for dtype, *_ in kept.seen.views), kept.seen.nbytes

        for kept in sorted(self.kept.values(), key=order):
            if kept.copy is not None and total + kept.seen.nbytes <= SMALL:
                total += kept.seen.nbytes
                chosen.append(kept)
        return chosen
