// Google Benchmark's JSON: repetitions of a benchmark become one launch, because they ran in one process.
#include <algorithm>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>

#include "harness/model/input_error.hpp"
#include "harness/statistics/quantiles.hpp"
#include "harness/verdict/compare/facts.hpp"
#include "harness/verdict/foreign/foreign_documents.hpp"

namespace graphbench::compare {
namespace {

using Value = codec::JsonWalk::Value;

// One entry of "benchmarks": a repetition, or an aggregate over them.
struct Run {
  std::string name;
  std::string run_name;
  std::string type = "iteration";
  std::string aggregate;
  std::string unit;
  std::string message;
  CellState state = CellState::ok;
  double time = 0;
  std::int64_t repetition = -1;
};

// The runs of one benchmark.
struct Benchmark {
  std::string name;
  std::vector<double> seconds;
  std::set<std::int64_t> repetitions;
  std::optional<double> median_seconds;  // where only aggregates were written
  CellState state = CellState::ok;
  std::string reason;
};

class GoogleBenchmarkReader {
 public:
  explicit GoogleBenchmarkReader(const std::string& source) : walk_(source) {
    document_.source = source;
    document_.facts.fields["tool.name"] = "google-benchmark";
    document_.facts.fields["device.kind"] = "host";
  }

  Document read(std::string_view text) {
    walk_.padded_document(text, [&](std::string_view key, Value value) {
      if (key == "context") return read_context(value);
      if (key != "benchmarks") return walk_.skip(value);
      walk_.each_element(value, [&](Value run) { add(read_run(run)); });
    });
    for (const Benchmark& benchmark : benchmarks_) add_cell(benchmark);
    check_cells(walk_, document_);
    return std::move(document_);
  }

 private:
  void read_context(Value value) {
    std::string version;
    std::string build;
    walk_.each_field(value, [&](std::string_view key, Value field) {
      DocumentFacts& facts = document_.facts;
      if (key == "date") {
        facts.started_at = walk_.text_or_empty(field);
      } else if (key == "host_name") {
        facts.fields["hostname"] = walk_.text_or_empty(field);
      } else if (key == "num_cpus") {
        facts.fields["cores"] = walk_.fact(field);
      } else if (key == "cpu_scaling_enabled") {
        facts.fields["machine.governor"] = walk_.truth(field) ? "scaling" : "fixed";
      } else if (key == "library_version") {
        version = walk_.text_or_empty(field);
      } else if (key == "library_build_type") {
        build = walk_.text_or_empty(field);
      } else {
        walk_.skip(field);
      }
    });
    document_.facts.tool_version = version;
    document_.facts.fields["tool.version"] = version;
    document_.facts.fields[std::string(library_prefix) + "benchmark"] = build;
  }

  Run read_run(Value value) {
    Run run;
    walk_.each_field(value, [&](std::string_view key, Value field) {
      if (key == "name") {
        run.name = walk_.text(field);
      } else if (key == "run_name") {
        run.run_name = walk_.text(field);
      } else if (key == "run_type") {
        run.type = walk_.text(field);
      } else if (key == "aggregate_name") {
        run.aggregate = walk_.text(field);
      } else if (key == "repetition_index") {
        run.repetition = walk_.count(field);
      } else if (key == "real_time") {
        run.time = walk_.number(field);
      } else if (key == "time_unit") {
        run.unit = walk_.text(field);
      } else {
        read_outcome(key, field, run);
      }
    });
    if (run.run_name.empty()) run.run_name = run.name;
    if (run.run_name.empty()) walk_.fail("the benchmark has no \"name\"");
    return run;
  }

  void read_outcome(std::string_view key, Value value, Run& run) {
    if (key == "error_occurred") {
      if (walk_.truth(value)) run.state = CellState::failed;
    } else if (key == "skipped") {
      if (walk_.truth(value)) run.state = std::max(run.state, CellState::skipped);
    } else if (key == "error_message" || key == "skip_message") {
      run.message = walk_.text_or_empty(value);
    } else {
      walk_.skip(value);
    }
  }

  double seconds_of(const Run& run) {
    const std::string name = "benchmark " + in_quotes(run.name);
    if (!(run.time > 0)) walk_.fail(name + " has no \"real_time\" above 0");
    const double seconds = run.time * unit_of(run);
    if (codec::JsonWalk::can_be_median(seconds)) return seconds;
    walk_.fail(name + " has a \"real_time\" that is not between a femtosecond and 30 years");
  }

  double unit_of(const Run& run) {
    if (run.unit == "ns") return 1e-9;
    if (run.unit == "us") return 1e-6;
    if (run.unit == "ms") return 1e-3;
    if (run.unit == "s") return 1;
    walk_.fail("benchmark " + in_quotes(run.name) + ": " + in_quotes(run.unit) +
               " is not a time_unit: ns, us, ms and s are");
  }

  void add(const Run& run) {
    const auto [position, is_new] = positions_.try_emplace(run.run_name, benchmarks_.size());
    if (is_new) benchmarks_.emplace_back().name = run.run_name;
    Benchmark& benchmark = benchmarks_[position->second];
    if (run.type == "aggregate") {
      if (run.aggregate != "median") return;
      if (benchmark.median_seconds) {
        walk_.fail("benchmark " + in_quotes(run.run_name) + " has two medians: names must differ");
      }
      benchmark.median_seconds = seconds_of(run);
      return;
    }
    if (run.type != "iteration") {
      walk_.fail(in_quotes(run.type) + " is not a run_type: iteration and aggregate are");
    }
    if (run.repetition >= 0 && !benchmark.repetitions.insert(run.repetition).second) {
      walk_.fail("benchmark " + in_quotes(run.run_name) + " has repetition " +
                 std::to_string(run.repetition) + " twice: names must differ");
    }
    if (run.state == CellState::ok) {
      benchmark.seconds.push_back(seconds_of(run));
    } else if (run.state > benchmark.state) {
      benchmark.state = run.state;
      benchmark.reason = (run.state == CellState::failed ? "error_occurred: " : "skipped: ") + run.message;
    }
  }

  void add_cell(const Benchmark& benchmark) {
    DocumentCell cell;
    cell.id = benchmark.name;
    cell.state = benchmark.state;
    cell.reason = benchmark.reason;
    LaunchTimes launch;
    if (!benchmark.seconds.empty()) {
      launch[model::Metric::latency] = statistics::median(benchmark.seconds);
    } else if (benchmark.median_seconds) {
      launch[model::Metric::latency] = *benchmark.median_seconds;
    } else if (cell.state == CellState::ok) {
      return;  // only aggregates that are no times, such as a fit of complexity
    }
    if (cell.state == CellState::ok) cell.launches.push_back(launch);
    document_.cells.push_back(std::move(cell));
  }

  codec::JsonWalk walk_;
  Document document_;
  std::vector<Benchmark> benchmarks_;
  std::unordered_map<std::string, std::size_t> positions_;
};

}  // namespace

Document parse_google_benchmark(std::string_view text, const std::string& source) {
  return GoogleBenchmarkReader(source).read(text);
}

}  // namespace graphbench::compare
