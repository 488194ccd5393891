// Quoting of what a person typed, so that no input can break a message into several lines.
#include "harness/config/input_error.hpp"

namespace graphbench::config {

std::string in_quotes(std::string_view text) {
  static constexpr std::string_view hex = "0123456789abcdef";
  std::string result = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f) {
      result += "\\x";
      result += hex[byte >> 4];
      result += hex[byte & 15];
    } else {
      result += c;
    }
  }
  return result + "\"";
}

}  // namespace graphbench::config
