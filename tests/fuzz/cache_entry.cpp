// libFuzzer target: whatever a file of the cache holds, it is an entry that is written the same again, or
// refused with a reason.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "graphs/device/cache/entry.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace graphbench;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const cache::Reading reading = cache::decode(text);
  if (reading.entry ? cache::encode(*reading.entry) != text : reading.why_not.empty()) std::abort();
  return 0;
}
