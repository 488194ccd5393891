// Bad input from a person: where it stands, what it says, and what would do. Becomes exit code 2.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>

namespace graphbench {

// `what()` reads "<where>: <detail>", one line; `where` is "--batch" or "sweep.toml:3: batch".
class InputError : public std::runtime_error {
 public:
  InputError(const std::string& where, const std::string& detail)
      : std::runtime_error(where.empty() ? detail : where + ": " + detail) {}
};

// The text in double quotes, what is not seen of it escaped, so that a message stays one line.
std::string in_quotes(std::string_view text);

// At most `bytes_max` of the text, cut between characters.
std::string_view head_of(std::string_view text, std::size_t bytes_max);

}  // namespace graphbench
