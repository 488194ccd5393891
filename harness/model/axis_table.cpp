// Makes the table of axes: the first seven, then the later ones.
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

std::string choice_help(const std::vector<std::string>& names, const std::string& which) {
  return join(names) + " (default: " + which + ")";
}

// Returns "; none means eager, full means whole".
std::string vllm_words() {
  std::string text;
  for (const Mode& mode : modes()) {
    if (!mode.also.empty()) text += (text.empty() ? "; " : ", ") + mode.also + " means " + mode.name;
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
  const std::string warmups = "3";
  const std::vector<std::string> mode_names = names_of(modes());
  const std::vector<std::string> dtypes = names_of(data_types());
  return {
      {.name = "workload",
       .values = names,
       .noun = "workload",
       .placeholder = "NAME,...",
       .help = "workloads to run (default: those of --plugin, else all built-in workloads)",
       .text = &Cell::workload,
       .texts = &Axes::workload,
       .also = "ladder bill"},
      {.name = "preset",
       .values = name,
       .noun = "preset",
       .placeholder = "NAME",
       .help = "named sizes of the workloads (default: " + by_device(&DeviceKind::preset) + ")",
       .text = &Cell::preset,
       .texts = &Axes::preset,
       .also = "ladder bill"},
      {.name = "dtype",
       .noun = "dtype",
       .placeholder = "TYPE,...",
       .help = choice_help(dtypes, by_device(&DeviceKind::data_type)),
       .choices = dtypes,
       .text = &Cell::dtype,
       .texts = &Axes::dtype,
       .also = "ladder bill"},
      {.name = "pass",
       .noun = "pass",
       .placeholder = "PASS,...",
       .help = choice_help(names_of(passes()), passes().front().name),
       .choices = names_of(passes()),
       .fallback = passes().front().name,
       .text = &Cell::pass,
       .texts = &Axes::pass},
      {.name = "batch",
       .values = numbers,
       .noun = "batch",
       .placeholder = "LIST",
       .help = "batch sizes: 1,2,4 or 1:256:x2 or 8:64:+8 (default: " + by_device(&DeviceKind::batches) + ")",
       .id_prefix = "b",
       .number = &Cell::batch,
       .numbers = &Axes::batch,
       .also = "doctor"},
      {.name = "warmup",
       .values = numbers,
       .noun = "warmup count",
       .placeholder = "LIST",
       .help = "eager steps before capture (default: " + warmups + ")",
       .allow_zero = true,
       .fallback = warmups,
       .id_prefix = "w",
       .number = &Cell::warmup,
       .numbers = &Axes::warmup,
       .also = "ladder bill"},
      {.name = "mode",
       .noun = "mode",
       .placeholder = "MODE,...",
       .help = choice_help(mode_names, "all") + vllm_words(),
       .choices = mode_names,
       .fallback = join(mode_names, ","),
       .text = &Cell::mode,
       .texts = &Axes::mode,
       .also = "ladder bill"},
  };
}

AxisTable later_axes() {
  return {
      {.name = "graph-rewrite",
       .noun = "graph rewrite",
       .placeholder = "WHICH,...",
       .help = "none: graphs as recorded; memset: replace libraries' memset nodes by kernels (default: none)",
       .choices = {"none", "memset"},
       .fallback = "none",
       .modes = graph_modes()},
      {.name = "prepare",
       .noun = "value of --prepare",
       .placeholder = "WHICH,...",
       .help = "ahead: load code and time kernels before steps; first-use: do neither (default: ahead)",
       .choices = {"ahead", "first-use"},
       .fallback = "ahead"},
      {.name = "io",
       .noun = "value of --io",
       .placeholder = "WAY,...",
       .help = "how graphs access a caller's inputs and outputs: static (the graphs own them), copy_in, "
               "copy_in_out, copy_out, copy_if_moved, set_params, update, recapture, exec_per_set (default: "
               "static)",
       .choices = {"static", "copy_in", "copy_in_out", "copy_out", "copy_if_moved", "set_params", "update",
                   "recapture", "exec_per_set"},
       .fallback = "static",
       .modes = graph_modes()},
      {.name = "io-source",
       .noun = "kind of caller memory",
       .placeholder = "WHICH,...",
       .help = "caller memory that --io copies from and to: device, pinned, pageable (default: device)",
       .choices = {"device", "pinned", "pageable"},
       .fallback = "device",
       .modes = graph_modes(),
       .within = {"io", {"copy_in", "copy_in_out", "copy_out"}},
       .why = "copy_if_moved takes device alone, because host memory is never the graph's own"},
      {.name = "io-same",
       .noun = "share of steps",
       .placeholder = "SHARE,...",
       .help = "share of steps in which --io copy_if_moved finds an input in place: 0, 0.5, 0.9, 0.99, 1 "
               "(default: 0.9)",
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
       .placeholder = "WHICH,...",
       .help = "one: record graphs on the stream that runs steps; each: record each batch's graphs on a "
               "stream of their own (default: one)",
       .choices = {"one", "each"},
       .fallback = "one",
       .modes = graph_modes(),
       .also = "bill"},
      {.name = "edges",
       .noun = "kind of edge",
       .placeholder = "WHICH,...",
       .help = "start of graphbench's kernels on cuda. programmatic: when the previous kernel allows it; "
               "full: when the previous kernel has ended (default: programmatic)",
       .choices = {"programmatic", "full"},
       .fallback = "programmatic",
       .devices = {"cuda"}},
      {.name = "branches",
       .noun = "order of matrix products",
       .placeholder = "WAY,...",
       .help = "matrix products on cuda that do not read each other's results. serial: captured one after "
               "the other; forked: side by side (default: serial)",
       .choices = {"serial", "forked"},
       .fallback = "serial",
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
       .help = "decomposed: batched matrix products with a softmax in between; fused: one op; auto: fused "
               "if the device supports that, as cuda and host do (default: auto)",
       .choices = {"auto", "fused", "decomposed"},
       .fallback = "auto",
       .passes = {"forward"}},
      {.name = "epilogues",
       .noun = "value of epilogues",
       .placeholder = "WHICH,...",
       .help = "bias, activation and residual of matrix products. on: as in the program; off: as separate "
               "ops; joined: as part of the product before them (default: on)",
       .choices = {"on", "off", "joined"},
       .fallback = "on",
       .passes = {"forward"}},
      {.name = "program-pass",
       .values = names,
       .noun = "program pass",
       .placeholder = "NAME,...",
       .help = "a plugin's pass that rewrites the program, or several in their order, A+B; none: no pass "
               "(default: none)",
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
       .help = "graphs of a captured training step. iteration: one graph; apart: one for forward, one "
               "for backward and optimizer; callables: one for forward and one for backward of each layer "
               "(default: iteration)",
       .choices = {"iteration", "apart", "callables"},
       .fallback = "iteration",
       .modes = graph_modes(),
       .passes = {"training"}},
      {.name = "optimizer",
       .noun = "optimizer",
       .placeholder = "WHICH,...",
       .help = "optimizer of a training step: none, sgd (momentum 0.9), adamw; none: the gradients are the "
               "result (default: none)",
       .choices = {"none", "sgd", "adamw"},
       .fallback = "none",
       .passes = {"training"}},
      {.name = "optimizer-in",
       .noun = "place of the optimizer",
       .placeholder = "WHERE,...",
       .help = "where parameters are updated. graph: in the step's last graph; eager: after that graph; "
               "backward: each as soon as its gradient is complete (default: graph)",
       .choices = {"graph", "eager", "backward"},
       .fallback = "graph",
       .passes = {"training"},
       .within = {"optimizer", {"sgd", "adamw"}}},
      {.name = "loss",
       .noun = "loss",
       .placeholder = "WHICH,...",
       .help = "loss between the first output and random targets: mse, cross_entropy (default: mse)",
       .choices = {"mse", "cross_entropy"},
       .fallback = "mse",
       .passes = {"training"}},
  };
}

AxisTable gradient_axes() {
  using enum AxisValues;
  return {
      {.name = "accumulate",
       .noun = "time of accumulation",
       .placeholder = "WHEN,...",
       .help = "when gradients of a value are summed. asap: as soon as each exists; end: when the sum is "
               "needed (default: asap)",
       .choices = {"asap", "end"},
       .fallback = "asap",
       .passes = {"training"}},
      {.name = "micro-batches",
       .values = numbers,
       .noun = "number of micro-batches",
       .placeholder = "N,...",
       .help = "number of parts of a batch whose gradients a training step adds up (default: 1)",
       .fallback = "1",
       .passes = {"training"}},
      {.name = "checkpoint",
       .noun = "value of --checkpoint",
       .placeholder = "WHAT,...",
       .help = "none: keep all activations for backward; layer: keep the inputs of each layer and recompute "
               "the rest (default: none)",
       .choices = {"none", "layer"},
       .fallback = "none",
       .passes = {"training"}},
  };
}

// Returns the axes of how PyTorch steps run. The Python code in workloads/torch interprets their values.
AxisTable torch_axes() {
  const std::vector<std::string> own = {std::string(of_its_own)};
  return {
      {.name = "torch-compile",
       .noun = "value of --torch-compile",
       .placeholder = "WHICH,...",
       .help = "how modes eager, whole and torch.replay compile the step of --torch with Inductor, and "
               "piecewise its pieces: none (they do not), default, max-autotune (default: none)",
       .choices = {"none", "default", "max-autotune"},
       .fallback = "none",
       .modes = {"eager", "whole", "piecewise", "torch.replay"},
       .passes = own,
       .torch = true,
       .also = "bill"},
      {.name = "torch-hide-capture",
       .noun = "answer",
       .placeholder = "WHICH,...",
       .help =
           "on: while a step of --torch is captured, torch.cuda.is_current_stream_capturing() returns False "
           "(default: off)",
       .choices = {"off", "on"},
       .fallback = "off",
       .modes = {"whole", "piecewise", "torch.replay"},
       .passes = own,
       .torch = true,
       .also = "bill"},
      {.name = "torch-pieces",
       .noun = "way to make pieces",
       .placeholder = "WAY,...",
       .help =
           "how piecewise makes pieces of a step of --torch. breaks: a capture ends before each call that "
           "--split-ops names, and the next begins behind it; traced: torch.compile's graph is split "
           "(default: breaks)",
       .choices = {"breaks", "traced"},
       .fallback = "breaks",
       .modes = {"piecewise"},
       .passes = own,
       .within = {"torch-compile", {"none"}},
       .torch = true,
       .also = "bill",
       .why = "pieces that --torch-compile compiles are always traced"},
  };
}

// Returns the other axes of foreign steps.
AxisTable foreign_axes() {
  const std::vector<std::string> own = {std::string(of_its_own)};
  const ValuesOfAxis compiled = {
      "torch-compile", {"default", "max-autotune"}, {"torch.cudagraphs", "torch.reduce-overhead"}};
  return {
      {.name = "torch-inputs",
       .noun = "source of a check's inputs",
       .placeholder = "WHICH,...",
       .help =
           "what the check of a step of --torch runs on: build (what a second call of the step's function "
           "makes, with other seeds), or keep (the values that were captured; default: build)",
       .choices = {"build", "keep"},
       .fallback = "build",
       .passes = own,
       .torch = true},
      {.name = "torch-cache",
       .noun = "compiler's cache",
       .placeholder = "WHICH,...",
       .help = "what steps of --torch find in the cache of PyTorch's compiler: fresh (nothing in the first "
               "launch, then the user's), or keep (the user's; default: fresh)",
       .choices = {"fresh", "keep"},
       .fallback = "fresh",
       .passes = own,
       .torch = true},
      {.name = "torch-compiled-autograd",
       .noun = "answer",
       .placeholder = "WHICH,...",
       .help = "on: compiled modes of --torch also compile backward, with compiled autograd (default: off)",
       .choices = {"off", "on"},
       .fallback = "off",
       .modes = {"torch.cudagraphs", "torch.reduce-overhead"},
       .passes = own,
       .torch = true},
      {.name = "ranks",
       .values = AxisValues::numbers,
       .noun = "number of ranks",
       .placeholder = "N,...",
       .help =
           "worker processes that run a foreign step together, rank r on the r-th device from --device on, "
           "with torch.distributed's variables (default: 1)",
       .fallback = "1",
       .passes = own,
       .local = true},
      {.name = "torch-dynamic",
       .noun = "answer",
       .placeholder = "WHICH,...",
       .help = "on: compiled code of --torch is general in its sizes, and batches share it; those of "
               "--tune-sizes have code of their own (default: off)",
       .choices = {"off", "on"},
       .fallback = "off",
       .modes = {"eager", "whole", "piecewise", "torch.replay", "torch.cudagraphs", "torch.reduce-overhead"},
       .passes = own,
       .within = compiled,
       .torch = true},
      {.name = "torch-inductor",
       .values = AxisValues::names,
       .noun = "option of Inductor",
       .placeholder = "KEY=VALUE,...",
       .help = "what Inductor's configuration is changed to where it compiles a step of --torch, several "
               "options joined by + (default: none)",
       .fallback = "none",
       .modes = {"eager", "whole", "piecewise", "torch.replay", "torch.reduce-overhead"},
       .passes = own,
       .within = compiled,
       .torch = true},
  };
}

AxisTable make_axes() {
  AxisTable table = first_axes();
  std::ranges::move(later_axes(), std::back_inserter(table));
  std::ranges::move(recording_axes(), std::back_inserter(table));
  std::ranges::move(program_axes(), std::back_inserter(table));
  std::ranges::move(step_axes(), std::back_inserter(table));
  std::ranges::move(gradient_axes(), std::back_inserter(table));
  std::ranges::move(torch_axes(), std::back_inserter(table));
  std::ranges::move(foreign_axes(), std::back_inserter(table));
  return table;
}

}  // namespace

const AxisTable& axes() {
  static const AxisTable table = make_axes();
  return table;
}

}  // namespace graphbench::model
