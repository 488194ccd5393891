// Makes the table of axes: the first seven, which first_axes() lists, then the later ones, in the groups
// below. axes.hpp explains the members of a row; completed() adds what a row leaves out.
#include <algorithm>
#include <iterator>

#include "graphs/base/text.hpp"
#include "harness/model/axes.hpp"
#include "harness/model/vocabulary.hpp"

namespace graphbench::model {
namespace {

// Returns text such as "base on cuda, tiny on host".
std::string by_device(std::string DeviceKind::*member) {
  return join(device_kinds(), ", ",
              [&](const DeviceKind& kind) { return kind.*member + " on " + kind.name; });
}

// Returns "none means eager, full means whole".
std::string vllm_words() {
  std::string text;
  for (const Mode& mode : modes()) {
    if (!mode.also.empty()) text += (text.empty() ? "" : ", ") + mode.also + " means " + mode.name;
  }
  return text;
}

std::vector<std::string> graph_modes() {
  std::vector<std::string> names;
  for (const Mode& mode : modes()) {
    if (mode.graph) names.push_back(mode.name);
  }
  return names;
}

AxisTable first_axes() {
  using enum AxisValues;
  return {
      {.name = "workload",
       .values = names,
       .noun = "workload",
       .placeholder = "NAME,...",
       .help = "workloads to run",
       .by_default = "those of --plugin, else all built-in workloads",
       .text = &Cell::workload,
       .texts = &Axes::workload,
       .also = "ladder bill"},
      {.name = "preset",
       .values = name,
       .noun = "preset",
       .placeholder = "NAME",
       .help = "named sizes of the workloads",
       .by_default = by_device(&DeviceKind::preset),
       .text = &Cell::preset,
       .texts = &Axes::preset,
       .also = "ladder bill"},
      {.name = "dtype",
       .noun = "dtype",
       .placeholder = "TYPE,...",
       .help = "number format",
       .by_default = by_device(&DeviceKind::data_type),
       .choices = names_of(data_types()),
       .text = &Cell::dtype,
       .texts = &Axes::dtype,
       .also = "ladder bill"},
      {.name = "pass",
       .noun = "pass",
       .placeholder = "PASS,...",
       .help = "what a step computes",
       .choices = names_of(passes()),
       .text = &Cell::pass,
       .texts = &Axes::pass},
      {.name = "batch",
       .values = numbers,
       .noun = "batch",
       .placeholder = "LIST",
       .help = "batch sizes: 1,2,4 or 1:256:x2 or 8:64:+8",
       .by_default = by_device(&DeviceKind::batches),
       .id_prefix = "b",
       .number = &Cell::batch,
       .numbers = &Axes::batch,
       .also = "doctor"},
      {.name = "warmup",
       .values = numbers,
       .noun = "warmup count",
       .placeholder = "LIST",
       .help = "eager steps before capture",
       .allow_zero = true,
       .fallback = "3",
       .id_prefix = "w",
       .number = &Cell::warmup,
       .numbers = &Axes::warmup,
       .also = "ladder bill"},
      {.name = "mode",
       .noun = "mode",
       .placeholder = "MODE,...",
       .help = vllm_words(),
       .by_default = "all",
       .choices = names_of(modes()),
       .fallback = join(names_of(modes()), ","),
       .text = &Cell::mode,
       .texts = &Axes::mode,
       .also = "ladder bill"},
  };
}

// Returns the axes that decide how graphs are made ready, and how they access a caller's memory.
AxisTable replay_axes() {
  return {
      {.name = "graph-rewrite",
       .noun = "graph rewrite",
       .help = "none: graphs as recorded; memset: replace libraries' memset nodes by kernels",
       .choices = {"none", "memset"},
       .modes = graph_modes()},
      {.name = "prepare",
       .noun = "value of --prepare",
       .help = "ahead: load code and time kernels before steps; first-use: do neither",
       .choices = {"ahead", "first-use"}},
      {.name = "io",
       .noun = "value of --io",
       .placeholder = "WAY,...",
       .help = "how graphs access a caller's inputs and outputs; static: the graphs own them",
       .choices = {"static", "copy_in", "copy_in_out", "copy_out", "copy_if_moved", "set_params", "update",
                   "recapture", "exec_per_set"},
       .modes = graph_modes()},
      {.name = "io-source",
       .noun = "kind of caller memory",
       .help = "caller memory that --io copies from and to",
       .choices = {"device", "pinned", "pageable"},
       .modes = graph_modes(),
       .within = {"io", {"copy_in", "copy_in_out", "copy_out"}},
       .why = "copy_if_moved takes device alone, because host memory is never the graph's own"},
      {.name = "io-same",
       .noun = "share of steps",
       .placeholder = "SHARE,...",
       .help = "share of steps in which --io copy_if_moved finds an input in place",
       .choices = {"0", "0.5", "0.9", "0.99", "1"},
       .fallback = "0.9",
       .modes = graph_modes(),
       .within = {"io", {"copy_if_moved"}}},
  };
}

// Returns the axes that decide how graphs are recorded.
AxisTable recording_axes() {
  return {
      {.name = "capture-streams",
       .noun = "number of capture streams",
       .help = "one: record graphs on the stream that runs steps; each: record each batch's graphs on a "
               "stream of their own",
       .choices = {"one", "each"},
       .modes = graph_modes(),
       .also = "bill"},
      {.name = "edges",
       .noun = "kind of edge",
       .help = "start of graphbench's kernels on cuda. programmatic: when the previous kernel allows it; "
               "full: when the previous kernel has ended",
       .choices = {"programmatic", "full"},
       .devices = {"cuda"}},
      {.name = "branches",
       .noun = "order of matrix products",
       .placeholder = "WAY,...",
       .help = "matrix products on cuda that do not read each other's results. serial: captured one after "
               "the other; forked: side by side",
       .choices = {"serial", "forked"},
       .modes = graph_modes(),
       .devices = {"cuda"}},
  };
}

// Returns the axes that decide which ops the program has.
AxisTable program_axes() {
  using enum AxisValues;
  return {
      {.name = "attention",
       .noun = "form of attention",
       .placeholder = "WAY,...",
       .help = "decomposed: batched matrix products with a softmax in between; fused: one op; auto: fused if "
               "the device supports that, as cuda and host do",
       .choices = {"auto", "fused", "decomposed"},
       .passes = {"forward"}},
      {.name = "epilogues",
       .noun = "value of epilogues",
       .help = "bias, activation and residual of matrix products. on: as in the program; off: as separate "
               "ops; joined: as part of the product before them",
       .choices = {"on", "off", "joined"},
       .passes = {"forward"}},
      {.name = "program-pass",
       .values = names,
       .noun = "program pass",
       .placeholder = "NAME,...",
       .help = "a plugin's pass that rewrites the program, or several in their order, A+B; none: no pass",
       .fallback = "none",
       .passes = names_of(passes())},
  };
}

// Returns axes of the pass `training`: a step's graphs, optimizer and loss.
AxisTable step_axes() {
  return {
      {.name = "backward",
       .noun = "form of the backward pass",
       .placeholder = "FORM,...",
       .help = "graphs of a captured training step. iteration: one graph; apart: one for forward, one for "
               "backward and optimizer; callables: one for forward and one for backward of each layer",
       .choices = {"iteration", "apart", "callables"},
       .modes = graph_modes(),
       .passes = {"training"}},
      {.name = "optimizer",
       .noun = "optimizer",
       .help = "optimizer of a training step; none: the gradients are the result; sgd has momentum 0.9",
       .choices = {"none", "sgd", "adamw"},
       .passes = {"training"}},
      {.name = "optimizer-in",
       .noun = "place of the optimizer",
       .placeholder = "WHERE,...",
       .help = "where parameters are updated. graph: in the step's last graph; eager: after that graph; "
               "backward: each as soon as its gradient is complete",
       .choices = {"graph", "eager", "backward"},
       .passes = {"training"},
       .within = {"optimizer", {"sgd", "adamw"}}},
      {.name = "loss",
       .noun = "loss",
       .help = "loss between the first output and random targets",
       .choices = {"mse", "cross_entropy"},
       .passes = {"training"}},
  };
}

AxisTable gradient_axes() {
  using enum AxisValues;
  return {
      {.name = "accumulate",
       .noun = "time of accumulation",
       .placeholder = "WHEN,...",
       .help =
           "when gradients of a value are summed. asap: as soon as each exists; end: when the sum is needed",
       .choices = {"asap", "end"},
       .passes = {"training"}},
      {.name = "micro-batches",
       .values = numbers,
       .noun = "number of micro-batches",
       .placeholder = "N,...",
       .help = "number of parts of a batch whose gradients a training step adds up",
       .fallback = "1",
       .passes = {"training"}},
      {.name = "checkpoint",
       .noun = "value of --checkpoint",
       .placeholder = "WHAT,...",
       .help = "none: keep all activations for backward; layer: keep the inputs of each layer and recompute "
               "the rest",
       .choices = {"none", "layer"},
       .passes = {"training"}},
  };
}

// Returns the axes of how PyTorch steps run. The Python code in workloads/torch interprets their values.
AxisTable torch_axes() {
  return {
      {.name = "torch-compile",
       .noun = "value of --torch-compile",
       .help = "how modes eager, whole and torch.replay compile the step of --torch with Inductor, and "
               "piecewise its pieces; none: they do not",
       .choices = {"none", "default", "max-autotune"},
       .modes = {"eager", "whole", "piecewise", "torch.replay"},
       .torch = true,
       .also = "bill"},
      {.name = "torch-hide-capture",
       .noun = "answer",
       .help =
           "on: while a step of --torch is captured, torch.cuda.is_current_stream_capturing() returns False",
       .choices = {"off", "on"},
       .modes = {"whole", "piecewise", "torch.replay"},
       .torch = true,
       .also = "bill"},
      {.name = "torch-pieces",
       .noun = "way to make pieces",
       .placeholder = "WAY,...",
       .help =
           "how piecewise makes pieces of a step of --torch. breaks: a capture ends before each call that "
           "--split-ops names, and the next begins behind it; traced: torch.compile's graph is split",
       .choices = {"breaks", "traced"},
       .modes = {"piecewise"},
       .within = {"torch-compile", {"none"}},
       .torch = true,
       .also = "bill",
       .why = "pieces that --torch-compile compiles are always traced"},
  };
}

// Returns the other axes of foreign steps.
AxisTable foreign_axes() {
  const ValuesOfAxis compiled = {
      "torch-compile", {"default", "max-autotune"}, {"torch.cudagraphs", "torch.reduce-overhead"}};
  return {
      {.name = "torch-inputs",
       .noun = "source of a check's inputs",
       .help = "what the check of a step of --torch runs on. build: what a second call of the step's "
               "function makes, with other seeds; keep: the values that were captured",
       .choices = {"build", "keep"},
       .torch = true},
      {.name = "torch-cache",
       .noun = "compiler's cache",
       .help = "what steps of --torch find in the cache of PyTorch's compiler. fresh: nothing in the first "
               "launch, then the user's; keep: the user's",
       .choices = {"fresh", "keep"},
       .torch = true},
      {.name = "torch-compiled-autograd",
       .noun = "answer",
       .help = "on: compiled modes of --torch also compile backward, with compiled autograd",
       .choices = {"off", "on"},
       .modes = {"torch.cudagraphs", "torch.reduce-overhead"},
       .torch = true},
      {.name = "ranks",
       .values = AxisValues::numbers,
       .noun = "number of ranks",
       .placeholder = "N,...",
       .help = "worker processes that run a foreign step together, rank r on the r-th device from --device "
               "on, with torch.distributed's variables",
       .fallback = "1",
       .passes = {std::string(of_its_own)},
       .local = true},
      {.name = "torch-dynamic",
       .noun = "answer",
       .help = "on: compiled code of --torch is general in its sizes, and batches share it; those of "
               "--tune-sizes have code of their own",
       .choices = {"off", "on"},
       .modes = {"eager", "whole", "piecewise", "torch.replay", "torch.cudagraphs", "torch.reduce-overhead"},
       .within = compiled,
       .torch = true},
      {.name = "torch-inductor",
       .values = AxisValues::names,
       .noun = "option of Inductor",
       .placeholder = "KEY=VALUE,...",
       .help = "what Inductor's configuration is changed to where it compiles a step of --torch, several "
               "options joined by +",
       .fallback = "none",
       .modes = {"eager", "whole", "piecewise", "torch.replay", "torch.reduce-overhead"},
       .within = compiled,
       .torch = true},
  };
}

// Completes a row: the first choice is the default unless the row names another, and the help ends with the
// choices and the default. Choices that the help explains ("on: ...; off: ...") are not listed again.
Axis completed(Axis axis) {
  if (axis.by_default.empty()) {
    if (axis.fallback.empty()) axis.fallback = axis.choices.front();
    axis.by_default = axis.fallback;
  }
  if (axis.torch) axis.passes = {std::string(of_its_own)};
  const bool listed =
      !axis.choices.empty() && axis.help.find(axis.choices.back() + ": ") == std::string::npos;
  axis.help += " (" + (listed ? join(axis.choices) + "; " : "") + "default: " + axis.by_default + ")";
  return axis;
}

AxisTable make_axes() {
  AxisTable table;
  for (const auto& group : {first_axes, replay_axes, recording_axes, program_axes, step_axes, gradient_axes,
                            torch_axes, foreign_axes})
    std::ranges::transform(group(), std::back_inserter(table), completed);
  return table;
}

}  // namespace

const AxisTable& axes() {
  static const AxisTable table = make_axes();
  return table;
}

}  // namespace graphbench::model
