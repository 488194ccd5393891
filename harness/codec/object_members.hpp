// One JSON object cut into its members, without reading what lies below: for texts that carry documents.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/codec/parse_document.hpp"

namespace graphbench::codec {

struct Member {
  enum class Kind { text, truth, object, other } kind = Kind::other;
  std::string name;
  std::string text;      // of a text, unescaped
  bool truth = false;    // of a truth value
  std::string_view raw;  // of an object, as it is written: whether it is JSON is not known yet
};

// In the order of the text, which text_padding readable bytes follow and which `raw` points into. Absent
// where it is not one object and nothing else. Throws InputError for a name that is given twice.
std::optional<std::vector<Member>> members_of(std::string_view text);

}  // namespace graphbench::codec
