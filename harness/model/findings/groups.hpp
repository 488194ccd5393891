// The cells that one paragraph is about: those of one workload that differ in batch, warmups and mode alone.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "harness/model/findings/findings.hpp"

namespace graphbench::model {

class CellGroup {
 public:
  CellGroup(const Result& result, std::string subject, std::vector<const CellResult*> cells);

  // At the warmup count that the paragraph is about, the middle one; null if it was not measured well.
  const CellResult* at(std::int64_t batch, const std::string& mode) const;
  const CellResult* at(std::int64_t batch, const std::string& mode, std::int64_t warmup) const;
  // Cells of one batch that differ only in warmups: they ask how many warmups are needed.
  bool asks_for_warmups() const { return warmups.size() > 1 && batches.size() == 1; }
  // The first mode that replays graphs; empty: none.
  std::string first_graph_mode() const { return graph_modes.empty() ? "" : graph_modes.front(); }
  // The text for batches: "1 to 8, 32", with the first and the last of those swept side by side.
  std::string batches_text(const std::vector<std::int64_t>& some) const;
  Conclusion conclusion(std::string code) const { return {subject, std::move(code), {}}; }

  const Result& result;
  std::string subject;
  std::vector<const CellResult*> cells;
  std::vector<std::int64_t> batches;  // ascending, as are the warmups
  std::vector<std::int64_t> warmups;
  std::vector<std::string> graph_modes;  // in the plan's order
  std::int64_t warmup = 0;

 private:
  using Place = std::tuple<std::int64_t, std::string, std::int64_t>;  // batch, mode, warmups
  std::map<Place, const CellResult*> measured_;
};

std::vector<CellGroup> groups_of(const Result& result);

// The cells that stand together in tables and paragraphs: those that differ in batch, warmups and mode alone,
// in the order in which the plan names them first. Eager cells that no graph of their own axes refers to
// stand with the cells that take their gain over them: with PyTorch's, "torch-hide-capture" changes graphs
// alone.
std::vector<std::vector<const CellResult*>> sections_of(const std::vector<CellResult>& cells);

// Whether the cell's gain lies above 1 by its interval; below three launches, by more than its steps spread.
bool surely_gains(const CellGroup& group, const CellResult& cell);

// The parts of a paragraph; each appends its sentences.
void conclude_modes(const CellGroup& group, std::vector<Conclusion>& conclusions);
void conclude_costs(const CellGroup& group, std::vector<Conclusion>& conclusions);

std::string plural(std::int64_t count, std::string_view noun);

}  // namespace graphbench::model
