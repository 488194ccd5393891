// Questions about any list: what the standard library has from C++23 on.
#pragma once

#include <algorithm>
#include <functional>
#include <ranges>
#include <string>
#include <string_view>
#include <utility>

namespace graphbench {

template <std::ranges::input_range List, typename Value>
constexpr bool contains(const List& list, const Value& value) {
  return std::ranges::find(list, value) != std::ranges::end(list);
}

// "a, b, c"; `text_of` is called with each element, and returns what can be appended to a string.
template <std::ranges::input_range List, typename TextOf = std::identity>
std::string join(const List& list, std::string_view separator = ", ", TextOf text_of = {}) {
  std::string text;
  bool is_first = true;
  for (const auto& each : list) {
    if (!std::exchange(is_first, false)) text += separator;
    text += std::invoke(text_of, each);
  }
  return text;
}

}  // namespace graphbench
