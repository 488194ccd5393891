// The container of a package: named sections behind a head that people can read. Pure: bytes in, bytes out.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace graphbench::package {

struct Section {
  std::string name;  // "manifest"
  std::string content;
};

// A head with the length and SHA-256 of each section and one of itself, and behind it the sections.
std::string encode(const std::vector<Section>& sections);

// Accepts exactly what encode() gives. Throws Error(invalid_argument) that says what is wrong and in which
// section.
std::vector<Section> decode(std::string_view text);

}  // namespace graphbench::package
