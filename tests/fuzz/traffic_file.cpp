// libFuzzer target: whatever a traffic file holds, it is steps of the sizes it names or one line that says
// why not.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "harness/ladder/traffic.hpp"
#include "harness/model/input_error.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace graphbench;
  try {
    const ladder::Traffic traffic =
        ladder::parse_traffic_file("traffic", {reinterpret_cast<const char*>(data), size});
    const ladder::Trace trace = ladder::make_trace(traffic, {.steps = 100, .rate = {}});
    if (trace.rows.empty() || trace.rows.size() > 100) std::abort();
    for (const std::int64_t rows : trace.rows) {
      if (rows < 1 || rows > ladder::size_max) std::abort();
    }
  } catch (const InputError& error) {
    if (std::string_view(error.what()).find('\n') != std::string_view::npos) std::abort();
  }
  return 0;
}
