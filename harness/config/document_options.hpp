// The options of a sweep as a document gives them, TOML or JSON: which keys there are, which values they
// take.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "harness/config/option_table.hpp"
#include "harness/config/options.hpp"

namespace graphbench::config {

// A value of a document, whatever its format.
struct DocumentValue {
  using Array = std::vector<DocumentValue>;
  using Table = std::vector<std::pair<std::string, DocumentValue>>;

  std::string place;  // "sweep.toml:3"; empty where the document's lines are not known
  std::string type;   // in messages: "a string", "null"
  std::variant<std::monostate, bool, std::int64_t, double, std::string, Array, Table> value = {};
};

// `more`: keys beside the options. Throws InputError, which begins with the place, for an unknown key (with
// the nearest known one) and for a value of the wrong type.
RawOptions options_of(const DocumentValue::Table& document, const std::vector<OptionSpec>& more = {});

// Throws InputError naming FILE:LINE: a file that cannot be read, malformed TOML, an unknown key (with
// the nearest known one), a value of the wrong type.
RawOptions read_toml_file(const std::string& path);

// The same from text; `path` is only for messages. `more`: keys beside the options of a sweep.
RawOptions parse_toml(const std::string& text, const std::string& path,
                      const std::vector<OptionSpec>& more = {});

// The line, from 1, of the first byte beyond ASCII outside strings and comments. toml++ 3.3 runs
// into undefined behaviour on such letters (U+0185 in a bare key), so that it must not see them.
std::optional<std::size_t> line_of_misplaced_letter(std::string_view toml);

}  // namespace graphbench::config
