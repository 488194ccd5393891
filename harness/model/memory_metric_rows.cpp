// Rows of the table of metrics: memory.
#include <iterator>

#include "harness/model/metric_rows.hpp"

namespace graphbench::model {
namespace {

constexpr auto bytes = MetricKind::bytes;

constexpr MetricRow rows[] = {
    {.name = "weights_bytes",
     .kind = bytes,
     .unit = "bytes",
     .help = "Memory of the program's weights.",
     .value = &Memory::weights_bytes},
    {.name = "pool_bytes",
     .kind = bytes,
     .unit = "bytes",
     .help = "Memory reserved by the pool that all batch sizes of the worker share.",
     .value = &Memory::pool_bytes,
     .family = {11, "graphbench_pool_bytes"},
     .counted = {5, "pool_bytes"}},
    {.name = "pool_bytes_private",
     .kind = bytes,
     .unit = "bytes",
     .help = "Memory that the same captures take in private pools.",
     .value = &Memory::pool_bytes_private,
     .family = {12, "graphbench_pool_private_bytes"}},
    {.name = "pool_bytes_own",
     .kind = bytes,
     .unit = "bytes",
     .help = "This cell's part of the memory that private pools take.",
     .value = &Memory::pool_bytes_own,
     .addition = true},
    {.name = "used_bytes",
     .kind = bytes,
     .unit = "bytes",
     .help = "Device memory that the worker uses, as the driver says.",
     .value = &Memory::used_bytes,
     .addition = true},
    {.name = "context_bytes",
     .kind = bytes,
     .unit = "bytes",
     .help = "Of it: the context and its streams.",
     .value = &Memory::context_bytes,
     .addition = true},
    {.name = "code_bytes",
     .kind = bytes,
     .unit = "bytes",
     .help = "Of it: code and handles of libraries, with what launching makes the driver reserve.",
     .value = &Memory::code_bytes,
     .addition = true},
    {.name = "static_bytes",
     .kind = bytes,
     .unit = "bytes",
     .help = "Of it: weights, inputs and state.",
     .value = &Memory::static_bytes,
     .addition = true},
    {.name = "workspace_bytes",
     .kind = bytes,
     .unit = "bytes",
     .help = "Of it: scratch of libraries and ops, and the buffer that empties the cache.",
     .value = &Memory::workspace_bytes,
     .addition = true},
    {.name = "pool_in_use_bytes_max",
     .kind = bytes,
     .unit = "bytes",
     .help = "The most of the shared pool that was in use at one time.",
     .value = &Memory::pool_in_use_bytes_max,
     .addition = true},
    {.name = "exec_bytes",
     .kind = bytes,
     .unit = "bytes",
     .help = "Of it: this cell's instantiated graphs.",
     .value = &Memory::exec_bytes,
     .graphs_only = true,
     .addition = true,
     .counted = {6, "exec_bytes"},
     .counted_tolerance = 0.01},
    {.name = "unaccounted_bytes",
     .kind = bytes,
     .unit = "bytes",
     .help = "Of it: what is in no account; the pool and the graphs of all batches are accounts too.",
     .value = &Memory::unaccounted_bytes,
     .addition = true},
};

}  // namespace

std::vector<MetricRow> memory_metric_rows() {
  return {std::begin(rows), std::end(rows)};
}

}  // namespace graphbench::model
