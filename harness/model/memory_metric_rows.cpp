// Rows of the table of metrics about memory, in the table's order. MetricRow (metrics.hpp) explains the
// members. The rows whose help begins with "Part of the used memory" add up to used_bytes.
#include <iterator>

#include "harness/model/metric_rows.hpp"

namespace graphbench::model {
namespace {

// memory_metric_rows() adds the kind and the unit, which all rows share.
constexpr MetricRow memory_rows[] = {
    {.name = "weights_bytes",
     .help = "Memory used by the program's weights.",
     .value = value<&Memory::weights_bytes>()},
    {.name = "pool_bytes",
     .help = "Memory reserved by the pool that all batch sizes of the worker share.",
     .value = value<&Memory::pool_bytes>(),
     .family = "graphbench_pool_bytes",
     .counted = "pool_bytes",
     .memory_of = "pool"},
    {.name = "pool_bytes_private",
     .help = "Memory that the same captures would take in private pools.",
     .value = value<&Memory::pool_bytes_private>(),
     .family = "graphbench_pool_private_bytes"},
    {.name = "pool_bytes_own",
     .help = "This cell's part of the memory that private pools would take.",
     .value = value<&Memory::pool_bytes_own>(),
     .added_later = true},
    {.name = "used_bytes",
     .help = "Device memory that the worker uses, as reported by the driver.",
     .value = value<&Memory::used_bytes>(),
     .added_later = true},
    {.name = "context_bytes",
     .help = "Part of the used memory: the context and its streams.",
     .value = value<&Memory::context_bytes>(),
     .added_later = true,
     .memory_of = "context"},
    {.name = "code_bytes",
     .help =
         "Part of the used memory: code and handles of libraries, and reserves of the driver for launches.",
     .value = value<&Memory::code_bytes>(),
     .added_later = true,
     .memory_of = "code"},
    {.name = "static_bytes",
     .help = "Part of the used memory: weights, inputs and state.",
     .value = value<&Memory::static_bytes>(),
     .added_later = true,
     .memory_of = "static"},
    {.name = "workspace_bytes",
     .help =
         "Part of the used memory: scratch memory of libraries and ops, and the buffer for cache flushes.",
     .value = value<&Memory::workspace_bytes>(),
     .added_later = true,
     .memory_of = "workspace"},
    {.name = "pool_in_use_bytes_max",
     .help = "Peak use of the shared pool.",
     .value = value<&Memory::pool_in_use_bytes_max>(),
     .added_later = true},
    {.name = "graphs_bytes",
     .help = "Part of the used memory: growth while the worker's graphs were captured, instantiated and "
             "uploaded.",
     .value = value<&Memory::graphs_bytes>(),
     .graphs_only = true,
     .added_later = true},
    {.name = "exec_bytes",
     .help = "Memory that one more exec of each of the cell's graphs takes in total.",
     .value = value<&Memory::exec_bytes>(),
     .graphs_only = true,
     .added_later = true,
     .counted = "exec_bytes",
     .resolution = value<&Memory::exec_resolution_bytes>(),
     .memory_of = "graphs",
     .column = "graphs",
     .column_help = "memory of one more exec per graph",
     .spare_column = true},
    {.name = "exec_resolution_bytes",
     .help = "The smallest meaningful difference of exec_bytes: the driver allocates memory in blocks.",
     .value = value<&Memory::exec_resolution_bytes>(),
     .graphs_only = true,
     .added_later = true},
    {.name = "weights_bytes_max",
     .help = "Peak device memory of weights, with all copies.",
     .value = value<&Memory::weights_bytes_max>(),
     .added_later = true},
    {.name = "tuning_bytes_max",
     .help = "Peak device memory for operands while algorithms are timed to choose one; free again before "
             "steps run.",
     .value = value<&Memory::tuning_bytes_max>(),
     .added_later = true},
    {.name = "unaccounted_bytes",
     .help = "Part of the used memory that no other metric counts.",
     .value = value<&Memory::unaccounted_bytes>(),
     .added_later = true,
     .memory_of = "unaccounted"},
};

}  // namespace

std::vector<MetricRow> memory_metric_rows() {
  std::vector<MetricRow> rows(std::begin(memory_rows), std::end(memory_rows));
  for (MetricRow& row : rows) {
    row.kind = MetricKind::bytes;
    row.unit = "bytes";
  }
  return rows;
}

}  // namespace graphbench::model
