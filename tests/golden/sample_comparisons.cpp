// Calls compare() with sides that are given here, so that the samples cannot differ from real comparisons.
#include "tests/golden/sample_comparisons.hpp"

#include <map>
#include <string>

#include "harness/judge/compare/compare.hpp"

namespace graphbench::samples {
namespace {

using judge::Side;
using model::CellStatus;
using model::DocumentCell;
using model::Metric;

// The factors by which the times of five launches of one cell differ.
constexpr double luck[] = {1.0, 1.002, 0.999, 1.001, 0.998};

struct Times {
  double latency = 100e-6;
  double submit = 5e-6;
  double device = 95e-6;
  double capture = 0;
};

DocumentCell cell(const std::string& id, const Times& times, int launches = 5, double spread = 1) {
  DocumentCell made;
  made.id = id;
  for (int i = 0; i < launches; ++i) {
    const double factor = 1 + (luck[i] - 1) * spread;
    made.launches.push_back({i,
                             {{Metric::latency, times.latency * factor},
                              {Metric::submit, times.submit * factor},
                              {Metric::device, times.device * factor},
                              {Metric::capture, times.capture * factor},
                              {Metric::setup, times.capture * factor * 1.5},
                              {Metric::instantiate, times.capture * factor / 2}}});
  }
  return made;
}

DocumentCell not_ok(const std::string& id, CellStatus state, const std::string& reason) {
  DocumentCell made;
  made.id = id;
  made.state = state;
  made.reason = reason;
  return made;
}

Side side(const std::string& source, const std::string& commit) {
  Side made;
  made.source = source;
  made.documents = 1;
  made.facts.tool_version = "0.1.0";
  made.facts.tool_commit = commit;
  made.facts.started_at = "2026-01-02T03:04:05Z";
  made.facts.fields = {{"device.kind", "cuda"},       {"device.name", "NVIDIA H200"},
                       {"device.driver", "580.159"},  {"device.libraries.cudnn", "9.14.0"},
                       {"fingerprint", "00112233aa"}, {"plan", "ccddeeff00"},
                       {"tool.version", "0.1.0"},     {"tool.commit", commit}};
  return made;
}

}  // namespace

model::Comparison mixed_comparison() {
  Side base = side("base.json", "0123456789ab");
  Side now = side("new.json", "ba9876543210");
  base.documents = 2;
  now.facts.complete = false;
  base.facts.fields["device.name"] = "NVIDIA H100";
  now.facts.fields["device.libraries.nccl"] = "2.28";
  now.facts.fields["device.driver"] = "590.10";
  now.facts.fields["fingerprint"] = "ffeedd0011";
  const auto id = [](int batch, const char* mode) {
    return "mlp/base/bf16/forward/b" + std::to_string(batch) + "/w3/" + mode;
  };
  const std::string odd = "BM_Copy<float, 'a'|\"b\">/`8`/@team #12 100%::warning::x & co";
  base.cells = {cell(id(1, "eager"), {}, 4),
                cell(id(1, "whole"), {90e-6, 1e-6, 88e-6, 60e-6}),
                cell(id(2, "eager"), {}, 5, 12),
                cell(id(2, "whole"), {90e-6, 1e-6, 88e-6, 60e-6}),
                cell("mlp/base/bf16/forward/b2/w10/whole", {90e-6, 1e-6, 88e-6, 60e-6}),
                cell(id(4, "eager"), {}),
                cell(id(4, "whole"), {}),
                cell(id(8, "eager"), {}),
                not_ok(id(8, "whole"), CellStatus::failed, "worker_crashed: it died of signal 11"),
                cell(id(32, "whole"), {}),
                cell(id(64, "whole"), {100e-6, 5e-6, 0, 0}),
                cell(odd, {1.5, 0, 0, 0}),
                not_ok(id(512, "whole"), CellStatus::failed, "out_of_memory: 3 GB of 2 GB"),
                not_ok(id(2, "piecewise"), CellStatus::failed, "out_of_memory: 9 GB")};
  now.cells = {
      cell(id(1, "eager"), {105e-6, 5.01e-6, 100e-6, 0}),
      cell(id(1, "whole"), {90e-6, 1.1e-6, 88e-6, 50e-6}),
      cell(id(2, "eager"), {103e-6, 5e-6, 95e-6, 0}, 5, 12),
      cell(id(2, "whole"), {112.5e-6, 1e-6, 110e-6, 60e-6}),
      cell("mlp/base/bf16/forward/b2/w10/whole", {110e-6, 1e-6, 88e-6, 60e-6}),
      not_ok(id(4, "eager"), CellStatus::failed, "capture_failed: line one\nline two | **bold**\x01"),
      not_ok(id(4, "whole"), CellStatus::skipped, "not_capturable: op sync"),
      cell(id(8, "whole"), {}),
      cell(id(16, "whole"), {}),
      cell(id(32, "whole"), {100e-6, 0, 0, 60e-6}),
      cell(id(64, "whole"), {}),
      cell(odd, {18.75, 0, 0, 0}),
      not_ok(id(2, "piecewise"), CellStatus::failed, "out_of_memory: 9 GB")};
  base.cells[1].counts = {{"nodes", {24}}, {"pool_bytes", {2 << 20}}, {"exec_bytes", {900'000, 45'000}}};
  now.cells[1].counts = {{"nodes", {26}}, {"pool_bytes", {4 << 20}}, {"exec_bytes", {905'000, 45'000}}};
  base.cells[1].paths = "linear:own x16";
  now.cells[1].paths = "linear:cublaslt x8, linear:own x8";
  now.cells[2].throttled = "hw_thermal+power";
  base.facts.clocks.launches = now.facts.clocks.launches = 50;
  base.facts.fields["hostname"] = "one";
  now.facts.fields["hostname"] = "two";
  model::ComparisonSettings settings;
  settings.allow = {"device.name"};
  model::Comparison comparison = judge::compare(base, now, settings);
  // As eight launches would show.
  comparison.means[0].base_spread = 0.004;
  comparison.means[0].new_spread = 0.003;
  comparison.means[0].spread_p = 1;
  return comparison;
}

model::Comparison same_comparison() {
  Side base = side("base.json", "0123456789ab");
  base.cells = {cell("conv/base/bf16/forward/b1/w0/eager", {}),
                cell("conv/base/bf16/forward/b1/w0/whole", {90e-6, 1e-6, 88e-6, 60e-6})};
  Side now = base;
  now.source = "new";
  now.documents = 5;
  return judge::compare(base, now, {});
}

model::Comparison single_launch_comparison() {
  Side base = side("base.json", "0123456789ab");
  base.cells = {cell("conv/base/bf16/forward/b1/w0/whole", {90e-6, 1e-6, 88e-6, 60e-6}, 1)};
  Side now = base;
  now.cells.front().launches.front()[model::Metric::latency] = 99e-6;
  now.facts.complete = false;
  model::ComparisonSettings settings;
  settings.strict = true;
  return judge::compare(base, now, settings);
}

model::Comparison incomparable_comparison() {
  Side base = side("base.json", "0123456789ab");
  base.cells = {cell("conv/base/bf16/forward/b1/w0/whole", {})};
  Side now = base;
  now.facts.fields["device.name"] = "NVIDIA H100";
  now.facts.fields["plan"] = "another";
  model::ComparisonSettings settings;
  settings.allow = {"plan"};
  return judge::compare(base, now, settings);
}

model::Comparison large_comparison(std::int64_t cells) {
  model::Comparison comparison = mixed_comparison();
  std::map<model::Verdict, model::MetricComparison> metrics;
  for (const model::CellComparison& cell : comparison.cells) {
    for (const model::MetricComparison& metric : cell.metrics) metrics[metric.verdict] = metric;
  }
  comparison.cells.clear();
  comparison.means.clear();
  comparison.differences.clear();
  comparison.now.complete = true;
  for (std::int64_t i = 0; i < cells; ++i) {
    model::CellComparison& slower = comparison.cells.emplace_back();
    slower.id = "mlp/base/bf16/forward/b" + std::to_string(i) + "/w3/whole";
    for (const model::Verdict verdict :
         {model::Verdict::slower, model::Verdict::same, model::Verdict::inconclusive})
      slower.metrics.push_back(metrics.at(verdict));
    slower.metrics.front().ratio = 1.03 + 0.0001 * static_cast<double>(i % 997);
    model::CellComparison lost;
    lost.id = lost.family = slower.id + "/" + std::string(60, '|');
    lost.coverage = model::Coverage::failed_now;
    lost.regression = true;
    lost.reason = std::string(70, '@');
    comparison.cells.push_back(lost);
  }
  comparison.counts = {};
  comparison.counts.compared = comparison.counts.failed_now = comparison.counts.coverage_regressions = cells;
  comparison.counts.slower = comparison.counts.same = comparison.counts.inconclusive = cells;
  comparison.verdict = model::verdict_of(comparison.counts);
  comparison.headline = std::string(600, '@');
  return comparison;
}

}  // namespace graphbench::samples
