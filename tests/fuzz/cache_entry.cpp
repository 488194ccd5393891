// libFuzzer target: whatever a file of the cache holds, it is an entry that is written the same again, or
// refused with a reason.
#include "graphs/device/cache/entry.hpp"
#include "tests/fuzz/target.hpp"

void graphbench::fuzz::hold(std::string_view text) {
  const cache::Reading reading = cache::decode(text);
  expect(reading.entry ? cache::encode(*reading.entry) == text : !reading.why_not.empty());
}
