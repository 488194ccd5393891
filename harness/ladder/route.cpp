// Chooses the captured size for each step, and counts steps by route.
#include "harness/ladder/route.hpp"

#include <algorithm>

#include "graphs/base/text.hpp"

namespace graphbench::ladder {

std::optional<Route> route(const std::vector<std::int64_t>& sizes, std::int64_t rows,
                           const LadderPolicy& policy) {
  Route found{.how = How::exact, .full_parts = 0, .rest = rows, .captured = 0};
  const std::int64_t largest = sizes.empty() ? 0 : sizes.back();
  if (rows > largest) {
    if (policy.beyond == LadderBeyond::refuse) return std::nullopt;
    if (policy.beyond == LadderBeyond::eager || largest == 0) {
      found.how = How::eager_beyond;
      return found;
    }
    found.full_parts = (rows - 1) / largest;
    found.rest = rows - found.full_parts * largest;
  }
  const std::int64_t fits = *std::ranges::lower_bound(sizes, found.rest);
  const bool exact = fits == found.rest;
  found.how = exact ? How::exact : policy.pad == LadderPad::up ? How::padded : How::eager_below;
  if (found.how != How::eager_below) found.captured = fits;
  return found;
}

void Tally::start(const std::vector<std::int64_t>& sizes, const LadderPolicy& policy) {
  graphs_max = policy.graphs_max;
  captured.clear();
  if (policy.when == CaptureWhen::lazy) return;
  captured = sizes;
  if (policy.order == CaptureOrder::largest) std::ranges::reverse(captured);
  if (graphs_max > 0) captured.resize(std::min(captured.size(), static_cast<std::size_t>(graphs_max)));
}

bool Tally::use(std::int64_t size) {
  const bool had = std::erase(captured, size) > 0;
  captured.push_back(size);
  return had;
}

void Tally::add(const Route& route, const std::vector<std::int64_t>& sizes) {
  bool waits = false;
  bool warms = false;
  const auto replay = [&](std::int64_t size, std::int64_t rows, std::int64_t count) {
    if (warmups > 0) {
      std::int64_t& warm = warmed[size];
      const std::int64_t eagerly = std::min(count, warmups - warm);
      warm += eagerly;
      count -= eagerly;
      warms |= eagerly > 0;
    }
    if (count == 0) return;
    waits |= !use(size);
    used[size][rows] += count;
    graph_rows += size * count;
    padding_rows += (size - rows) * count;
  };
  if (route.full_parts > 0) {
    ++split_steps;
    replay(sizes.back(), sizes.back(), route.full_parts);
  }
  if (route.captured > 0) {
    replay(route.captured, route.rest, 1);
  } else {
    ++eager[route.rest];
  }
  if (waits) {
    ++steps.captured_now;
  } else if (warms) {
    ++steps.warming;
  } else if (route.how == How::exact) {
    ++steps.exact;
  } else if (route.how == How::padded) {
    ++steps.padded;
  } else if (route.how == How::eager_below) {
    ++steps.eager_below;
  } else {
    ++steps.eager_beyond;
  }
  evicted.clear();
  if (graphs_max == 0 || std::ssize(captured) <= graphs_max) return;
  evicted.assign(captured.begin(), captured.end() - graphs_max);
  captured.erase(captured.begin(), captured.end() - graphs_max);
}

double Tally::hit_rate() const {
  return total() == 0 ? 0 : static_cast<double>(steps.exact + steps.padded) / static_cast<double>(total());
}

LadderPadding Tally::padding() const {
  const double waste =
      graph_rows == 0 ? 0 : static_cast<double>(padding_rows) / static_cast<double>(graph_rows);
  return {.rows = padding_rows, .graph_rows = graph_rows, .waste = waste, .seconds = {}};
}

Tally tally(const std::vector<std::int64_t>& steps, const std::vector<std::int64_t>& sizes,
            const LadderPolicy& policy, const std::string& where) {
  Tally sum;
  sum.start(sizes, policy);
  for (const std::int64_t rows : steps) {
    const std::optional<Route> found = route(sizes, rows, policy);
    if (!found) {
      throw InputError(
          where, "a step of " + std::to_string(rows) + " rows is beyond the largest captured size, " +
                     std::to_string(sizes.empty() ? 0 : sizes.back()) +
                     ", and --beyond refuse is set: capture a larger size, or give --beyond eager or split");
    }
    sum.add(*found, sizes);
  }
  return sum;
}

}  // namespace graphbench::ladder
