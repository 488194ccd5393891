// The cells of one paragraph: cells of one workload that differ only in batch, warmups and mode.
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

  // Returns the cell at the group's warmup count, the middle one, or null if the cell is not ok.
  const CellResult* at(std::int64_t batch, const std::string& mode) const;
  const CellResult* at(std::int64_t batch, const std::string& mode, std::int64_t warmup) const;
  // Whether the cells have one batch and several warmup counts, to find how many warmups are needed.
  bool asks_for_warmups() const { return warmups.size() > 1 && batches.size() == 1; }
  // Returns the first mode that replays graphs, or "".
  std::string first_graph_mode() const { return graph_modes.empty() ? "" : graph_modes.front(); }
  // Returns the text for batches, where swept neighbours form a range: "1 to 8, 32".
  std::string batches_text(const std::vector<std::int64_t>& some) const;
  Conclusion conclusion(std::string code) const { return {subject, std::move(code), {}}; }

  const Result& result;
  std::string subject;
  std::vector<const CellResult*> cells;
  std::vector<std::int64_t> batches;  // ascending
  std::vector<std::int64_t> warmups;
  std::vector<std::string> graph_modes;  // in the plan's order
  std::int64_t warmup = 0;

 private:
  using Place = std::tuple<std::int64_t, std::string, std::int64_t>;  // batch, mode, warmups
  std::map<Place, const CellResult*> measured_;
};

std::vector<CellGroup> groups_of(const Result& result);

// Divides cells into sections for tables and paragraphs, in the plan's order. Cells of a section differ only
// in batch, warmups and mode. If graphs of other sections refer to all cells of a section, these cells join
// those sections. For example, PyTorch's "torch-hide-capture" applies only to graphs.
std::vector<std::vector<const CellResult*>> sections_of(const std::vector<CellResult>& cells);

// Whether the gain's interval is above 1. Below three launches, whether the gain exceeds the spread of steps.
bool surely_gains(const CellGroup& group, const CellResult& cell);

// Each appends the conclusions of one part of a paragraph.
void conclude_modes(const CellGroup& group, std::vector<Conclusion>& conclusions);
void conclude_costs(const CellGroup& group, std::vector<Conclusion>& conclusions);

std::string plural(std::int64_t count, std::string_view noun);

}  // namespace graphbench::model
