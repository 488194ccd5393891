// The options of a sweep as a document gives them, TOML or JSON: which keys there are, which values they
// take.
#pragma once

#include <cstdint>
#include <string>
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

}  // namespace graphbench::config
