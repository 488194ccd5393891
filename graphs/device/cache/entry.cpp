// Encodes an entry as lines "NAME VALUE", an empty line and the content. The digest covers the lines before
// the digest's line, and the content. A text is valid if encoding the decoded entry gives the same bytes.
#include "graphs/device/cache/entry.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "graphs/base/digest.hpp"
#include "graphs/base/error.hpp"
#include "graphs/base/text.hpp"

namespace graphbench::cache {
namespace {

constexpr std::string_view first_words = "graphbench cache ";
constexpr std::string_view version = "1";

std::string line(std::string_view name, std::string_view value) {
  return std::string(name).append(1, ' ').append(value).append(1, '\n');
}

std::string lines_of(const Key& key) {
  GRAPHBENCH_ASSERT(key.values.size() == std::size(key_parts));
  std::string text = line("kind", kind_name);
  for (std::size_t i = 0; i < key.values.size(); ++i) {
    GRAPHBENCH_ASSERT(key.values[i].find('\n') == std::string::npos);
    text += line(key_parts[i], key.values[i]);
  }
  return text;
}

class Lines {
 public:
  explicit Lines(std::string_view text) : rest_(text) {}

  // Takes the next line's value. Takes nothing, and is absent, if the line is incomplete or has another name.
  std::optional<std::string_view> value(std::string_view name) {
    const std::size_t end = rest_.find('\n');
    cut_short_ = end == std::string_view::npos;
    if (cut_short_ || end <= name.size() || !rest_.starts_with(name) || rest_[name.size()] != ' ')
      return std::nullopt;
    const std::string_view found = rest_.substr(name.size() + 1, end - name.size() - 1);
    rest_.remove_prefix(end + 1);
    return found;
  }

  template <typename Number>
  std::optional<Number> number(std::string_view name) {
    const std::optional<std::string_view> text = value(name);
    Number number{};
    if (!text || std::from_chars(text->data(), text->data() + text->size(), number).ec != std::errc())
      return std::nullopt;
    return number;
  }

  std::string_view rest() const { return rest_; }
  bool cut_short() const { return cut_short_; }

 private:
  std::string_view rest_;
  bool cut_short_ = false;
};

// The lines from "kind" to "sha256", parsed. `bytes` is the size of the content.
struct Tail {
  Entry entry;
  std::size_t bytes = 0;
};

std::optional<Tail> read_tail(Lines& lines) {
  if (lines.value("kind") != kind_name) return std::nullopt;
  Tail tail;
  for (const std::string_view part : key_parts) {
    const std::optional<std::string_view> value = lines.value(part);
    if (!value) return std::nullopt;
    tail.entry.key.values.emplace_back(*value);
  }
  const std::optional<double> seconds = lines.number<double>("seconds");
  if (!seconds || !std::isfinite(*seconds) || *seconds < 0) return std::nullopt;
  tail.entry.seconds = *seconds;
  const std::optional<std::size_t> bytes = lines.number<std::size_t>("bytes");
  if (!bytes || !lines.value("sha256")) return std::nullopt;
  tail.bytes = *bytes;
  return tail;
}

}  // namespace

std::string file_name_of(const Key& key) {
  return sha256_hex(lines_of(key)) + ".entry";
}

std::string encode(const Entry& entry) {
  const std::string head = std::string(first_words).append(version).append(1, '\n') + lines_of(entry.key) +
                           line("seconds", shortest_text(entry.seconds)) +
                           line("bytes", std::to_string(entry.content.size()));
  return head + line("sha256", sha256_hex(head + entry.content)) + "\n" + entry.content;
}

Reading decode(std::string_view text) {
  const Reading damaged = {{}, "the entry is damaged"};
  const Reading cut_short = {{}, "the entry is cut short"};
  if (!text.starts_with(first_words)) return {{}, "the file is not a cache entry"};
  Lines lines(text);
  const std::optional<std::string_view> first = lines.value("graphbench");
  if (!first) return cut_short;
  const std::string_view its_version = first->substr(first->find(' ') + 1);
  if (its_version.empty() || its_version.find_first_not_of("0123456789") != std::string_view::npos)
    return damaged;
  if (its_version != version)
    return {{},
            "the entry has version " + std::string(its_version) + ", but this graphbench reads version 1"};
  std::optional<Tail> tail = read_tail(lines);
  if (!tail) return lines.cut_short() ? cut_short : damaged;
  const std::string_view content = lines.rest().substr(std::min<std::size_t>(1, lines.rest().size()));
  if (content.size() < tail->bytes) return cut_short;
  tail->entry.content = content;
  if (encode(tail->entry) != text) return damaged;
  return {std::move(tail->entry), {}};
}

Choice split_choice(std::string_view content) {
  const std::size_t end = std::min(content.find('\n'), content.size());
  return {std::string(content.substr(0, end)),
          std::string(content.substr(std::min(end + 1, content.size())))};
}

std::string join_choice(const Choice& choice) {
  return choice.algorithm + (choice.serialised.empty() ? "" : "\n" + choice.serialised);
}

}  // namespace graphbench::cache
