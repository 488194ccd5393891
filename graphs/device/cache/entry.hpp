// An entry of the cache: a readable head that names the entry's key, and the content. This code does no I/O.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace graphbench::cache {

// An entry of kind `choices` holds a choice among a library's algorithms.
enum class Kind : std::uint8_t { choices };

std::string_view name_of(Kind kind);
// The names of the facts on which an entry of this kind depends: "op", "shape", ...
std::span<const std::string_view> parts_of(Kind kind);

// One value per part, in the order of parts_of(). A value is a single line: callers replace longer texts by
// their digests.
struct Key {
  Kind kind = Kind::choices;
  std::vector<std::string> values;
  friend bool operator==(const Key&, const Key&) = default;
};

struct Entry {
  Key key;
  double seconds = 0;  // the time that making the entry took
  std::string content;
};

// 64 hex digits and ".entry". A key has the same file name on every machine.
std::string file_name_of(const Key& key);

std::string encode(const Entry& entry);

struct Reading {
  std::optional<Entry> entry;  // absent if the text is refused
  std::string why_not;         // "the entry is damaged"
};
// Accepts only the exact output of encode().
Reading decode(std::string_view text);

// The content of an entry of kind `choices`. An entry in a folder has only `algorithm`.
struct Choice {
  std::string algorithm;   // one line: a name that means the same in every process
  std::string serialised;  // the plan as the library writes it; empty if no plan was kept
};
Choice split_choice(std::string_view content);
std::string join_choice(const Choice& choice);

}  // namespace graphbench::cache
