// Rows of the table of metrics: what generated kernels took.
#include "harness/model/metric_rows.hpp"

namespace graphbench::model {

std::vector<MetricRow> compile_metric_rows() {
  using enum MetricKind;
  std::vector<MetricRow> rows = {
      row("generate_seconds", time, "seconds", &CompileStages::generate_seconds,
          {110, "graphbench_compile_generate_seconds"}, "Time of writing the source of generated kernels."),
      row("compile_seconds", time, "seconds", &CompileStages::compile_seconds,
          {111, "graphbench_compile_seconds"}, "Time of compiling generated kernels that were not kept."),
      row("load_seconds", time, "seconds", &CompileStages::load_seconds,
          {112, "graphbench_compile_load_seconds"}, "Time of putting generated code on the device."),
      row("kernels", count, "kernels", &CompileUse::kernels, {113, "graphbench_compile_kernels"},
          "Generated kernels that a step of the cell launches."),
      row("compiled", count, "codes", &CompileUse::compiled, {114, "graphbench_compile_compiled"},
          "Codes of generated kernels that were compiled for the cell; those of batches before it "
          "serve it too."),
      row("cached", count, "codes", &CompileUse::cached, {115, "graphbench_compile_cached"},
          "Codes of generated kernels that were found in the cache or in a package."),
      row("general_over_sized", ratio, "ratio", &CompileUse::general_over_sized,
          {116, "graphbench_general_over_sized_ratio"},
          "Latency with generated kernels for any size over that with kernels for these sizes."),
  };
  rows.back().left_out = true;
  rows.back().column = {20, "any/own"};
  rows.back().column_help = "latency with kernels for any size over those for its own";
  return rows;
}

}  // namespace graphbench::model
