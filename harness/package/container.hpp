// The container of a package: a head that people can read, and named sections. Pure: bytes in, bytes out.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace graphbench::package {

struct Section {
  std::string name;
  std::string content;
};

std::string encode(const std::vector<Section>& sections);

// Accepts only what encode() writes. Throws Error(invalid_argument), which names the fault and its section.
std::vector<Section> decode(std::string_view text);

}  // namespace graphbench::package
