// Predicts the costs of all sizes from the captures of a few. No function does I/O.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/bill/bill.hpp"

namespace graphbench::bill {

// The order of captures: one mode after the other, and in each mode every size, the largest first.
struct Order {
  std::vector<std::int64_t> sizes;  // ascending
  std::vector<std::string> modes;
};

// Chooses `count` of the sizes: the two largest, the smallest, and sizes that halve the widest gaps.
std::vector<std::int64_t> sample_of(const std::vector<std::int64_t>& sizes, std::size_t count);

struct PredictSettings {
  double confidence = 0.99;
  double quantum_bytes = 0;  // the granularity of the driver's memory figures; 0: they are exact
};

// `captures`: the measured captures in their order. Each mode has the sizes that sample_of() chose.
// docs/reference/bill.md describes the model.
Prediction predict(const Order& order, const std::vector<Capture>& captures, const PredictSettings& settings);

// The peak of device memory above the start, from what captures keep and what they take temporarily.
double peak_of(const std::vector<Capture>& captures);
Growth growth_of(const std::vector<Capture>& captures);
model::Setup setup_of(const std::vector<Capture>& captures);

// `of` is the memory before the first capture. Adds the measured or predicted growth in all captures to it.
Account account_of(Account of, const Growth& growth, const std::vector<Capture>& captures);

Measured measured_of(const Prediction& prediction, std::vector<Capture> captures);

// Chooses at most half of the predicted sizes, so that steps with these numbers of `rows` take the least
// total time. Absent if fewer than two sizes are predicted.
std::optional<Trade> trade_of(const Prediction& told, const std::vector<std::int64_t>& rows);

// `captures`: those after the last cycle.
Sleep sleep_of(std::vector<Cycle> cycles, const std::vector<Capture>& captures, Outputs outputs);
// " After 3 cycles ...", which follows the bill's sentence.
std::string sleep_text(const Sleep& sleep);

// "Reserve 1.46 GiB (99 %): 51 sizes take 1.42 +- 0.02 GiB and 7.9 s."
std::string sentence_of(const Bill& bill);

}  // namespace graphbench::bill
