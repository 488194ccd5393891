// Reads from the text of a result document the parts that a comparison needs. Also cuts one JSON object into
// its members, for texts that carry documents.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/model/codec/document.hpp"

namespace graphbench::codec {

// How many bytes beyond the text must be readable: the parser reads whole vector registers.
inline constexpr std::size_t text_padding = 64;
class PaddedText {
 public:
  explicit PaddedText(std::string text) : size_(text.size()), bytes_(std::move(text)) {
    bytes_.resize(size_ + text_padding);
  }
  std::string_view view() const { return std::string_view(bytes_).substr(0, size_); }

 private:
  std::size_t size_;
  std::string bytes_;
};
// Containers within containers; a result document has nine.
inline constexpr int nesting_max = 64;

// Strict about JSON (all of the text is checked, also what is not read) and about the fields that are
// read; indifferent to others and to the order of fields. `text` is followed by text_padding readable
// bytes. Throws InputError, one line that names `source`, the place and the value, for anything
// else: damaged or foreign JSON, another schema version, times that are not positive or out of order, ok
// cells without launches or whose outputs differ, ids that are not what the cell's fields say, cell ids,
// launch indices or keys that repeat.
Document parse_document(std::string_view text, const std::string& source);
// Parses a text without room behind it.
Document parse_copy(std::string text, const std::string& source);

struct Member {
  enum class Kind { text, truth, object, other } kind = Kind::other;
  std::string name;
  std::string text;      // of a text, unescaped
  bool truth = false;    // of a truth value
  std::string_view raw;  // the text of an object, which may not be JSON
};

// In the order of the text, which text_padding readable bytes follow and which `raw` points into. Absent
// if it is not one object and nothing else. Throws InputError for a name that is given twice.
std::optional<std::vector<Member>> members_of(std::string_view text);

}  // namespace graphbench::codec
