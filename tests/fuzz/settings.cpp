// libFuzzer target: whatever is written after --margin, --floor, --alpha or --allow, it is settings or
// one line that says why not.
#include "harness/judge/compare/settings.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "graphs/base/text.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace graphbench;
  const std::string text(reinterpret_cast<const char*>(data), size);
  for (const auto set : {compare::set_margins, compare::set_floors, compare::set_alpha, compare::set_allow}) {
    model::ComparisonSettings settings;
    try {
      set(text, settings);
      for (const model::MetricSettings& metric : settings.metrics) {
        if (!(metric.margin >= 0 && metric.floor_seconds >= 0)) std::abort();
      }
    } catch (const InputError& error) {
      if (std::string_view(error.what()).find('\n') != std::string_view::npos) std::abort();
    }
  }
  return 0;
}
