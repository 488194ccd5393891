// The cost of all sizes from those of a few. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/bill/bill.hpp"

namespace graphbench::bill {

// What is to be captured: every size in each mode, one mode after the other, the largest size first.
struct Order {
  std::vector<std::int64_t> sizes;  // ascending
  std::vector<std::string> modes;
};

// `count` of the sizes: the two largest, the smallest, and those that halve the gaps between these.
std::vector<std::int64_t> sample_of(const std::vector<std::int64_t>& sizes, std::size_t count);

struct PredictSettings {
  double confidence = 0.99;  // of the interval
  double quantum_bytes = 0;  // what the driver takes memory in; 0: every byte is known
};

// `captures`: those made, in their order; each mode has the same sizes, as sample_of() chooses them.
// docs/reference/bill.md has the model.
Prediction predict(const Order& order, const std::vector<Capture>& captures, const PredictSettings& settings);

// The most memory above the start that captures need at any time: what earlier ones left, and their own.
double peak_of(const std::vector<Capture>& captures);
Growth growth_of(const std::vector<Capture>& captures);
model::Setup setup_of(const std::vector<Capture>& captures);

Measured measured_of(const Prediction& prediction, std::vector<Capture> captures);

// Half of the sizes at most, those of least step time for steps of these rows. Absent below two sizes.
std::optional<Trade> trade_of(const Prediction& told, const std::vector<std::int64_t>& rows);

// "Reserve 1.46 GiB (99 %): 51 sizes take 1.42 +- 0.02 GiB and 7.9 s."
std::string sentence_of(const Bill& bill);

}  // namespace graphbench::bill
