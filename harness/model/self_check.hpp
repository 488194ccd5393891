// What `graphbench selfcheck` found, as plain data: how settings do on this machine where nothing
// changed. Changes are fractions (0.02 is 2 %); optional means absent.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/model/comparison.hpp"

namespace graphbench::model {

// Comparisons of the binary with itself, and how many of them called something slower or faster: both
// are false alarms, because there was no change.
struct AlarmCount {
  std::int64_t comparisons = 0;
  std::int64_t slower = 0;  // comparisons with anything slower: CI would have failed
  std::int64_t faster = 0;
};

// One metric over all cells and rounds.
struct MetricCheck {
  Metric metric = Metric::latency;
  std::int64_t cells = 0;   // that have the metric
  std::int64_t tests = 0;   // cells times rounds
  std::int64_t slower = 0;  // tests that said so
  std::int64_t faster = 0;
  std::int64_t same = 0;
  std::int64_t inconclusive = 0;
  double margin = 0;  // as asked
  // The spread of a pair of launches, as a standard deviation of the logarithm of their ratio.
  std::optional<double> spread_median;
  std::optional<double> spread_worst;
  // The smallest change that would be found in 4 of 5 comparisons: of a cell its median over rounds.
  std::optional<double> detectable_median;
  std::optional<double> detectable_worst;
  std::string worst_cell;
  // Launches a side with which twice the margin would be found in 4 of 5 comparisons; absent: more than
  // can be asked for.
  std::optional<std::int64_t> launches_median;
  std::optional<std::int64_t> launches_worst;
};

struct SelfCheck {
  std::string tool_version;
  std::string tool_commit;
  std::string started_at;  // RFC 3339, UTC
  std::string finished_at;
  std::string device_name;
  std::string fingerprint;
  std::string plan_hash;
  std::int64_t rounds = 0;  // measured to their end
  std::int64_t rounds_asked = 0;
  std::int64_t launches = 0;  // a side and round
  std::int64_t cells = 0;
  std::int64_t cells_failed = 0;
  ComparisonSettings settings;
  AlarmCount measured;  // one a round
  // The same launches with the names of the sides exchanged in some of the pairs: had a coin decided
  // the names, each of these would have been as likely as the one that was measured.
  AlarmCount renamed;
  // The 95 % upper bound of the measured rate of comparisons with anything slower (Clopper-Pearson).
  double slower_rate_max = 1;
  std::vector<MetricCheck> metrics;  // in the order of all_metrics; those that no cell has are absent
};

}  // namespace graphbench::model
