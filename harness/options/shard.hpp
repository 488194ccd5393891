// Which part of a sweep this process measures: `--shard I/N`, or what a scheduler's variables say. Pure.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace graphbench::config {

struct ShardOption {
  std::int64_t index = 1;  // from 1 to count
  std::int64_t count = 1;
  bool replica = false;  // --shard-by replica: the whole plan
  std::string costs;     // --costs: a document; empty: none
  std::string said;      // by which variables, of `auto`; empty otherwise
};

inline constexpr std::int64_t shards_max = 100'000;

// A variable's value; null where it is not set.
using Variables = std::function<const char*(const char* name)>;

// `text`: "3/8", or "auto", which asks `variables`. Throws InputError, which begins with `where`.
ShardOption read_shard(const std::string& where, const std::string& text, const Variables& variables);

}  // namespace graphbench::config
