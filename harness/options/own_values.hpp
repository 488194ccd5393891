// Readers of the options that belong to one command (OwnOption::read), by the type of the member.
#pragma once

#include <algorithm>
#include <functional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "graphs/base/text.hpp"
#include "harness/model/codec/description.hpp"
#include "harness/options/numbers.hpp"

namespace graphbench::options {

using ReadValue = std::function<void(const std::string& where, const std::string& text)>;

// Returns the enumerator that documents call `text`. Throws InputError.
template <typename E>
E choice(const std::string& where, const std::string& text) {
  const auto& names = model::Names<E>::names;
  const auto found = std::ranges::find(names, text);
  if (found != names.end()) return static_cast<E>(found - names.begin());
  const std::vector<std::string> known(names.begin(), names.end());
  throw InputError(where,
                   in_quotes(text) + " is unknown: give one of " + join(known) + did_you_mean(text, known));
}

inline ReadValue into(bool& target) {
  return [&target](const std::string&, const std::string&) { target = true; };
}
inline ReadValue into(std::string& target) {
  return [&target](const std::string&, const std::string& text) { target = text; };
}
template <typename E>
requires std::is_enum_v<E> ReadValue into(E& target) {
  return [&target](const std::string& where, const std::string& text) { target = choice<E>(where, text); };
}
// Takes a whole number in `range`; `advice` is parse_within()'s.
template <typename Number>
ReadValue into(Number& target, IntegerRange range, std::string advice) {
  return [&target, range, advice = std::move(advice)](const std::string& where, const std::string& text) {
    target = static_cast<Number>(parse_within(where, text, range, advice));
  };
}

}  // namespace graphbench::options
