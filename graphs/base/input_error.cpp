// Quoting of what a person typed, so that no input can break a message into several lines.
#include "graphs/base/input_error.hpp"

#include "graphs/base/unseen.hpp"

namespace graphbench {

std::string in_quotes(std::string_view text) {
  std::string quoted = "\"";
  quoted += model::with_unseen_escaped(text, model::Controls::escaped);
  quoted += '"';
  return quoted;
}

std::string_view head_of(std::string_view text, std::size_t bytes_max) {
  if (text.size() <= bytes_max) return text;
  while (bytes_max > 0 && (static_cast<unsigned char>(text[bytes_max]) & 0xC0U) == 0x80U) --bytes_max;
  return text.substr(0, bytes_max);
}

}  // namespace graphbench
