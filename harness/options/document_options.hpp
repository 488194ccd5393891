// Reads the options of a sweep from a TOML or JSON document.
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

namespace graphbench::options {

struct DocumentValue {
  using Array = std::vector<DocumentValue>;
  using Table = std::vector<std::pair<std::string, DocumentValue>>;

  std::string place;  // "sweep.toml:3"; empty if the line is not known
  std::string type;   // the type's name in messages: "a string", "null"
  std::variant<std::monostate, bool, std::int64_t, double, std::string, Array, Table> value = {};
};

// `more`: allowed keys that are not sweep options. Throws InputError for a value of the wrong type and for an
// unknown key. The message begins with the place, and names the nearest known key.
RawOptions options_of(const DocumentValue::Table& document, const std::vector<OptionSpec>& more = {});

// Throws InputError if the file cannot be read. For malformed TOML, and for the faults of options_of(), the
// message begins with FILE:LINE.
RawOptions read_toml_file(const std::string& path);

// Messages name `path`. `more`: allowed keys that are not sweep options.
RawOptions parse_toml(const std::string& text, const std::string& path,
                      const std::vector<OptionSpec>& more = {});

// A fault that can crash toml++ 3.3, so such a text must not be parsed: non-ASCII bytes outside of strings
// and comments (undefined behaviour), and keys of thousands of parts (recursion without a limit).
struct TomlFault {
  std::size_t line = 0;  // from 1
  std::string why;
};
std::optional<TomlFault> fault_before_parsing(std::string_view toml);

}  // namespace graphbench::options
