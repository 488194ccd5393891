// libFuzzer target: whatever a traffic file holds, it is steps of the sizes it names, or of one runtime
// mode's, or one line that says why not.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "graphs/base/text.hpp"
#include "harness/ladder/traffic.hpp"

namespace {

void check(const graphbench::ladder::Traffic& traffic) {
  using namespace graphbench;
  const ladder::Trace trace = ladder::make_trace(traffic, {.steps = 100, .rate = {}});
  if (trace.rows.empty() || trace.rows.size() > 100) std::abort();
  for (const std::int64_t rows : trace.rows) {
    if (rows < 1 || rows > ladder::size_max) std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace graphbench;
  try {
    const ladder::Traffic traffic =
        ladder::parse_traffic_file("traffic", {reinterpret_cast<const char*>(data), size});
    check(traffic);
    double steps = 0, of_modes = 0;
    for (const auto& [size, count] : traffic.histogram) steps += count;
    for (const auto& [mode, sizes] : traffic.modes) {
      const ladder::Traffic chosen = ladder::choose_modes("mode", {mode}, traffic);
      check(chosen);
      for (const auto& [size, count] : chosen.histogram) of_modes += count;
    }
    if (!traffic.modes.empty() && steps != of_modes) std::abort();
  } catch (const InputError& error) {
    if (std::string_view(error.what()).find('\n') != std::string_view::npos) std::abort();
  }
  return 0;
}
