// Rows of the table of metrics for other work than the cell's steps: the forward program of --evaluate and
// the walk over --shape-trace.
#include "harness/model/metric_rows.hpp"

namespace graphbench::model {

std::vector<MetricRow> walk_metric_rows() {
  using enum MetricKind;
  return {
      row("latency_seconds", time, "seconds", value<&Evaluation::latency_seconds>(),
          "graphbench_evaluation_latency_seconds",
          "Median latency of the forward program on the trained parameters."),

      row("programs", count, "programs", value<&ShapeWalk::programs>(), "graphbench_shape_walk_programs",
          "Programs that the walk over a trace of shapes keeps at its end."),
      row("recordings", count, "recordings", value<&ShapeWalk::recordings>(),
          "graphbench_shape_walk_recordings", "Recordings that the walk has made."),
      row("generations", count, "generations", value<&ShapeWalk::generations>(),
          "graphbench_shape_walk_generations",
          "Generations of the walk's pool: one more than the number of times that all of its memory was "
          "given back."),
      row("pool_bytes", bytes, "bytes", value<&ShapeWalk::pool_bytes>(), "graphbench_shape_walk_pool_bytes",
          "Bytes of the walk's pool at its end."),
      row("hit_seconds", time, "seconds", value<&ShapeWalk::hit_seconds>(),
          "graphbench_shape_walk_hit_seconds",
          "Median time of looking up an existing recording and submitting it."),
      row("replay_seconds", time, "seconds", value<&ShapeWalk::replay_seconds>(),
          "graphbench_shape_walk_replay_seconds", "Median time of submitting that recording by itself."),
  };
}

}  // namespace graphbench::model
