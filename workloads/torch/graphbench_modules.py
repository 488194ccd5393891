"""Runs a step of eager by modules, whose names a profile gives to the kernels that ran meanwhile."""

import threading

from torch.nn.modules import module as calls


def run_by_modules(step, mark, marks):
    """Calls `mark` when all before it is done, with the path of the innermost module that begins or goes on.
    Runs nothing where code was compiled, because hooks change what it runs."""
    if step.has_compiled:
        return
    paths = {}
    for root in reversed(step.walk().modules.values()):  # the outermost come last, and name the others
        paths.update({id(each): path or type(each).__name__ for path, each in root.named_modules()})
    thread, entered = threading.get_ident(), [(None, "")]

    def tell():
        step.synchronize()
        mark(entered[-1][1].encode(), marks)

    def enter(module, _):
        if threading.get_ident() == thread:  # the backward's threads may run a forward again
            entered.append((module, paths.get(id(module), entered[-1][1])))
            tell()

    def leave(module, *_):
        if threading.get_ident() == thread and any(each is module for each, _ in entered):
            while entered.pop()[0] is not module:  # a module that raised was not left
                pass
            tell()

    hooks = [calls.register_module_forward_pre_hook(enter), calls.register_module_forward_hook(leave)]
    try:
        step.run()
    finally:
        for hook in hooks:
            hook.remove()
