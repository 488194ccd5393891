// An optional number in eight bytes. A comparison stores ten of them for each metric of each cell.
#pragma once

#include <cmath>
#include <limits>
#include <optional>

namespace graphbench::model {

// NaN means absent, so a value that is present must not be NaN.
class OptionalNumber {
 public:
  OptionalNumber() = default;
  OptionalNumber(double value) : value_(value) {}
  OptionalNumber(std::optional<double> value) : OptionalNumber(value.value_or(absent)) {}

  explicit operator bool() const { return !std::isnan(value_); }
  double operator*() const { return value_; }
  operator std::optional<double>() const { return *this ? std::optional(value_) : std::nullopt; }

 private:
  static constexpr double absent = std::numeric_limits<double>::quiet_NaN();
  double value_ = absent;
};

}  // namespace graphbench::model
