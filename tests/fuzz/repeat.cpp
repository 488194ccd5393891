// Defines what libFuzzer calls. Random changes alone do not reach the allowed length within seconds, so some
// mutations repeat a part of the input, which ends a reader that recurses too deeply or is too slow.
#include <algorithm>
#include <random>

#include "tests/fuzz/target.hpp"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t size_max);

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t size_max,
                                               unsigned int seed) {
  // Repeats a part in only one of 16 mutations, because a long input takes the time of many short ones.
  constexpr unsigned int every = 16;
  constexpr std::size_t short_max = 4096;
  constexpr std::size_t part_max = 8;
  std::minstd_rand random(seed);
  if (size == 0 || random() % every != 0)
    return LLVMFuzzerMutate(data, size, std::min(std::max(size, short_max), size_max));
  const std::size_t long_max = std::max(size, size_max >> random() % 4);  // four lengths, equally likely
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
