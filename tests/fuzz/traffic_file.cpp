// libFuzzer target: a traffic file gives steps, of all or of one runtime mode's sizes, or is refused.
#include "harness/ladder/traffic.hpp"
#include "tests/fuzz/target.hpp"

namespace graphbench::fuzz {
namespace {

void check(const ladder::Traffic& traffic) {
  const ladder::Trace trace = ladder::make_trace(traffic, {.steps = 100, .rate = {}});
  expect(!trace.rows.empty() && trace.rows.size() <= 100);
  for (const std::int64_t rows : trace.rows) expect(rows >= 1 && rows <= ladder::size_max);
}

}  // namespace

void hold(std::string_view text) {
  try {
    const ladder::Traffic traffic = ladder::parse_traffic_files({{"traffic", std::string(text)}});
    check(traffic);
    double steps = 0, of_modes = 0;
    for (const auto& [size, count] : traffic.histogram) steps += count;
    for (const auto& [mode, sizes] : traffic.modes) {
      const ladder::Traffic chosen = ladder::choose_modes("mode", {mode}, traffic);
      check(chosen);
      for (const auto& [size, count] : chosen.histogram) of_modes += count;
    }
    expect(traffic.modes.empty() || steps == of_modes);
  } catch (const InputError& error) {
    expect(is_one_line(error.what()));
  }
}

}  // namespace graphbench::fuzz
