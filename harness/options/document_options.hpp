// The options of a sweep as a document gives them, TOML or JSON: its keys, and the values that they take.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "harness/options/option_table.hpp"
#include "harness/options/options.hpp"

namespace graphbench::config {

// A value of a document, whatever its format.
struct DocumentValue {
  using Array = std::vector<DocumentValue>;
  using Table = std::vector<std::pair<std::string, DocumentValue>>;

  std::string place;  // "sweep.toml:3"; empty if the document's lines are not known
  std::string type;   // in messages: "a string", "null"
  std::variant<std::monostate, bool, std::int64_t, double, std::string, Array, Table> value = {};
};

// `more`: keys beside the options. Throws InputError, which begins with the place, for an unknown key (with
// the nearest known one) and for a value of the wrong type.
RawOptions options_of(const DocumentValue::Table& document, const std::vector<OptionSpec>& more = {});

// Throws InputError naming FILE:LINE: a file that cannot be read, malformed TOML, an unknown key (with
// the nearest known one), a value of the wrong type.
RawOptions read_toml_file(const std::string& path);

// Reads a text; `path` is only for messages. `more` are keys beside the options of a sweep.
RawOptions parse_toml(const std::string& text, const std::string& path,
                      const std::vector<OptionSpec>& more = {});

// Finds text, outside of strings and comments, that toml++ 3.3 must not see, with its line (from 1). Bytes
// beyond ASCII run it into undefined behaviour (U+0185 in a bare key). Keys of thousands of parts, which it
// does not count, end the process, because it walks them recursively.
struct TomlFault {
  std::size_t line = 0;
  std::string why;
};
std::optional<TomlFault> fault_before_parsing(std::string_view toml);

}  // namespace graphbench::config
