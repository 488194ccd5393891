// Edit distance (insert, delete, replace, swap of neighbours) over short words.
#include "graphs/base/suggest.hpp"

#include <algorithm>

#include "graphs/base/input_error.hpp"
#include "graphs/base/lists.hpp"

namespace graphbench::config {
namespace {

std::size_t edits(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> cost(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) cost[i][0] = i;
  for (std::size_t j = 0; j <= b.size(); ++j) cost[0][j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = cost[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      cost[i][j] = std::min({cost[i - 1][j] + 1, cost[i][j - 1] + 1, replaced});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        cost[i][j] = std::min(cost[i][j], cost[i - 2][j - 2] + 1);
      }
    }
  }
  return cost[a.size()][b.size()];
}

}  // namespace

std::optional<std::string> nearest(std::string_view word, const std::vector<std::string>& known) {
  // People type short words. A long argument is not a misspelling, and must not cost quadratic time.
  if (word.size() > 64) return std::nullopt;
  std::optional<std::string> best;
  std::size_t best_edits = 0;
  for (const std::string& candidate : known) {
    const std::size_t distance = edits(word, candidate);
    const std::size_t allowed = std::max<std::size_t>(1, std::max(word.size(), candidate.size()) / 3);
    if (distance > allowed) continue;
    if (!best || distance < best_edits) {
      best = candidate;
      best_edits = distance;
    }
  }
  return best;
}

std::string did_you_mean(std::string_view word, const std::vector<std::string>& known) {
  const std::optional<std::string> found = nearest(word, known);
  return found ? "; did you mean " + in_quotes(*found) + "?" : "";
}

void require_known(const std::string& where, const std::string& word, const std::string& noun,
                   const std::vector<std::string>& known) {
  if (contains(known, word)) return;
  throw InputError(
      where, in_quotes(word) + " is not a " + noun + ": give " + join(known) + did_you_mean(word, known));
}

}  // namespace graphbench::config
