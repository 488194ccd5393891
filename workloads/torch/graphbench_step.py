"""The user's step at one batch size in one mode: finds its state, makes the mode's parts, answers a check."""

import collections
import contextlib
import ctypes
import functools
import gc
import json
import os
import subprocess
import sys
import time
import weakref
from unittest import mock

import torch

import graphbench_abi as abi
import graphbench_autograd
import graphbench_state
from graphbench_abi import Refusal, Skip, form_of, reason_of
from graphbench_breaks import Breaks
from graphbench_callables import graphed
from graphbench_check import SelfComparison, agree, conversation
from graphbench_compile import compiled, inductor
from graphbench_distance import Out, results_of
from graphbench_doctor import Doctor
from graphbench_facts import collected_at, compilations, seconds_of_other_threads
from graphbench_graphed import Stages, compiled_from, forget, skips
from graphbench_inputs import Inputs, Unchanged
from graphbench_memory import OwnMemory
from graphbench_ops import writers
from graphbench_pieces import cut, is_traced, without_owner
from graphbench_state import (State, bytes_of, instances, is_trained, live_tensors, owned, storage_of,
                              unseen)
from graphbench_versions import give_up_pool, lends_graphs, new_graph, recording, shared_pool, uuid_of
from graphbench_walk import Walk, globals_of, parts_of


class Step:
    """The user's step at one batch size in one mode. Calls come on one thread, on our stream."""

    def __init__(self, build, request, file):
        self.mode, self.file, self.builder = request.mode.decode(), file, build
        self.split_ops = {request.split_ops[i].decode() for i in range(request.split_op_count)}
        self.axes = {request.axis_names[i].decode(): request.axis_values[i].decode()
                     for i in range(request.axis_count)}
        self.traces_backward = self.axes.get("torch-compiled-autograd") == "on"
        self.facts = {"hide_capture": True} if self.axes.get("torch-hide-capture") == "on" else {}
        compilations(forget=True)
        self.stages, self.first_launch, self.not_taken = Stages(), request.launch == 0, []
        self.on_cuda, self.device = request.place == abi.ON_CUDA, torch.device("cpu")
        self.uuid = request.device_uuid.decode()
        if self.on_cuda:
            uuids = [uuid_of(index) for index in range(torch.cuda.device_count())]
            if self.uuid not in uuids:
                raise RuntimeError(f"PyTorch sees no device {self.uuid}: does CUDA_VISIBLE_DEVICES hide it?")
            self.device = torch.device("cuda", uuids.index(self.uuid))
            torch.cuda.set_device(self.device)
            self.stream = torch.cuda.ExternalStream(request.cuda_stream, device=self.device)
            torch.cuda.set_stream(self.stream)
        if "GRAPHBENCH_RANKS" in os.environ and not torch.distributed.is_initialized():
            torch.distributed.init_process_group("nccl" if self.on_cuda else "gloo")
        self.serves, self.batch, self.globals = bool(request.serves), request.batch, globals_of(build)
        if not self.on_cuda and self.mode != "eager" and not (self.serves and self.mode == "whole"):
            self.require_gpu()
        self.build_at = lambda batch: build(batch, self.device)
        self.build = functools.partial(self.build_at, self.batch)
        self.memory = OwnMemory(self.device)
        with self.stages.timed("build"):
            made = self.build()
        self.inputs = Inputs(made, self.globals)
        self.take(made)
        self.result = self.static = self.pieces = self.breaks = self.talk = None
        self.static_gradients = self.returned = self.mode_result = None
        self.graphs, self.held, self.rows, self.has_dropped = {}, [], None, False
        self.kinds, self.runs = [abi.RUN_PART], {-1: self.run, 0: self.run}

    has_compiled = False  # set on the class: batches share compiled code
    compiles = False      # torch takes the graphs of this mode, where its compiler finds that it can

    def take(self, made):
        """Takes what the user's function returned as the step to run."""
        self.module, self.args, self.kwargs, self.form = None, (), {}, None
        self.calls = made if isinstance(made, list) else [made]
        if hasattr(made, "sample_args"):  # what graphbench.callables() returned
            self.form, self.calls = made, [lambda: made.step(made.callables)]
        elif isinstance(made, tuple) and len(made) in (2, 3) and callable(made[0]) and not callable(made[1]):
            self.module, self.args, self.kwargs = made[0], made[1], made[2] if len(made) == 3 else {}
            self.calls = [lambda: self.module(*self.args, **self.kwargs)]
        if (not self.calls or not all(map(callable, self.calls)) or not isinstance(self.args, (tuple, list))
                or not isinstance(self.kwargs, dict)):
            raise TypeError("the function must return a callable, (module, args), (module, args, kwargs), a "
                            f"list of callables or graphbench.callables(...), but returned {form_of(made)}")

    def require_gpu(self):
        raise Skip(f"mode {self.mode} needs a GPU: the host device runs PyTorch's steps only eagerly")

    def prepare(self):
        """Runs the first steps, finds the state that they write, and compares eager with itself. Then makes
        the mode's parts."""
        self.find_state()
        self.compare_with_itself()
        if "torch-compile" in self.axes and not is_traced(self):
            with self.stages.timed("build"):  # eager needs it too
                self.calls = compiled(self, **inductor(self, self.axes["torch-compile"]))
                for _ in range(2):
                    self.run()
        with self.stages.timed("record", self.mode.startswith("torch.") and self.mode != "torch.replay"):
            self.prepare_mode()
            self.synchronize()
        self.state.put_back()
        self.synchronize()
        self.memory.note_peaks()  # the next step that opens resets them
        self.compilations = compilations(opening=True, forget=True)
        if self.compiles:
            self.not_taken = skips(self.file)
            forget()
        Step.has_compiled |= self.compilations["frames.ok"] > 0
        self.threads, self.opened_at = seconds_of_other_threads(), time.monotonic()

    def find_state(self):
        self.state = State(self.device, self.memory.allocate_for_copy, self.walk)
        more = True
        for moment in (self.state.before_first, self.state.after_first, self.state.after_second,
                       self.state.after_third):
            if not more:
                break
            self.synchronize()
            with self.memory.at_work():
                more = moment() is not False
            if more and moment != self.state.after_third:
                context = contextlib.nullcontext()
                if moment == self.state.after_second:  # this step may need what was filled once
                    context = contextlib.suppress(Exception)
                with context:
                    self.run()
        self.memory.keep(self.state)
        walk = self.walk()
        for path, tensor in walk.tensors.items():
            if tensor.device.type != "cpu" and tensor.device != self.device:
                raise Skip(f"the step is on several devices: the step holds {path} on {tensor.device}, but "
                           f"only {self.device} is measured")
        self.optimizers = instances(objects := graphbench_state.collected(), torch.optim.Optimizer)
        leaves = [each for each in live_tensors(objects) if is_trained(each) and parts_of(each)]
        trained = {storage_of(part)._cdata for each in leaves for part in parts_of(each)}
        trained |= {storage_of(value)._cdata for optimizer in self.optimizers
                    for kept in optimizer.state.values() for value in kept.values()
                    if isinstance(value, torch.Tensor) and value.layout == torch.strided}
        names = walk.names()
        for module in reversed(walk.modules.values()):  # the outermost come last, and name it
            names.update({parameter.data_ptr(): name for name, parameter in module.named_parameters()})
        for optimizer in self.optimizers:
            for parameter, values in optimizer.state.items():
                names.update({value.data_ptr(): f"{names.get(parameter.data_ptr(), 'a parameter')}'s {name}"
                              for name, value in values.items() if isinstance(value, torch.Tensor)})

        for each in leaves:
            if each.grad is not None and each.grad.layout == torch.strided:
                names[each.grad.data_ptr()] = f"{names.get(each.data_ptr(), 'a leaf')}.grad"

        def name_of(tensor):
            return names.get(tensor.data_ptr(), f"a tensor {list(tensor.shape)}")

        self.leaves = [(name_of(each), weakref.ref(each)) for each in leaves if each.grad is not None
                       and not self.state.is_old(each.grad)]
        for key, kept in self.state.kept.items():
            kept.parameter, kept.name = key in trained, name_of(kept.seen.tensors()[0])

    def compare_with_itself(self):
        self.itself = SelfComparison(self)
        self.result = None
        self.memory.release()
        if self.mode != "eager" and (why := self.no_replay()):
            raise Skip(why)

    def no_replay(self):
        """Why no replay can be the step, as eager steps alone show; empty if they do not."""
        if not (why := self.itself.python or self.itself.hidden):
            return ""
        return f"{why}; a graph would replay what was captured" + (
            ": keep it in a tensor" if self.itself.python else "")

    def walk(self):
        held = [self.module, self.args, self.kwargs] if self.module is not None else self.calls
        return Walk(held, self.globals)

    def synchronize(self):
        if self.on_cuda:
            torch.cuda.synchronize(self.device)

    def run(self, calls=(), begin=None):
        """Runs the calls, or the step's own calls if none are given. `begin` runs first."""
        if begin:
            begin()
        for call in calls or self.calls:
            self.result = call()

    def prepare_mode(self):
        mode = self.mode
        if self.serves and not self.on_cuda and mode == "whole":  # the host records the call
            self.kinds = [abi.CAPTURED]
            return
        lends = lends_graphs()
        if mode in ("whole", "torch.replay"):
            shared_pool(self.device)  # making it is no part of a capture
        if mode == "piecewise" and not lends:
            raise Skip(f"mode piecewise needs a PyTorch whose CUDAGraph has raw_cuda_graph: this is PyTorch "
                       f"{torch.__version__}")
        traced = is_traced(self)
        bare = traced or mode == "piecewise" and len(self.calls) > 1  # graphs that replay() does not launch
        random = (mode == "whole" or bare) and any(
            generator.device.type == "cuda" for generator, _ in self.state.generators)
        if random and bare:
            raise Skip("the step draws random numbers: graphs of a list of callables, and of traced or "
                       "compiled pieces, are launched without CUDAGraph.replay(), so each launch would draw "
                       "the same numbers again: return one callable without --torch-pieces and "
                       "--torch-compile, or give --mode whole")
        if random:
            self.facts["launched_by"] = "CUDAGraph.replay(), which moves the generators on"
        elif mode == "whole" and not lends:
            self.facts["launched_by"] = f"CUDAGraph.replay(): PyTorch {torch.__version__} lends no graph"
        if mode == "torch.replay" or "launched_by" in self.facts:
            self.kinds, self.runs[0] = [abi.LAUNCHED if lends else abi.UNSEEN], self.replay
        elif mode == "whole":
            self.kinds = [abi.CAPTURED]
        elif traced:
            cut(self)
        elif mode == "piecewise" and len(self.calls) == 1:
            with self.explained():
                self.breaks = Breaks(self)
            self.kinds = self.breaks.kinds
        elif mode == "piecewise" and self.serves:
            raise Skip("the step is a list of callables, which ladder serves only whole: give --mode whole")
        elif mode == "piecewise":
            self.kinds = [abi.RUN_PART if getattr(call, "graphbench_eager", False) else abi.CAPTURED
                          for call in self.calls]
            self.runs.update(enumerate(functools.partial(self.run, [call]) for call in self.calls))
        elif mode == "torch.callables":
            with self.hiding():
                call, facts = graphed(self)
            self.facts.update(facts)
            self.runs[0] = functools.partial(self.run, [call])
        elif mode != "eager":
            name = mode.removeprefix("torch.")
            with self.stages.timed("compile"):
                calls = compiled(self, **(
                    {"backend": name} if name == "cudagraphs" else inductor(self, name)))
            self.compiles = True
            begin = getattr(getattr(torch, "compiler", None), "cudagraph_mark_step_begin", None)
            self.runs[0] = functools.partial(self.run, calls, begin)
            with graphbench_autograd.told(self.facts) if self.traces_backward else contextlib.nullcontext():
                for _ in range(3):  # these calls compile, warm up and record
                    self.stages.first_call(self.runs[0], compilations)

    def hiding(self):
        """Hides a capture from model code with --torch-hide-capture. torch's own code asks the driver."""
        if "hide_capture" not in self.facts:
            return contextlib.nullcontext()
        return mock.patch.object(torch.cuda, "is_current_stream_capturing", lambda: False)

    def capture(self, part, within=contextlib.nullcontext()):
        if self.breaks:
            return self.breaks.lend(part)
        call = self.runs[part] if self.mode == "piecewise" else self.run
        self.result = None  # so that torch.cuda.graph(), when it begins, can return the memory of this result
        if self.pieces:
            self.pieces.forget(part)
        graph = new_graph(self.kinds[part] != abi.UNSEEN)
        self.register_generators(graph)
        with self.hiding(), recording(graph, pool=shared_pool(self.device).id, stream=self.stream), within:
            call()
        self.keep_static()
        self.graphs[part] = graph
        return graph

    def keep_static(self):
        """The result and the gradients of the step that was captured: replays write them again."""
        self.static, self.result = self.result, None
        self.static_gradients = [(name, without_owner(gradient)) for name, gradient in self.gradients(False)
                                 if storage_of(gradient)._cdata not in self.state.kept]

    def register_generators(self, graph):
        """torch registers the device's own generator with each graph; the step's others must be registered
        too."""
        for generator, _ in self.state.generators:
            if generator.device.type == "cuda" and generator not in torch.cuda.default_generators:
                if not hasattr(graph, "register_generator_state"):
                    raise Skip("the step draws from a generator of its own, which this PyTorch cannot "
                               "register with a graph")
                graph.register_generator_state(generator)

    def drop(self, what):
        """Gives up the graphs and what they wrote, or, when no step has graphs, their pool."""
        if what == abi.DROP_POOL:
            give_up_pool(self.device)
            return
        self.has_dropped = True
        self.synchronize()
        for held in filter(None, (self.breaks, self.pieces)):
            held.give_up()
        self.graphs.clear()
        self.result = self.static = self.static_gradients = self.mode_result = None
        gc.collect()

    def replay(self):
        self.graphs[0].replay()
        self.result = self.static

    # What a check asks of a step (graphbench_check.py)

    in_ranks = staticmethod(lambda: in_ranks())

    def begin(self, graph):
        """Puts back what the step writes, then writes the renewed inputs. Before a replay, what the graph is
        to write gets a value that no step computes, so that work which the graph lost shows."""
        if graph:
            self.poison()
        self.result = None
        self.state.put_back()
        self.inputs.write()
        self.synchronize()

    def poison(self):
        made = self.mode_result if self.static is None else self.static
        if self.pieces:
            made = [self.pieces.values[node] for node in self.pieces.returned]
        held = [*results_of(made).values(), *(each for _, each in self.gradients(True))]
        with unseen():
            for part in held:
                storage = storage_of(part)
                if storage._cdata not in self.state.known and storage._cdata not in self.state.kept:
                    bytes_of(storage).fill_(0xFF)

    def latest(self):
        """The result of the last step, in whichever way it ran."""
        if self.result is None and self.pieces:
            return [self.pieces.values[node] for node in self.pieces.returned]
        return self.static if self.result is None else self.result

    def gradients(self, graph):
        """The gradients that the last step left, by name."""
        if graph and self.static_gradients is not None:
            return self.static_gradients
        leaves = [(name, owned(leaf())) for name, leaf in self.leaves]
        return [(name, leaf.grad) for name, leaf in leaves if leaf is not None and leaf.grad is not None]

    def state_outs(self):
        return [Out("state", kept.name if i == 0 else f"{kept.name} part {i}", tensor, kept.parameter)
                for kept in self.state.kept.values() if kept.seen.storage() is not None
                for i, tensor in enumerate(kept.seen.tensors())]

    def outs(self, graph):
        """All that the last step left: its result, gradients, and the state that it wrote."""
        self.synchronize()
        result = self.latest()
        self.returned = type(result)
        if graph:
            self.mode_result = result
        outs = [Out("value", name, tensor) for name, tensor in results_of(result).items()]
        outs += [Out("gradient", name, gradient) for name, tensor in self.gradients(graph)
                 for gradient in parts_of(tensor)[-1:] if storage_of(gradient)._cdata not in self.state.kept]
        outs += self.state_outs()
        taken = collections.Counter()
        for out in outs:
            taken[out.kind, out.name] += 1
            if taken[out.kind, out.name] > 1:
                out.name += f" #{taken[out.kind, out.name]}"
            out.name = out.name if out.kind != "gradient" else f"{out.name}.grad"
        return outs

    def renew(self):
        """Gives the inputs other values. Returns why they keep theirs; empty if they do not."""
        why = ""
        if self.axes.get("torch-inputs") == "keep":
            return "--torch-inputs keep"
        try:
            with self.memory.at_work(), contextlib.redirect_stdout(sys.stderr):
                self.inputs.renew(self.build)
        except Unchanged as error:
            why = str(error)
        except Exception as error:  # noqa: BLE001 - the user's second build must not fail the cell
            why = f"a second build failed: {reason_of(error, self.file)}"
        if agree(self, bool(why)):
            self.inputs.forget()
            why = why or "another rank keeps them"
        return why

    def name_writers(self):
        """Adds to the names of state the op and the line that write it."""
        found = {}
        if self.state.kept and not self.has_compiled:
            with contextlib.suppress(Exception):  # some steps do not run under a dispatch mode
                found = writers(self)
        for key, kept in self.state.kept.items():
            if key in found and not kept.writer:
                kept.writer = found[key]

    def state_facts(self):
        kept, small = self.state.kept.values(), self.state.small()
        return {"count": len(kept), "bytes": sum(each.seen.nbytes for each in kept),
                "names": [each.name + (f" ({each.writer})" if each.writer else "") for each in kept][:8],
                 "generators": len(self.state.generators),
                "before_steps": len(small), "before_steps_bytes": sum(each.seen.nbytes for each in small),
                "without_copy": sum(each.copy is None for each in kept)}

    def input_facts(self, why, changed):
        return {"renewed": len(self.inputs.pairs), "why": why, "changed_outputs": changed,
                "build_seconds": self.inputs.seconds}

    @contextlib.contextmanager
    def explained(self):
        """Says of a capture that failed which call stops it, where the doctor finds one."""
        try:
            yield
        except (Skip, Refusal):
            raise
        except Exception:
            doctor = Doctor(self.stream, self.file)

            def run():
                with self.hiding():
                    self.run()

            with contextlib.suppress(Exception):  # the process is given up anyway
                doctor.watch(run)
            if doctor.sentence():
                raise RuntimeError(doctor.sentence()) from None
            raise

    # Functions of the record gb_step

    def lend_kinds(self, kinds, capacity):
        ctypes.memmove(kinds, bytes(self.kinds), min(len(self.kinds), capacity))
        return len(self.kinds)

    def lend_graph(self, part, lent):
        if not self.on_cuda:
            return
        with self.explained():
            graph = self.capture(part)
        if self.kinds[part] == abi.LAUNCHED:
            graph.instantiate()
        if self.kinds[part] != abi.UNSEEN:  # that one is instantiated as its capture ends
            lent[0] = graph.raw_cuda_graph()

    def lend_state(self, lent):
        """The copies that put back small state before each timed step. Their memory is held until the step
        closes."""
        copies = []
        for kept in self.state.small():
            storage = kept.seen.storage()
            if storage is not None:
                self.held.append((storage, kept.copy))
                copies.append(abi.Copy(storage.data_ptr(), kept.copy.data_ptr(), kept.seen.nbytes,
                                       abi.ON_CUDA if storage.device.type == "cuda" else 0, 0))
        self.copies = (abi.Copy * len(copies))(*copies)
        lent[0] = self.copies
        return len(copies)

    def check(self, heard, said):
        """One turn of the talk with the worker: it tells what it did, and hears what to do next."""
        if self.talk is None:
            self.talk = conversation(self, json.loads(heard))
        word = next(self.talk)
        if "verdict" in word:
            self.talk = None
            self.inputs.forget()
            self.memory.release()
        self.word = json.dumps(word).encode()
        said[0] = self.word

    def report(self):
        stages = {**self.stages, **compiled_from(self.compilations)}
        if self.pieces:
            stages["pieces"] = self.pieces.compiled
        facts = {"torch": torch.__version__, **self.facts, **(self.compilations + compilations()),
                 "stages": stages,
                 "capture_skips": self.not_taken + (skips(self.file) if self.compiles else [])}
        least = 0.05 * (time.monotonic() - self.opened_at)
        used = seconds_of_other_threads() - self.threads
        if busy := [name for name, seconds in used.items() if seconds > least]:
            facts["busy_threads"] = ", ".join(busy)
        if self.on_cuda:
            torch.cuda.empty_cache()  # so that `reserved` is what tensors and graphs keep
            facts.update(self.memory.facts())
        if in_ranks() and self.on_cuda:
            facts["collectives"] = "nccl " + ".".join(map(str, torch.cuda.nccl.version()))
            asked = ["nvidia-smi", "nvlink", "-s", "-i", self.uuid]
            links = subprocess.run(asked, capture_output=True, text=True, check=False).stdout.count("GB/s")
            facts["links"] = f"{links} NVLinks per GPU" if links else "PCIe"
        elif in_ranks():
            facts["collectives"] = torch.distributed.get_backend()
        facts["gc_seconds"] = sum(end - began for began, end in zip(collected_at[::2], collected_at[1::2]))
        self.text = ctypes.create_string_buffer(json.dumps(facts).encode())
        return ctypes.addressof(self.text)


def in_ranks():
    return "GRAPHBENCH_RANKS" in os.environ and torch.distributed.is_initialized()
