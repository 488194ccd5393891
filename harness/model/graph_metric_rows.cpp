// Rows of the table of metrics: a cell's graphs (graph), steps that use their caller's memory (caller_io),
// the work to make and keep graphs (counters), and the parts of a training step (training).
#include <iterator>

#include "harness/model/metric_rows.hpp"

namespace graphbench::model {
namespace {

// Returns a row of caller_io. Only cells whose axis io is not at its default have these metrics.
constexpr MetricRow io(std::string_view name, MetricValue value, std::string_view unit,
                       std::string_view family, std::string_view help) {
  MetricRow made = row(name, unit, value, family, help);
  made.graphs_only = made.added_later = true;
  return made;
}

constexpr MetricRow counter(std::string_view name, MetricValue value, std::string_view unit,
                            std::string_view family, std::string_view help) {
  MetricRow made = io(name, value, unit, family, help);
  made.on_request = false;
  return made;
}

// Returns a row for a metric of training steps. `first`: documents have had the metric for as long as they
// have had training steps; false if a later version added it.
constexpr MetricRow training(std::string_view name, MetricValue value, std::string_view family, bool first,
                             std::string_view help) {
  const std::string_view unit = name.substr(name.rfind('_') + 1);
  MetricRow made = row(name, unit == "skipped" ? "copies" : unit, value, family, help);
  made.added_later = !first;
  return made;
}

constexpr MetricRow of_graphs[] = {
    {.name = "nodes",
     .kind = MetricKind::count,
     .unit = "nodes",
     .help = "Number of nodes in the step's graphs.",
     .value = value<&facts::GraphContents::nodes>(),
     .graphs_only = true,
     .family = "graphbench_graph_nodes",
     .counted = "nodes"},
    {.name = "pieces",
     .kind = MetricKind::count,
     .unit = "graphs",
     .help = "Number of graphs into which the step is captured.",
     .value = value<&GraphCounts::pieces>(),
     .graphs_only = true,
     .family = "graphbench_graph_pieces",
     .counted = "pieces"},
    {.name = "captured_ops",
     .kind = MetricKind::count,
     .unit = "ops",
     .help = "Number of the step's ops inside graphs.",
     .value = value<&GraphCounts::captured_ops>(),
     .counted = "captured_ops"},
    {.name = "eager_ops",
     .kind = MetricKind::count,
     .unit = "ops",
     .help = "Number of the step's ops launched one by one.",
     .value = value<&GraphCounts::eager_ops>(),
     .counted = "eager_ops"},
    {.name = "rewritten_nodes",
     .kind = MetricKind::count,
     .unit = "nodes",
     .help = "Number of graph nodes that --graph-rewrite has replaced.",
     .value = value<&GraphCounts::rewritten_nodes>(),
     .added_later = true},
};

constexpr MetricRow of_steps[] = {
    io("copies", value<&Io::copies>(), "copies", "graphbench_io_copies",
       "Number of copies of the caller's values per step, outside of graphs."),
    io("copy_bytes", value<&Io::copy_bytes>(), "bytes", "graphbench_io_copy_bytes",
       "Bytes of the caller's values copied per step."),
    io("copies_kept", value<&Io::copies_kept>(), "copies", "graphbench_io_copies_kept",
       "Number of copies skipped per step, because the caller passes the graph's own pointer."),
    io("kernel_nodes_set", value<&Io::kernel_nodes_set>(), "nodes", "graphbench_io_kernel_nodes_set",
       "Number of nodes of graphbench's own kernels whose addresses are set per step."),
    io("copy_nodes_set", value<&Io::copy_nodes_set>(), "nodes", "graphbench_io_copy_nodes_set",
       "Number of copy nodes, next to library kernels, whose addresses are set per step."),
    io("pieces_touched", value<&Io::pieces_touched>(), "graphs", "graphbench_io_pieces_touched",
       "Number of the step's graphs that contain an address of the caller."),
    io("set_execs", value<&Io::set_execs>(), "graphs", "graphbench_io_set_execs",
       "Number of graphs that a step can select: setup instantiates one for each of the caller's address "
       "sets."),
    io("recordings", value<&Io::recordings>(), "recordings", "graphbench_io_recordings",
       "Recordings per step: mean over the last placement's steps."),
    io("updates", value<&Io::updates>(), "updates", "graphbench_io_updates",
       "Updates of execs per step: mean over the last placement's steps."),
    io("updates_refused", value<&Io::updates_refused>(), "updates", "graphbench_io_updates_refused",
       "Refused updates per step: mean over the last placement's steps; the graph is then instantiated "
       "again."),
    io("instantiations", value<&Io::instantiations>(), "graphs", "graphbench_io_instantiations",
       "Graphs instantiated per step: mean over the last placement's steps."),
    io("steps", value<&Io::steps>(), "steps", "",
       "Number of steps of the last placement, which the means cover."),

    counter("programs", value<&Counters::programs>(), "programs", "graphbench_counters_programs",
            "How often the cell's program was prepared in the first placement."),
    counter("pieces", value<&Counters::pieces>(), "pieces", "graphbench_counters_pieces",
            "Number of parts of a split step, captured or not."),
    counter("capturable", value<&Counters::capturable>(), "pieces", "graphbench_counters_capturable",
            "Number of parts of a step that can be captured."),
    counter("captured", value<&Counters::captured>(), "recordings", "graphbench_counters_captured",
            "Number of recordings during the setup and the first 32 steps."),
    counter("instantiated", value<&Counters::instantiated>(), "graphs", "graphbench_counters_instantiated",
            "Number of graphs instantiated during the setup and the first 32 steps."),
    counter("updated", value<&Counters::updated>(), "updates", "graphbench_counters_updated",
            "Number of updates of execs during the first 32 steps."),
    counter("compilations", value<&Counters::compilations>(), "kernels", "graphbench_counters_compilations",
            "Number of kernels prepared in the first placement."),

    training("saved_bytes", value<&facts::TrainingFacts::saved_bytes>(), "graphbench_training_saved_bytes",
             true, "Bytes of activations that a training step's forward pass keeps for the backward pass."),
    training("gradient_bytes", value<&facts::TrainingFacts::gradient_bytes>(),
             "graphbench_training_gradient_bytes", true,
             "Bytes of the gradients of a training step's parameters."),
    training("optimizer_bytes", value<&facts::TrainingFacts::optimizer_bytes>(),
             "graphbench_training_optimizer_bytes", true,
             "Bytes of the state of a training step's optimizer."),
    training("copies_skipped", value<&facts::TrainingFacts::copies_skipped>(),
             "graphbench_training_copies_skipped", false,
             "Number of gradients that reach a graph of a training step without a copy."),
    training("peak_bytes", value<&Training::peak_bytes>(), "graphbench_training_peak_bytes", false,
             "Peak memory of a training step's activations and gradients."),
    training("forward_seconds", value<&Training::forward_seconds>(), "graphbench_training_forward_seconds",
             false,
             "Device time of a training step's forward ops, if no graph mixes them with other phases."),
    training("backward_seconds", value<&Training::backward_seconds>(), "graphbench_training_backward_seconds",
             false, "Device time of a training step's backward ops."),
    training("optimizer_seconds", value<&Training::optimizer_seconds>(),
             "graphbench_training_optimizer_seconds", false,
             "Device time of a training step's optimizer ops."),
    training("step_seconds", value<&Training::step_seconds>(), "graphbench_training_step_seconds", false,
             "Device time of a whole training step, from the pass that times its phases."),
};

}  // namespace

std::vector<MetricRow> graph_metric_rows() {
  return {std::begin(of_graphs), std::end(of_graphs)};
}

std::vector<MetricRow> step_metric_rows() {
  return {std::begin(of_steps), std::end(of_steps)};
}

}  // namespace graphbench::model
