// An entry of the cache: a readable head that names the entry's key, and the content. This code does no I/O.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace graphbench::cache {

// Every entry holds a choice among a library's algorithms.
inline constexpr std::string_view kind_name = "choices";
inline constexpr std::string_view key_parts[] = {"op", "shape", "device", "libraries", "build"};

// values[i] is the value of key_parts[i]: one line. For a longer text, callers give the text's digest.
struct Key {
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
  std::optional<Entry> entry;
  std::string why_not;  // "the entry is damaged"
};
// Accepts only the exact output of encode().
Reading decode(std::string_view text);

// The content of an entry. An entry in a folder has only `algorithm`.
struct Choice {
  std::string algorithm;   // one line: a name that means the same in every process
  std::string serialised;  // the plan as the library writes it; empty if no plan was kept
};
Choice split_choice(std::string_view content);
std::string join_choice(const Choice& choice);

}  // namespace graphbench::cache
