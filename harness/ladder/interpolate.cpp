// Interpolates step times. Boost's pchip needs at least four points.
#include "harness/ladder/interpolate.hpp"

#include <boost/math/interpolators/pchip.hpp>

namespace graphbench::ladder {

StepTimes::StepTimes(std::map<std::int64_t, double> measured) : measured_(std::move(measured)) {
  if (measured_.size() < 4) return;
  std::vector<double> sizes;
  std::vector<double> seconds;
  for (const auto& [size, time] : measured_) {
    sizes.push_back(static_cast<double>(size));
    seconds.push_back(time);
  }
  curve_ = boost::math::interpolators::pchip<std::vector<double>>(std::move(sizes), std::move(seconds));
}

std::optional<double> StepTimes::at(std::int64_t size) const {
  const auto above = measured_.lower_bound(size);
  if (above == measured_.end()) return std::nullopt;
  if (above->first == size) return above->second;
  if (above == measured_.begin()) return std::nullopt;
  if (curve_) return curve_(static_cast<double>(size));
  const auto below = std::prev(above);
  const double part =
      static_cast<double>(size - below->first) / static_cast<double>(above->first - below->first);
  return below->second + part * (above->second - below->second);
}

void add_expectations(LadderLaunch& launch) {
  std::map<std::int64_t, double> measured;
  bool complete = true;
  double expected = 0;
  for (const LadderSize& size : launch.sizes) {
    if (size.step_seconds) measured[size.size] = *size.step_seconds;
    complete = complete && (size.uses == 0 || size.step_seconds);
    complete = complete && (size.warmups == 0 || size.eager_seconds);
    expected += static_cast<double>(size.uses) * size.step_seconds.value_or(0) +
                static_cast<double>(size.warmups) * size.eager_seconds.value_or(0);
  }
  for (const LadderEager& eager : launch.eager) {
    complete = complete && (eager.uses == 0 || eager.step_seconds);
    expected += static_cast<double>(eager.uses) * eager.step_seconds.value_or(0);
  }
  if (!complete) return;
  launch.predicted_seconds = expected;
  if (measured.empty()) return;
  const double smallest = measured.begin()->second;
  const StepTimes times(std::move(measured));
  double padding = 0;
  for (const LadderSize& size : launch.sizes) {
    for (const RowCount& each : size.rows) {
      // Below the smallest measured size there are no times: such rows count with that size's time.
      if (each.rows < size.size)
        padding +=
            static_cast<double>(each.count) * (*size.step_seconds - times.at(each.rows).value_or(smallest));
    }
  }
  launch.padding.seconds = padding;
}

}  // namespace graphbench::ladder
