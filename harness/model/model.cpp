// Names statuses, merges library choices and adds up cache use.
#include <algorithm>
#include <array>
#include <tuple>

#include "graphs/base/error.hpp"
#include "graphs/base/text.hpp"
#include "harness/model/plan.hpp"
#include "harness/model/result.hpp"

namespace graphbench::model {

Reason reason_of(const std::exception& error) {
  const auto* const ours = dynamic_cast<const Error*>(&error);
  return {std::string(name_of(ours == nullptr ? ErrorCode::internal : ours->code())), error.what()};
}

std::string_view name_of(CellStatus status) noexcept {
  constexpr std::array<std::string_view, 4> names = {"skipped", "ok", "skipped", "failed"};
  static_assert(names.size() == static_cast<std::size_t>(CellStatus::failed) + 1);
  return names[static_cast<std::size_t>(status)];
}

std::string_view name_of(NoBreakeven reason) noexcept {
  constexpr std::array<std::string_view, 4> names = {"never", "not told apart", "eager not swept",
                                                     "no graph"};
  static_assert(names.size() == static_cast<std::size_t>(NoBreakeven::no_graph) + 1);
  return names[static_cast<std::size_t>(reason)];
}

std::string program_text(const StepRecords& records) {
  const auto work = [](std::int64_t kernels, const std::optional<std::int64_t>& copies) {
    return plural(kernels, "kernel") +
           (copies ? " and " + std::to_string(*copies) + (*copies == 1 ? " copy" : " copies") : "");
  };
  const std::string first = records.differences.empty() ? "" : ": " + one_line(records.differences.front());
  return "it runs " + work(records.kernels, records.copies) + ", and eager runs " +
         work(records.eager_kernels, records.eager_copies) + first;
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

void add(Opening& sum, const Opening& more) {
  for (const auto stage : opening_stages) {
    if (more.*stage) sum.*stage = (sum.*stage).value_or(0) + *(more.*stage);
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

bool is_tuned(const CallerOptions& options, std::int64_t size) {
  return options.tune_sizes.empty() || std::ranges::count(options.tune_sizes, size) > 0;
}

}  // namespace graphbench::model
