"""How far two runs' values of one output lie apart, and how far is too far."""

import math

import torch

from graphbench_state import storage_of
from graphbench_walk import leaves_of, parts_of

# The error, relative to the norm of an output, that another order of the same operations can cause: the floor
# of the limit. PyTorch may compute fp32 products with 11 significant bits (TF32); bf16 has 8, fp8 has 4 or 3.
FLOORS = {"float64": 1e-7, "complex128": 1e-7, "float32": 0.002, "complex64": 0.002, "float16": 0.005,
          "complex32": 0.005, "bfloat16": 0.02, "float8_e4m3fn": 0.1, "float8_e4m3fnuz": 0.1,
          "float8_e5m2": 0.2, "float8_e5m2fnuz": 0.2}
INTEGERS = 0.005  # the floor of the share of integers that may differ: near ties of an argmax, say
OF_ITSELF = 4  # the limit also has this many times the difference between equal runs of either side
OF_UPDATE = 0.3  # an update's error over the update's norm
LIMIT_MAX = {"value": 0.5, "update": 0.9}  # an update that is lost has the error 1, one of the wrong sign 2
UNREPEATABLE = {"value": 10, "update": 3}  # times the floor: beyond it there is hidden state
PIECE = 1 << 24  # elements that are compared at once


class Out:
    """One tensor that a step leaves. `kind`: value, gradient, or state, which the step updates. `parameter`:
    state that is trained, or that an optimizer keeps: only its update is judged, because a value may be all
    update."""

    def __init__(self, kind, name, tensor, parameter=False):
        self.kind, self.name, self.tensor, self.parameter = kind, name, tensor, parameter


def results_of(result):
    """The parts of a result's tensors by name. Raises TypeError for a tensor without memory."""
    found = {}
    for name, tensor in leaves_of(result).items():
        fake = getattr(torch, "_subclasses", None)
        if tensor.device.type == "meta" or fake and isinstance(tensor, fake.FakeTensor):
            raise TypeError(f"output {name} is on device meta or fake: it has no memory, so nothing can be "
                            f"compared")
        parts = parts_of(tensor)
        if not parts and tensor.layout != torch.strided:
            parts = [tensor.to_dense()]
        for index, part in enumerate(parts or [tensor]):
            found[name if len(parts) < 2 else f"{name} part {index}"] = part
    return found


def dense(tensor):
    tensor = tensor.detach()
    if tensor.is_quantized:
        tensor = tensor.int_repr()
    if tensor.is_complex():
        tensor = tensor.resolve_conj()
    return (tensor.resolve_neg() if tensor.is_neg() else tensor).contiguous()


def bytes_of_dense(tensor):
    over = torch.empty(0, dtype=torch.uint8, device=tensor.device)
    size = tensor.element_size()
    return over.set_(storage_of(tensor), tensor.storage_offset() * size, (tensor.numel() * size,), (1,))


def widened(tensor):
    if tensor.is_complex():
        tensor = torch.view_as_real(tensor.to(torch.complex128))
    return tensor.flatten().to(torch.float32 if tensor.element_size() == 1 else tensor.dtype).double()


class Distance:
    """How far one run's output lies from another's. `relative`: the norm of the difference over the norm.
    `update`: over the norm of what the step changed, less one unit in the last place per element. Infinite if
    the shapes differ or other elements are not finite. `share`: of integers that differ."""

    def __init__(self):
        self.relative = self.update = self.share = self.largest = 0.0

    def worst(self, other):
        for name in vars(self):
            setattr(self, name, max(getattr(self, name), getattr(other, name)))
        return self


def distance(want, have, before=None, only=None):
    """Both are dense. `before`: the value that both sides started from; absent if it is not known. `only`:
    the elements to compare."""
    found = Distance()
    if want.shape != have.shape or want.dtype != have.dtype:
        found.relative = found.update = found.share = found.largest = math.inf
        return found
    if only is not None:
        want, have, before = (each if each is None else each[only.to(each.device)]
                              for each in (want, have, before))
    if not (want.is_floating_point() or want.is_complex()):
        differ = want != have.to(want.device)
        found.share = float(differ.double().mean()) if want.numel() else 0.0
        if found.share:
            found.largest = float((want.double() - have.to(want.device).double()).abs().max())
        return found
    squares = dict.fromkeys(("error", "norm", "update", "unit"), 0.0)
    eps = torch.finfo(want.dtype).eps
    flat = [each.flatten() for each in (want, have, want if before is None else before)]
    for w, h, b in zip(*(each.split(PIECE) for each in flat)):
        w, h, b = (widened(each.to(want.device)) for each in (w, h, b))
        finite = torch.isfinite(w)
        others = (each[~finite].nan_to_num(7) for each in (w, h))
        if not torch.equal(finite, torch.isfinite(h)) or not torch.equal(*others):
            found.relative = found.update = found.largest = math.inf
            return found
        w, h, b = w[finite], h[finite], b[finite].nan_to_num(0, 0, 0)
        if w.numel():
            error = (w - h).abs()
            found.largest = max(found.largest, float(error.max()))
            squares["error"] += float(error.square().sum())
            squares["norm"] += float(w.square().sum())
            squares["update"] += float((w - b).square().sum())
            squares["unit"] += float((w.abs() * eps).square().sum())
    error = math.sqrt(squares["error"])

    def over(part, norm):
        return 0.0 if part <= 0 else part / norm if norm > 0 else math.inf

    found.relative = over(error, math.sqrt(squares["norm"]))
    if before is not None:
        found.update = over(error - math.sqrt(squares["unit"]), math.sqrt(squares["update"]))
    return found


def evidence_of(out):
    """Why an output shows nothing; empty if it can show a difference."""
    if out.tensor.numel() == 0:
        return "has no element"
    if (out.tensor.is_floating_point() or out.tensor.is_complex()) and not bool(
            torch.isfinite(widened(dense(out.tensor))).any()):
        return "has no finite element"
    return ""


def limits_of(out, own):
    """The limits of one output: of its values, of its update (None if it is none), and of integers that
    differ."""
    floor = FLOORS.get(str(out.tensor.dtype).removeprefix("torch."), 0.002)
    values = min(LIMIT_MAX["value"], floor + OF_ITSELF * own.relative)
    update = min(LIMIT_MAX["update"], OF_UPDATE + OF_ITSELF * own.update) if out.kind == "state" else None
    return values, update, min(LIMIT_MAX["value"], INTEGERS + OF_ITSELF * own.share)


def far(out, apart, own):
    """Why an output is too far from eager's; empty if it is near enough."""
    values, update, share = limits_of(out, own)
    if not (out.tensor.is_floating_point() or out.tensor.is_complex()):
        if apart.share > share:
            return f"{title(out)} differs from eager's in {100 * apart.share:.3g} % of its elements"
        return ""
    if update is not None and not apart.update <= update:
        return (f"the update of {out.name} differs from eager's by {apart.update:.3g} of the update's "
                f"norm, and the limit is {update:.3g}")
    if not out.parameter and not apart.relative <= values:
        return (f"{title(out)} differs from eager's by {apart.relative:.3g} of the norm of eager's, and "
                f"the limit is {values:.3g}")
    return ""


def title(out):
    return {"value": "output ", "gradient": "the gradient of ", "state": "state "}[out.kind] + out.name


def is_effect(out):
    """True of state that an optimizer may have made from a gradient."""
    return out.kind == "state" and ".grad" not in out.name


def is_unsteady(out, own):
    """True if an output differs from itself by more than another order of operations can explain: it has
    hidden state, or several writers of one element."""
    if not (out.tensor.is_floating_point() or out.tensor.is_complex()):
        return own.share > UNREPEATABLE["value"] * INTEGERS
    if out.parameter:
        return own.update > UNREPEATABLE["update"] * OF_UPDATE
    floor = FLOORS.get(str(out.tensor.dtype).removeprefix("torch."), 0.002)
    return own.relative > UNREPEATABLE["value"] * floor


def measure_of(out):
    """The distance that a sentence gives for an output."""
    if not (out.tensor.is_floating_point() or out.tensor.is_complex()):
        return lambda apart: apart.share
    return (lambda apart: apart.update) if out.kind == "state" else (lambda apart: apart.relative)
