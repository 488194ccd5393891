// Compares two canaries. Pure.
#pragma once

#include <optional>
#include <vector>

#include "harness/canary/canary.hpp"

namespace graphbench::canary {

// The chance that a comparison without a change finds one in any of its floors.
inline constexpr double family_alpha = 0.01;
// Fewer values of a floor on a side are not compared.
inline constexpr std::size_t processes_min = 8;
inline constexpr std::size_t processes_max = 10'000;
// A canary is blind if it would not have found this relative change of a floor.
inline constexpr double blind_above = 1;

struct TestSettings {
  double alpha;  // one-sided
  double margin_min;
  int resamples = 200;  // for Change::visible; 0: it is not computed
};

// The values are positive. The hypothesis has the margin in it: NEW is slower if the lower bound of the
// ratio, by the rank test of Mann and Whitney, is above 1 + margin. The margin is the larger of the sides'
// spreads between processes, because two calls may differ as two processes do, and at least `margin_min`. A
// few processes in which all launches take longer do not widen it.
// `visible` is what 99 of 100 resamples of both sides need to be found. Absent with too few values.
std::optional<Change> change_of(const std::vector<double>& base, const std::vector<double>& now,
                                const TestSettings& settings);

// Fills in each floor's change and each probe's former answer, and the verdict with its sentence.
void compare(const Canary& base, Canary& now, int resamples = 200);

// Sets the sentence of a canary that is compared with none.
void describe_alone(Canary& canary);

int exit_code_of(Verdict verdict);

}  // namespace graphbench::canary
