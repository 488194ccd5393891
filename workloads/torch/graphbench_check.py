"""Compares a step's runs: what it returns, the gradients it leaves and what it writes."""

import torch

from graphbench_distance import (Distance, bytes_of_dense, dense, distance, evidence_of, far, is_effect,
                                 is_unsteady, measure_of, title)
from graphbench_state import Digests, numbers, unseen

STEADY_MIN = 0.5  # the share of elements that must repeat where an output as a whole does not


class Side:
    """Runs of one side, eager or the mode: the digests of all outputs; and, of those that are wanted, a copy
    from the first run, the distances of later runs from it, and which elements repeat their bits."""

    def __init__(self):
        self.outs, self.digests, self.blind = [], [], {}
        self.first, self.own, self.steady, self.before = {}, {}, {}, {}

    def digest(self, outs):
        self.outs = outs
        if not self.digests:
            self.blind = {out.name: why for out in outs if (why := evidence_of(out))}
        digests = digests_of(outs)
        self.digests.append({each.name: (digests[each.name], tuple(each.tensor.shape), each.tensor.dtype)
                             for each in outs})

    def measure(self, outs, wanted, before):
        self.before = before
        for out in outs:
            if out.name not in wanted:
                continue
            tensor, name = dense(out.tensor), out.name
            if name not in self.first:
                self.first[name], self.own[name] = tensor.clone(), Distance()
            else:
                self.own[name].worst(distance(self.first[name], tensor, before.get(name)))
                self.see_steady(name, tensor)

    def see_steady(self, name, tensor):
        """Notes which elements repeat their bits. If another run wrote elsewhere, only these can be
        compared."""
        if self.first[name].shape == tensor.shape and self.first[name].dtype == tensor.dtype:
            same = self.first[name] == tensor
            self.steady[name] = same & self.steady[name] if name in self.steady else same

    def share_of_steady(self, name):
        return float(self.steady[name].double().mean()) if name in self.steady else 0.0

    def repeats(self, name):
        return len({each.get(name) for each in self.digests}) == 1

    def unsteady(self):
        return {name for digests in self.digests for name in digests if not self.repeats(name)}


def digests_of(outs):
    digests = Digests()
    with unseen():
        return numbers({each.name: digests.of(bytes_of_dense(dense(each.tensor))) for each in outs})


def unrepeatable(side):
    """The first output of which too few elements repeat, and how far it lies from itself."""
    for out in side.outs:
        own = side.own.get(out.name)
        if own is not None and is_unsteady(out, own) and side.share_of_steady(out.name) < STEADY_MIN:
            return out, measure_of(out)(own)
    return None


def starting_values(outs, wanted):
    """Copies of the state that a step is about to update."""
    return {out.name: dense(out.tensor).clone() for out in outs if out.name in wanted}


def agree(step, flag):
    """True on all ranks if it is true on one: ranks run the same number of steps."""
    if not step.in_ranks():
        return flag
    tensor = torch.tensor([int(flag)], device=step.device)
    torch.distributed.all_reduce(tensor, op=torch.distributed.ReduceOp.MAX)
    return bool(tensor.item())


def runs(step, sides):
    """Yields the side that has to run a step next. `sides` has (name, Side, count). First all outputs are
    digested. Only if some differ, all runs are done again, and those outputs are copied and measured."""
    wanted = set()
    for measured in (False, True):
        before = {}
        for name, side, count in sides:
            for _ in range(count):
                step.begin(name == "mode")
                if measured and not before:
                    with step.memory.at_work(), unseen():
                        before = starting_values(step.state_outs(), wanted)
                yield name
                with step.memory.at_work(), unseen():
                    outs = step.outs(name == "mode")
                    side.digest(outs)  # in both passes: bits may repeat in one and change later
                    if measured:
                        side.measure(outs, wanted, before)
        if not measured:
            first = sides[0][1]
            wanted = set().union(*(side.unsteady() for _, side, _ in sides)) | {
                name for _, side, _ in sides for name, digest in side.digests[0].items()
                if first.digests[0].get(name) != digest}
            if not agree(step, bool(wanted)):
                return


class SelfComparison:
    """Eager three times from equal state, before the first sample: how far it lies from itself, and whether
    that is state in Python."""

    def __init__(self, step):
        self.side, self.python, self.hidden = Side(), "", ""
        first = step.walk()
        second = None
        for _ in runs(step, [("eager", self.side, 3)]):
            step.run()
            step.synchronize()
            second = second or step.walk()
        self.digests, self.own = self.side.digests[0], self.side.own
        self.unsteady = self.side.unsteady()
        if agree(step, bool(self.unsteady)):
            self.look_into(step, first, second)
        self.steady = {name: mask for name, mask in self.side.steady.items() if not bool(mask.all())}
        self.side.first.clear()
        self.side.outs = []  # a step's memory is measured later, and must not hold these results

    def look_into(self, step, first, second):
        """Puts back what Python objects held, and sees whether the step then repeats itself: only that shows
        the cause."""
        changes = first.changes(second)
        for change in changes:
            change.undo()
        step.begin(False)
        step.run()
        step.synchronize()
        again = Side()
        with step.memory.at_work():
            again.digest(step.outs(False))
        if changes and again.digests[0] == self.digests:
            some = ", ".join(str(change) for change in changes[:3])
            self.python = f"the step keeps state in Python: {some}"
        elif (found := unrepeatable(self.side)) is not None:
            out, apart = found
            self.hidden = ("the step does not repeat itself: from equal tensors and generators "
                           f"{title(out)} differs by {apart:.3g}, and nothing that was seen in Python "
                           "explains it")


def conversation(step, request):
    """Yields {"run": side} for each step that the worker is to run, and last {"verdict": ...}. `request`:
    whether inputs may be renewed, and whether the records show the kernels of eager (None: there are no
    records)."""
    why = step.renew() if request.get("renew") else "they are renewed in the first launch only"
    if request.get("renew") and not step.in_ranks():
        step.name_writers()
    is_eager = step.mode == "eager"
    eager = Side()
    mode = eager if is_eager else Side()
    sides = [("eager", eager, 2)] + ([] if is_eager else [("mode", mode, 3)])
    for name in runs(step, sides):
        yield {"run": name}
    repeated = ""
    if not is_eager and eager.digests[0] == mode.digests[0] and not eager.unsteady() | mode.unsteady():
        twice = {"eager": [], "mode": []}
        for name in ("eager", "mode", "eager", "mode"):  # the second of two steps reads what the first left
            step.begin(name == "mode")
            yield {"run": name}
            yield {"run": name}
            with step.memory.at_work(), unseen():
                twice[name].append(digests_of(step.outs(name == "mode")))
        other = [name for name, digest in twice["eager"][0].items() if twice["mode"][0].get(name) != digest]
        if other and all(first == second for first, second in twice.values()):
            repeated = (f"after two steps in a row {other[0]} differs from eager's, after one it does not: "
                        "the second step reads what the first one left, and the captured one does not")
    changed = None
    if step.inputs.old and not eager.unsteady() and not step.itself.unsteady and not step.in_ranks():
        step.begin(False)
        step.inputs.write_old()
        yield {"run": "eager"}
        with step.memory.at_work():
            renewed = {name: each[0] for name, each in eager.digests[0].items()}
            changed = digests_of(step.outs(False)) != renewed
    verdict = {"identical": True, "max_abs_error": 0.0, "failed": "", "tolerated": "", "remarks": [],
               "state": step.state_facts(), "inputs": step.input_facts(why, changed)}
    with step.memory.at_work():
        Judge(step, eager, mode, request.get("same_kernels"), verdict).judge()
    if repeated and not verdict["failed"]:
        verdict["failed"], verdict["identical"] = repeated, False
    yield {"verdict": verdict}


FORMS = {"coroutine": "return what `await` gives, by running the coroutine to its end in the step",
         "generator": "run the generator to its end in the step, and return what it yields",
         "function": "return a list of callables from the function that builds the step, or call them in the "
                     "step"}


class Judge:
    def __init__(self, step, eager, mode, same_kernels, verdict):
        self.step, self.eager, self.mode, self.verdict = step, eager, mode, verdict
        self.same_kernels = bool(same_kernels)  # None: the kernels were not seen
        self.other_kernels = same_kernels is False
        self.itself, self.partly = step.itself, []

    def judge(self):
        verdict = self.verdict
        verdict["failed"] = self.nothing_to_compare() or self.other_outputs() or ""
        worst, of_itself = 0.0, 0.0
        # A failure names the first that is off. A wrong gradient is why its parameter's update is wrong.
        for out in sorted(self.eager.outs, key=is_effect):
            name = out.name
            own = Distance()
            for side in (self.itself, self.eager, self.mode):
                own.worst(side.own.get(name, Distance()))
            only = self.elements(name) if is_unsteady(out, own) else None
            if only is not None:
                self.partly.append((out, float(only.double().mean())))
                own = Distance()  # only elements that repeat are compared
            repeats = (name not in self.itself.unsteady and self.eager.repeats(name)
                       and self.mode.repeats(name))
            of_itself = max(of_itself, *map(measure_of(out), (own,)))
            if verdict["failed"] or self.eager.digests[0] == self.mode.digests[0] and repeats:
                verdict["identical"] = verdict["identical"] and repeats
                continue
            apart = own if self.mode is self.eager else self.apart(name, only)
            same = repeats and self.eager.digests[0].get(name) == self.mode.digests[0].get(name)
            verdict["identical"] = verdict["identical"] and same
            verdict["max_abs_error"] = max(verdict["max_abs_error"], min(apart.largest, 1.7e308))
            if same or self.mode is self.eager:
                continue
            worst = max(worst, measure_of(out)(apart))
            if repeats and self.same_kernels:
                verdict["failed"] = (f"{title(out)} differs from eager's by {measure_of(out)(apart):.3g} "
                                     "of its norm. Eager and this mode each repeat their bits, and run "
                                     "the same kernels, so the bits should be equal")
            else:
                verdict["failed"] = far(out, apart, own)
        verdict["identical"] = verdict["identical"] and not verdict["failed"]
        if not verdict["identical"] and not verdict["failed"]:
            verdict["tolerated"] = self.tolerated(worst, of_itself)
        verdict["remarks"] += self.remarks()

    def elements(self, name):
        """The elements that repeat their bits in all runs of either side; None if none of these runs was
        kept."""
        masks = [side.steady[name] for side in (self.itself, self.eager, self.mode) if name in side.steady]
        if not masks or any(mask.shape != masks[0].shape for mask in masks):
            return None
        only = masks[0]
        for mask in masks[1:]:
            only = only & mask.to(only.device)
        return only

    def apart(self, name, only):
        want, have = self.eager.first.get(name), self.mode.first.get(name)
        if want is None or have is None:
            return Distance()
        with unseen():
            return distance(want, have, self.mode.before.get(name), only)

    def nothing_to_compare(self):
        outs = self.eager.outs
        if not outs:
            result = self.step.returned
            form = FORMS.get(result.__name__, "return tensors in lists, tuples, dicts or objects, or "
                                              "write into a tensor that exists before")
            return (f"the step returned {result.__name__}, in which no tensor was found, and wrote no "
                    f"tensor: {form}")
        blind = self.eager.blind
        if len(blind) == len(outs) and any(out.tensor.numel() for out in outs):
            return f"nothing can be compared: {title(outs[0])} {blind[outs[0].name]}"
        return ""

    def other_outputs(self):
        want, have = self.eager.digests[0], self.mode.digests[0]
        if lost := [name for name in want if name not in have]:
            return f"eager's step leaves {lost[0]}, and this step does not"
        if more := [name for name in have if name not in want]:
            return f"this step leaves {more[0]}, and eager's does not"
        other = [name for name in want if want[name][1:] != have[name][1:]]
        return f"output {other[0]} has another shape or type than eager's" if other else ""

    def tolerated(self, worst, of_itself):
        if self.mode is self.eager:
            seldom = ("some runs from equal state differed, and others, which were measured, did not" if
                      not of_itself else f"runs from equal state differ by {of_itself:.3g} of the norm of an "
                                         "output, or of an update, at most")
            return (self.itself.python or self.itself.hidden or
                    f"the step does not repeat its bits: {seldom}")
        if not worst and not of_itself:
            return "some runs differed from the eager outputs, and others, which were measured, did not"
        causes = ["this mode runs other kernels"] if self.other_kernels else []
        if of_itself:
            causes.append(f"equal runs of one side differ by {of_itself:.3g}")
        return (f"outputs differ from the eager outputs by {worst:.3g} of their norm at most"
                + (": " + ", and ".join(causes) if causes else ""))

    def remarks(self):
        blind = self.eager.blind
        found = [f"{title(out)} {blind[out.name]}, so it shows nothing" for out in self.eager.outs
                 if out.name in blind and not self.verdict["failed"]][:3]
        found += [f"{title(out)} was compared in {100 * share:.3g} % of its elements: eager's own runs "
                  "differ in the others, as where several rows write to one place"
                  for out, share in self.partly
                  if self.mode is not self.eager]
        floats = any(out.tensor.is_floating_point() and out.name not in blind for out in self.eager.outs)
        if self.verdict["inputs"]["changed_outputs"] is False and floats:
            found.append("no input reached the outputs: new inputs changed none of them")
        return found
