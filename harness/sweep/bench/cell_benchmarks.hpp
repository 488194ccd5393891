// The cells of a plan as benchmarks of Google Benchmark, run in this process: what `graphbench bench`
// is made of.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "harness/model/plan.hpp"

namespace graphbench::bench {

struct BenchOutcome {
  std::size_t matched = 0;  // benchmarks that the filter chose
  std::string why_none;     // what Google Benchmark says where there are none
  std::int64_t failed = 0;  // cells that failed; cells that graphs cannot hold do not count
};

class CellBenchmarks {
 public:
  // Registers a benchmark a cell, by the cell's id, task by task and the largest batch of each first, as
  // a worker captures. Nothing is opened or prepared yet.
  explicit CellBenchmarks(const model::Plan& plan);
  // Unregisters the benchmarks.
  ~CellBenchmarks();
  CellBenchmarks(const CellBenchmarks&) = delete;
  CellBenchmarks& operator=(const CellBenchmarks&) = delete;

  // Runs what Google Benchmark's flags choose; its reporters print. A cell's executor is prepared the
  // first time it runs, and its outputs are checked against eager's after each run of its timing loop.
  // Only one task's executors exist at a time.
  BenchOutcome run();

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace graphbench::bench
