// What libFuzzer calls. Inputs are as long as readers take them, which random changes alone do not reach
// within seconds: now and then a part is repeated, and what recurses over its input, or takes more than its
// share of time for it, ends by that.
#include <algorithm>
#include <random>

#include "tests/fuzz/target.hpp"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t size_max);

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t size_max,
                                               unsigned int seed) {
  // A long input takes the time of many short ones.
  constexpr unsigned int every = 16;
  constexpr std::size_t short_max = 4096;
  constexpr std::size_t part_max = 8;
  std::minstd_rand random(seed);
  if (size == 0 || random() % every != 0)
    return LLVMFuzzerMutate(data, size, std::min(std::max(size, short_max), size_max));
  const std::size_t long_max = std::max(size, size_max >> random() % 4);  // as many of each length
  const std::size_t begin = random() % size;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::string_view part = text.substr(begin, 1 + random() % part_max);
  std::string longer(text.substr(0, begin));
  while (longer.size() + part.size() + size - begin <= long_max) longer += part;
  longer += text.substr(begin);
  std::copy(longer.begin(), longer.end(), data);
  return longer.size();
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  graphbench::fuzz::hold({reinterpret_cast<const char*>(data), size});
  return 0;
}
