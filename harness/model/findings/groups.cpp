// Divides a result into groups of cells, and joins the conclusions about all groups.
#include "harness/model/findings/groups.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "graphs/base/text.hpp"
#include "harness/model/axes.hpp"
#include "harness/model/vocabulary.hpp"
#include "reporters/format.hpp"

namespace graphbench::model {
namespace {

using Key =
    std::tuple<std::string, std::string, std::string, std::string, std::map<std::string, std::string>>;

Key key_of(const Cell& cell) {
  return {cell.workload, cell.preset, cell.dtype, cell.pass, cell.more_axes};
}

// Returns the workload's name, the cell's preset, dtype and pass if the workload's cells differ in them, and
// the cell's later axes.
std::string subject_of(const Cell& cell, const Result& result) {
  std::string subject = cell.workload;
  for (const auto member : {&Cell::preset, &Cell::dtype, &Cell::pass}) {
    const bool several = std::ranges::any_of(result.cells, [&](const CellResult& other) {
      return other.cell.workload == cell.workload && other.cell.*member != cell.*member;
    });
    if (several) subject += " " + cell.*member;
  }
  for (const auto& [axis, value] : cell.more_axes) subject += fmt::format(" {}={}", axis, value);
  return subject;
}

using Cells = std::vector<const CellResult*>;

}  // namespace

CellGroup::CellGroup(const Result& from, std::string of, std::vector<const CellResult*> all)
    : result(from), subject(std::move(of)), cells(std::move(all)) {
  std::set<std::int64_t> sizes;
  std::set<std::int64_t> counts;
  for (const CellResult* cell : cells) {
    sizes.insert(cell->cell.batch);
    counts.insert(cell->cell.warmup);
    if (is_graph_mode(cell->cell.mode) && !contains(graph_modes, cell->cell.mode))
      graph_modes.push_back(cell->cell.mode);
    if (cell->status == CellStatus::ok)
      measured_[{cell->cell.batch, cell->cell.mode, cell->cell.warmup}] = cell;
  }
  batches.assign(sizes.begin(), sizes.end());
  warmups.assign(counts.begin(), counts.end());
  warmup = warmups[warmups.size() / 2];
}

const CellResult* CellGroup::at(std::int64_t batch, const std::string& mode) const {
  return at(batch, mode, warmup);
}

const CellResult* CellGroup::at(std::int64_t batch, const std::string& mode, std::int64_t count) const {
  const auto found = measured_.find({batch, mode, count});
  return found != measured_.end() ? found->second : nullptr;
}

std::string CellGroup::batches_text(const std::vector<std::int64_t>& some) const {
  std::string text;
  for (auto batch = batches.begin(); batch != batches.end(); ++batch) {
    if (!contains(some, *batch)) continue;
    const auto first = batch;
    while (std::next(batch) != batches.end() && contains(some, *std::next(batch))) ++batch;
    text += fmt::format("{}{}", text.empty() ? "" : ", ", *first);
    if (batch != first) text += fmt::format("{}{}", std::next(first) == batch ? ", " : " to ", *batch);
  }
  return text;
}

Conclusion CellGroup::conclusion(std::string code) const {
  Conclusion made{.subject = subject, .code = std::move(code), .text = {}};
  made.label = label_of(made.code);
  return made;
}

std::string_view label_of(std::string_view code) {
  using namespace std::string_view_literals;
  static constexpr std::pair<std::string_view, std::string_view> labels[] = {
      {"use_graphs"sv, "use"sv},
      {"use_eager"sv, "use"sv},
      {"use_either"sv, "use"sv},
      {"cannot_tell"sv, "use"sv},
      {"no_reference"sv, "use"sv},
      {"no_graph"sv, "use"sv},
      {"graphed_in_part"sv, "why"sv},
      {"warmups"sv, "use"sv},
      {"two_programs"sv, "why"sv},
      {"bound"sv, "why"sv},
      {"enqueueing"sv, "why"sv},
      {"stairs"sv, "why"sv},
      {"cost"sv, "cost"sv},
      {"startup"sv, "cost"sv},
      {"memory_kept"sv, "cost"sv},
      {"payback"sv, "pays back"sv},
      {"memory_unknown"sv, "not measured"sv},
      {"not_measured"sv, "not measured"sv}};
  const auto found = std::ranges::find(labels, code, &std::pair<std::string_view, std::string_view>::first);
  return found == std::end(labels) ? "details" : found->second;
}

std::vector<std::vector<const CellResult*>> sections_of(const std::vector<CellResult>& cells) {
  std::vector<Cells> sections;
  std::map<Key, std::size_t> places;
  std::map<std::string, std::set<std::size_t>> referrers;  // eager id -> sections that refer to the cell
  for (const CellResult& cell : cells) {
    const std::size_t place = places.try_emplace(key_of(cell.cell), sections.size()).first->second;
    if (place == sections.size()) sections.emplace_back();
    sections[place].push_back(&cell);
    const Cell reference = reference_of(cell.cell);
    if (reference != cell.cell) referrers[id_of(reference)].insert(place);
  }
  for (Cells& section : sections) {
    const auto is_referred_to = [&](const CellResult* cell) { return referrers.contains(id_of(cell->cell)); };
    if (!std::ranges::all_of(section, is_referred_to)) continue;
    for (const CellResult* cell : std::exchange(section, {})) {
      for (const std::size_t place : referrers[id_of(cell->cell)]) sections[place].push_back(cell);
    }
  }
  std::erase_if(sections, &Cells::empty);
  return sections;
}

std::vector<CellGroup> groups_of(const Result& result) {
  const std::vector<Cells> sections = sections_of(result.cells);
  // The groups of one workload are adjacent.
  std::vector<CellGroup> groups;
  std::vector<std::string> workloads;
  for (const auto& section : sections) {
    if (!contains(workloads, section.front()->cell.workload))
      workloads.push_back(section.front()->cell.workload);
  }
  for (const std::string& workload : workloads) {
    for (const auto& section : sections) {
      const Cell& first = section.front()->cell;
      if (first.workload == workload) groups.emplace_back(result, subject_of(first, result), section);
    }
  }
  return groups;
}

std::vector<Conclusion> conclusions_of(const Result& result) {
  std::vector<Conclusion> conclusions;
  for (const CellGroup& group : groups_of(result)) {
    if (!group.asks_for_warmups()) conclude_modes(group, conclusions);
    conclude_stairs(group, conclusions);
    conclude_costs(group, conclusions);
  }
  return conclusions;
}

void keep_evidence(CellResult& cell) {
  for (Launch& launch : cell.launches) {
    launch.placements = {};
    launch.submit_samples = {};
    launch.latency_samples = {};
    launch.device_samples = {};
    launch.latency_started_ns = {};
    launch.device_started_ns = {};
  }
  cell.shape_walk.reset();
}

std::string skips_text(const CellResult& cell) {
  if (cell.capture_skips.empty()) return "";
  const CaptureSkip& first = cell.capture_skips.front();
  const std::size_t more = cell.capture_skips.size() - 1;
  return fmt::format(" ({}{}{}: {}{})", first.reason, first.line.empty() ? "" : " at ",
                     reporters::one_line(first.line), reporters::one_line(first.words),
                     more > 0 ? fmt::format("; and {} more", more) : "");
}

std::optional<std::string> graphed_in_part(const CellResult& cell) {
  const std::optional<double>& share = cell.summary.graphed;
  if (!share || *share == 0 || *share == 1) return std::nullopt;
  return fmt::format("{} of {} ({:.0f} %)", *cell.records->graphed_kernels,
                     plural(cell.records->kernels, "kernel"), 100 * *share);
}

std::string plural(std::int64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : noun.ends_with('s') ? "es" : "s");
}

}  // namespace graphbench::model
