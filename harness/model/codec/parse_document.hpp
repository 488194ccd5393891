// Reads a result document of a file or text: every cell, or the parts that a comparison needs. Also splits a
// JSON object into its members, so that a member that is a document can be parsed by itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/model/codec/document.hpp"
#include "harness/model/result.hpp"

namespace graphbench::model {

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

// Users must split a larger document into a folder of documents.
inline constexpr std::int64_t document_bytes_max = std::int64_t{1} << 30;

// Throws InputError with the file's name and the text of `error`, which is an errno.
[[noreturn]] void cannot_read(const std::string& path, int error);

// Throws InputError unless the text is one JSON object that is nested at most nesting_max levels deep. Call
// it before a parser that recurses: such a parser needs stack for each level of a document from elsewhere.
void check_json(std::string_view text, const std::string& source);

// Throws InputError if the file cannot be read or is larger than document_bytes_max. Does not wait for a
// process that opens a named pipe for writing.
PaddedText read_text(const std::string& path);

// A cell, a ladder or a bill. Ladders and bills have their compared values under the same keys as cells.
struct ReadCell {
  std::string id;
  CellResult result{};
  std::string_view text;
  bool is_ladder = false;  // true for a ladder and for a bill
};
using CellVisitor = std::function<void(ReadCell&&)>;

// Decodes each cell by its description, checks it, and visits it, so that only one cell is in memory at a
// time. Returns the result without cells. text_padding readable bytes must follow `text`.
// Throws InputError like parse_document(), after it has visited the cells before the fault.
Result walk_document(std::string_view text, const std::string& source, const CellVisitor& visit);

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

}  // namespace graphbench::model
