// libFuzzer target: any value of --margin, --floor, --alpha or --allow is accepted, or refused on one line.
#include "harness/judge/compare/settings.hpp"

#include "tests/fuzz/target.hpp"

void graphbench::fuzz::hold(std::string_view bytes) {
  const std::string text(bytes);
  for (const auto set : {judge::set_margins, judge::set_floors, judge::set_alpha, judge::set_allow}) {
    model::ComparisonSettings settings;
    try {
      set(text, settings);
      for (const model::MetricSettings& metric : settings.metrics)
        expect(metric.margin >= 0 && metric.floor_seconds >= 0);
    } catch (const InputError& error) {
      expect(is_one_line(error.what()));
    }
  }
}
