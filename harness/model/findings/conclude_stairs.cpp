// Writes the conclusion on stairs: sizes next to each other of which the larger takes much longer, between
// runs of sizes that take as long as each other.
#include <fmt/format.h>

#include <algorithm>

#include "graphs/base/text.hpp"
#include "harness/model/findings/groups.hpp"
#include "reporters/format.hpp"

namespace graphbench::model {
namespace {

constexpr double level = 0.03;  // by how much sizes of one tread differ at most
constexpr double jump_min = 0.06;
constexpr std::size_t tread_sizes = 3;

// Neighbours in sizes, so that a jump between them says where it is: 16 and 17, 64 and 72, but not 8 and 16.
bool are_near(std::int64_t size, std::int64_t next) {
  return next - size <= std::max<std::int64_t>(1, size / 8);
}

using Tread = std::vector<const CellResult*>;

const Estimate& latency_of(const CellResult* cell) {
  return *cell->summary.latency_seconds;
}

std::vector<Tread> treads_of(const CellGroup& group, const std::string& mode) {
  std::vector<Tread> treads;
  double least = 0, most = 0;
  for (const std::int64_t batch : group.batches) {
    const CellResult* cell = group.at(batch, mode);
    if (cell == nullptr || !cell->summary.latency_seconds) continue;
    const double seconds = latency_of(cell).p50;
    if (treads.empty() || std::max(most, seconds) > (1 + level) * std::min(least, seconds) ||
        !are_near(treads.back().back()->cell.batch, batch)) {
      treads.emplace_back();
      least = most = seconds;
    }
    treads.back().push_back(cell);
    least = std::min(least, seconds);
    most = std::max(most, seconds);
  }
  return treads;
}

// The share by which the first size of `high` surely takes longer than the last of `low`; 0: it is no stair.
double jump_between(const Tread& low, const Tread& high) {
  if (std::min(low.size(), high.size()) < tread_sizes ||
      !are_near(low.back()->cell.batch, high.front()->cell.batch))
    return 0;
  const Estimate &below = latency_of(low.back()), &above = latency_of(high.front());
  const double jump = above.p50 / below.p50 - 1;
  const bool surely = below.ci95_high && above.ci95_low && *above.ci95_low > *below.ci95_high;
  return surely && jump >= jump_min ? jump : 0;
}

}  // namespace

void conclude_stairs(const CellGroup& group, std::vector<Conclusion>& conclusions) {
  for (const std::string& mode : group.graph_modes) {
    Conclusion conclusion = group.conclusion("stairs");
    std::vector<std::string> stairs, ends;
    const std::vector<Tread> treads = treads_of(group, mode);
    for (std::size_t i = 1; i < treads.size(); ++i) {
      const double jump = jump_between(treads[i - 1], treads[i]);
      if (jump == 0) continue;
      const std::int64_t below = treads[i - 1].back()->cell.batch, first = treads[i].front()->cell.batch,
                         last = treads[i].back()->cell.batch;
      stairs.push_back(fmt::format("{} to {} costs {}, {} to {} are free", below, first,
                                   reporters::percent_text(jump), first, last));
      conclusion.figures[fmt::format("jump_at_{}", first)] = jump;
      for (const std::int64_t end : {below, last}) {
        if (!contains(ends, std::to_string(end))) ends.push_back(std::to_string(end));
      }
      for (const CellResult* cell : {treads[i - 1].back(), treads[i].front()})
        conclusion.cells.push_back(id_of(cell->cell));
    }
    if (stairs.empty()) continue;
    const std::string largest = ends.back();
    ends.pop_back();
    conclusion.text = fmt::format("Step times of {} are stairs: {}: capture {} and {}.", mode,
                                  join(stairs, "; "), join(ends), largest);
    conclusions.push_back(std::move(conclusion));
    return;  // other modes run the same kernels
  }
}

}  // namespace graphbench::model
