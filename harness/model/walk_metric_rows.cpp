// Rows of the table of metrics for other work than the cell's steps: the forward program of --evaluate and
// the walk over --shape-trace.
#include "harness/model/metric_rows.hpp"

namespace graphbench::model {

std::vector<MetricRow> walk_metric_rows() {
  return {
      row("latency_seconds", "seconds", value<&Evaluation::latency_seconds>(),
          "graphbench_evaluation_latency_seconds",
          "Median latency of the forward program with the trained parameters."),

      row("programs", "programs", value<&ShapeWalk::programs>(), "graphbench_shape_walk_programs",
          "Number of programs that the walk over a shape trace keeps at its end."),
      row("recordings", "recordings", value<&ShapeWalk::recordings>(), "graphbench_shape_walk_recordings",
          "Number of recordings that the walk made."),
      row("generations", "generations", value<&ShapeWalk::generations>(), "graphbench_shape_walk_generations",
          "Generations of the walk's memory pool: the number of full releases of its memory, plus one."),
      row("pool_bytes", "bytes", value<&ShapeWalk::pool_bytes>(), "graphbench_shape_walk_pool_bytes",
          "Bytes of the walk's memory pool at its end."),
      row("hit_seconds", "seconds", value<&ShapeWalk::hit_seconds>(), "graphbench_shape_walk_hit_seconds",
          "Median time to look up an existing recording and to submit the recording."),
      row("replay_seconds", "seconds", value<&ShapeWalk::replay_seconds>(),
          "graphbench_shape_walk_replay_seconds",
          "Median time to submit an existing recording, without the lookup."),
  };
}

}  // namespace graphbench::model
