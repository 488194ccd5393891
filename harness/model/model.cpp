// Names statuses, merges library choices and adds up cache use.
#include <algorithm>
#include <tuple>

#include "harness/model/result.hpp"

namespace graphbench::model {

std::string_view name_of(CellStatus status) noexcept {
  switch (status) {
    case CellStatus::ok:
      return "ok";
    case CellStatus::failed:
      return "failed";
    case CellStatus::pending:
    case CellStatus::skipped:
      break;
  }
  return "skipped";
}

std::string_view name_of(NoBreakeven reason) noexcept {
  switch (reason) {
    case NoBreakeven::never:
      return "never";
    case NoBreakeven::not_told_apart:
      return "not told apart";
    case NoBreakeven::eager_not_swept:
      break;
  }
  return "eager not swept";
}

void add_choices(std::vector<LibraryChoice>& choices, const std::vector<LibraryChoice>& of_worker) {
  const auto place = [](const LibraryChoice& choice) { return std::tie(choice.key, choice.algorithm); };
  for (const LibraryChoice& choice : of_worker) {
    const auto at = std::ranges::lower_bound(choices, place(choice), {}, place);
    if (at == choices.end() || place(*at) != place(choice)) {
      choices.insert(at, choice);
    } else {
      at->timed = at->timed || choice.timed;
      at->hit = at->hit && choice.hit;
      if (at->plan.empty() || choice.plan == "engine") at->plan = choice.plan;
    }
  }
}

void add(CacheUse& sum, const CacheUse& more) {
  sum.hits += more.hits;
  sum.misses += more.misses;
  sum.refused += more.refused;
  sum.bytes += more.bytes;
  sum.seconds_saved += more.seconds_saved;
}

CacheUse since(const CacheUse& before, const CacheUse& now) {
  return {.hits = now.hits - before.hits,
          .misses = now.misses - before.misses,
          .refused = now.refused - before.refused,
          .bytes = now.bytes - before.bytes,
          .seconds_saved = std::max(0.0, now.seconds_saved - before.seconds_saved)};
}

}  // namespace graphbench::model
