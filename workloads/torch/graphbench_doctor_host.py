"""The doctor without a GPU: names the calls that always wait for a GPU, state in Python, and what a step
returns that is no tensor. Nothing is captured here, so a GPU must decide about the rest."""

import contextlib
from unittest import mock

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from graphbench_abi import Request, Skip
from graphbench_check import conversation
from graphbench_doctor import WAITING_OPS, Doctor
from graphbench_ops import place
from graphbench_reasons import Answer

UNDECIDED = "a GPU must decide: run the doctor on one, because device `host` captures nothing"
ALWAYS = WAITING_OPS - {"aten::item"} | {f"aten::{name}" for name in (
    "unique_dim", "unique_consecutive", "equal", "bincount", "_linalg_check_errors")}
# What Python calls, by the name that it has on a GPU. Ops of the CPU read values where those of a GPU do not
# (one_hot), so a value that an op reads says nothing; and copies to the CPU are no ops here.
CALLS = [(torch.Tensor, name, f"Tensor.{name}") for name in ("cpu", "numpy", "tolist")] + [
    (torch.Tensor, name, "aten::item") for name in ("item", "__bool__", "__int__", "__float__", "__index__",
                                                    "__complex__", "allclose")] + [
    (torch, "allclose", "aten::item")]


def always_waits(name, call):
    """True if a call waits for a GPU whatever its tensors hold. The host cannot see which tensors would be on
    the GPU, so all count as if they were."""
    given, named = getattr(call, "args", ()), getattr(call, "keywords", {})
    if name in ("aten::index", "aten::index_put_", "aten::_index_put_impl_"):
        masks = any(each is not None and each.dtype in (torch.bool, torch.uint8) for each in given[1])
        # A mask's true elements are counted on the host, unless they all get one value.
        return masks and (name == "aten::index" or given[2].numel() != 1)
    if name == "aten::repeat_interleave":
        return named.get("output_size") is None
    return name in ALWAYS or name == "print of a tensor"


class HostDoctor(Doctor):
    def __init__(self, file):
        TorchDispatchMode.__init__(self)  # there is no stream, and no library of CUDA's
        self.file, self.found = file, []

    def note(self, name):
        where = place(self.file)
        if not any(each["place"] == where for each in self.found):
            self.found.append({"op": name, "place": where, "first_call_only": False,
                               "reason": "it waits for the device, if its tensor is on the GPU"})

    def op(self, name, call):
        if always_waits(name, call):
            self.note(name)
        return call()

    @contextlib.contextmanager
    def watching(self, ops=True):
        def watched(name, original):
            def call(*args, **kwargs):
                self.note(name)
                return original(*args, **kwargs)

            return call

        with contextlib.ExitStack() as stack:
            for owner, attribute, name in CALLS:
                new = watched(name, getattr(owner, attribute))
                stack.enter_context(mock.patch.object(owner, attribute, new))
            stack.enter_context(super().watching(ops))
            yield


def is_without_gpu(device):
    return device.startswith("host") or device == "auto" and torch.cuda.device_count() == 0


def examine_on_host(host, batch, _, output):
    """Runs `graphbench doctor` without a GPU. Returns the exit code and the text for stdout."""
    step = host.step(Request(place=0, batch=int(batch), mode=b"eager", device_uuid=b""))
    doctor, silent, remarks = HostDoctor(step.file), "", []
    try:
        step.prepare()
    except Skip as why:
        silent = str(why)
    else:
        doctor.watch(step.run, with_dispatch=[True])
        for word in conversation(step, {"renew": True}):
            if "verdict" in word:
                silent, remarks = word["verdict"]["failed"], word["verdict"]["remarks"]
            else:
                step.run()
        silent = step.no_replay() or silent
    return Answer(step.file, int(batch), doctor.found, silent, remarks, undecided=UNDECIDED).give(output)
