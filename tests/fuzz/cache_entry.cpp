// libFuzzer target: a cache file is an entry, which encode() writes again with the same bytes, or refused.
#include "graphs/device/cache/entry.hpp"
#include "tests/fuzz/target.hpp"

void graphbench::fuzz::hold(std::string_view text) {
  const cache::Reading reading = cache::decode(text);
  expect(reading.entry ? cache::encode(*reading.entry) == text : !reading.why_not.empty());
}
