"""How torch.compile is called: with which options, and for one size or for all."""

import ast
import difflib

import torch

import graphbench_autograd
from graphbench_abi import Refusal, Skip
from graphbench_facts import compilations
from graphbench_graphed import FreshCache, listen


def compiled(step, **how):
    """The step's calls, compiled, for its batch only but for --torch-dynamic on."""
    set_up(step)
    how = {"dynamic": is_general(step), **how}
    if step.module is not None:
        module = torch.compile(step.module, **how)
        return [lambda: module(*step.args, **step.kwargs)]
    eager = [step.mode == "piecewise" and getattr(call, "graphbench_eager", False) for call in step.calls]
    return [call if runs else torch.compile(call, **how) for call, runs in zip(step.calls, eager)]


def set_up(step):
    """Sets what torch.compile reads from its configuration. The limit lets the process keep the code of all
    batches."""
    if not hasattr(torch, "compile"):
        raise Skip(f"torch.compile needs PyTorch 2 or newer: this is {torch.__version__}")
    from torch import _dynamo

    listen()
    if step.first_launch and step.axes.get("torch-cache") != "keep":
        FreshCache.use()
    compilations(forget=True)
    graphbench_autograd.set_up(step.traces_backward)
    for name, value in (("recompile_limit", 256), ("fail_on_recompile_limit_hit", True)):
        if hasattr(_dynamo.config, name):
            setattr(_dynamo.config, name, value)


def is_general(step):
    return step.axes.get("torch-dynamic") == "on"


def inductor(step, mode):
    """The arguments of torch.compile for one of Inductor's modes. A step of --torch-compile is compiled
    without Inductor's own graphs."""
    mode = {"max-autotune": "max-autotune-no-cudagraphs"}.get(mode, mode)
    options = options_of(step)
    if mode == "default":
        return {"options": {"triton.cudagraphs": False, **options}}
    return {"options": {**torch._inductor.list_mode_options(mode), **options}} if options else {"mode": mode}


def options_of(step):
    """--torch-inductor as a dict: values are Python's, or text. torch checks their types."""
    found = {}
    for part in filter(None, step.axes.get("torch-inductor", "").split("+")):
        from torch._inductor import config

        key, _, value = part.partition("=")
        if not hasattr(config, key):
            like = difflib.get_close_matches(key, config.shallow_copy_dict() if hasattr(
                config, "shallow_copy_dict") else ())
            raise Refusal(f"--torch-inductor: Inductor of PyTorch {torch.__version__} has no option {key}"
                          + (f": give e.g. {like[0]}" if like else ""))
        try:
            found[key] = ast.literal_eval(value)
        except (SyntaxError, ValueError):
            found[key] = value
    return found
