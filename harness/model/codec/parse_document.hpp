// Reads the parts of a result document that a comparison needs. Also splits a JSON object into its members,
// so that a member that is a document can be parsed by itself.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/model/codec/document.hpp"

namespace graphbench::codec {

// The number of readable bytes that must follow a text, because the parser reads whole vector registers.
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
// The maximum nesting of lists and objects. A result document has nine levels.
inline constexpr int nesting_max = 64;

// Ignores unknown fields and the order of fields. text_padding readable bytes must follow `text`. Throws
// InputError, one line with `source`, the place and the value, for: damaged JSON anywhere, another schema,
// times that are not positive, percentiles that decrease, ok cells without launches or with outputs that
// differ, ids that contradict the cell's fields, and duplicate cell ids, launch indices or keys.
Document parse_document(std::string_view text, const std::string& source);
// Parses a copy of the text, which needs no padding.
Document parse_copy(std::string text, const std::string& source);

struct Member {
  enum class Kind { text, truth, object, other } kind = Kind::other;
  std::string name;
  std::string text;      // Kind::text: the string, with escapes replaced
  bool truth = false;    // Kind::truth
  std::string_view raw;  // Kind::object: its JSON text, which is not checked
};

// Returns the members in the text's order, or nullopt if the text is not exactly one object. Member::raw
// points into `text`. text_padding readable bytes must follow `text`. Throws InputError for a duplicate name.
std::optional<std::vector<Member>> members_of(std::string_view text);

}  // namespace graphbench::codec
