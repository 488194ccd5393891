// The words, numbers and names that the text of a program is made of: a writer and a reader with the same
// members, so that one description serves both. Internal to graphs/ir.
#pragma once

#include <algorithm>
#include <charconv>
#include <concepts>
#include <string>
#include <string_view>
#include <utility>

#include "graphs/base/error.hpp"
#include "graphs/ir/program.hpp"

namespace graphbench::ir::text {

inline constexpr std::string_view hex_digits = "0123456789abcdef";

inline constexpr std::string_view place_names[] = {"pre", "post_accumulate"};
inline std::string_view name_of(HookPlace place) noexcept {
  return place_names[static_cast<std::size_t>(place)];
}
inline constexpr std::string_view fill_names[] = {"uniform", "constant"};
inline std::string_view name_of(Init::Kind kind) noexcept {
  return fill_names[static_cast<std::size_t>(kind)];
}

template <typename T>
concept Number = std::integral<T> || std::floating_point<T>;

class Writer {
 public:
  void word(std::string_view word) {
    if (!text_.empty() && text_.back() != '\n') text_ += ' ';
    text_ += word;
  }
  template <Number T>
  void number(const T& value) {
    char digits[32];
    word({digits, std::to_chars(digits, digits + sizeof(digits), value).ptr});
  }
  void flag(const bool& value) { word(value ? "1" : "0"); }
  void name(const std::string& name) {
    std::string quoted = "\"";
    for (const char c : name) {
      const auto byte = static_cast<unsigned char>(c);
      if (byte >= 0x20 && c != '"' && c != '\\') {
        quoted += c;
      } else {
        quoted.append(1, '\\').append(1, hex_digits[byte >> 4]).append(1, hex_digits[byte & 15]);
      }
    }
    word(quoted + '"');
  }
  template <typename Enum>
  void choice(const Enum& value, Enum /*last*/) {
    word(name_of(value));
  }
  template <typename List>
  void count(const List& list) {
    number(list.size());
  }
  void attribute(const Attribute& value) {
    if (const auto* integer = std::get_if<std::int64_t>(&value)) {
      word("integer");
      number(*integer);
    } else if (const auto* real = std::get_if<double>(&value)) {
      word("real");
      number(*real);
    } else {
      word("text");
      name(std::get<std::string>(value));
    }
  }
  void attributes(const Attributes& attributes) {
    count(attributes);
    for (const auto& [key, value] : attributes) {
      name(key);
      attribute(value);
    }
  }
  void end_line() { text_ += '\n'; }
  std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

class Reader {
 public:
  explicit Reader(std::string_view text) : rest_(text) {}

  [[noreturn]] void refuse(const std::string& why) const {
    throw Error(ErrorCode::invalid_argument, "line " + std::to_string(line_) + ": " + why);
  }
  void word(std::string_view wanted) {
    blank();
    if (!rest_.starts_with(wanted)) refuse("\"" + std::string(wanted) + "\" is missing");
    rest_.remove_prefix(wanted.size());
    started_ = true;
  }
  template <Number T>
  void number(T& value) {
    const std::string_view text = token();
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size()) refuse("a number is missing");
  }
  void flag(bool& value) {
    const std::string_view text = token();
    if (text != "0" && text != "1") refuse("a 0 or 1 is missing");
    value = text == "1";
  }
  void name(std::string& name) {
    blank();
    if (!rest_.starts_with('"')) refuse("a name in quotes is missing");
    rest_.remove_prefix(1);
    name.clear();
    for (;;) {
      if (rest_.empty() || rest_.front() == '\n') refuse("a name has no end");
      const char c = rest_.front();
      rest_.remove_prefix(1);
      if (c == '"') break;
      name += c == '\\' ? escaped() : c;
    }
    started_ = true;
  }
  template <typename Enum>
  void choice(Enum& value, Enum last) {
    const std::string_view text = token();
    for (unsigned i = 0; i <= static_cast<unsigned>(last); ++i) {
      value = static_cast<Enum>(i);
      if (name_of(value) == text) return;
    }
    refuse("\"" + std::string(text) + "\" is none of the words that may stand there");
  }
  // Each of a list takes a byte at least, so a text cannot ask for more memory than it is long, by much.
  template <typename List>
  void count(List& list) {
    list.resize(counted());
  }
  void attributes(Attributes& attributes) {
    for (std::size_t left = counted(); left > 0; --left) {
      std::string key;
      name(key);
      const std::string_view type = token();
      Attribute& value = attributes[key];
      if (type == "integer") {
        number(value.emplace<std::int64_t>());
      } else if (type == "real") {
        number(value.emplace<double>());
      } else if (type == "text") {
        name(value.emplace<std::string>());
      } else {
        refuse("attribute " + key + " has no type");
      }
    }
  }
  void end_line() {
    if (!rest_.starts_with('\n')) refuse(rest_.empty() ? "it is cut short" : "the line goes on");
    rest_.remove_prefix(1);
    ++line_;
    started_ = false;
  }
  bool at_end() const { return rest_.empty(); }
  std::size_t line() const { return line_; }

 private:
  void blank() {
    if (started_ && !rest_.starts_with(' '))
      refuse(rest_.empty() ? "it is cut short" : "the line ends too soon");
    if (started_) rest_.remove_prefix(1);
  }
  std::string_view token() {
    blank();
    const std::string_view found = rest_.substr(0, std::min(rest_.find_first_of(" \n"), rest_.size()));
    rest_.remove_prefix(found.size());
    started_ = true;
    return found;
  }
  char escaped() {
    const auto high = rest_.size() < 2 ? std::string_view::npos : hex_digits.find(rest_[0]);
    const auto low = rest_.size() < 2 ? std::string_view::npos : hex_digits.find(rest_[1]);
    if (high == std::string_view::npos || low == std::string_view::npos)
      refuse("a name holds half a character");
    rest_.remove_prefix(2);
    return static_cast<char>(high << 4 | low);
  }
  std::size_t counted() {
    std::size_t count = 0;
    number(count);
    if (count > rest_.size()) refuse("it says that more follow than do");
    return count;
  }

  std::string_view rest_;
  std::size_t line_ = 1;
  bool started_ = false;  // the line has a word already
};

}  // namespace graphbench::ir::text
