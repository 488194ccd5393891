// A group has the cells of one paragraph: cells of one workload that differ only in batch, warmups and mode.
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

  // Returns the cell at `warmup` (by default the group's middle warmup count), or null if it is not ok.
  const CellResult* at(std::int64_t batch, const std::string& mode) const;
  const CellResult* at(std::int64_t batch, const std::string& mode, std::int64_t warmup) const;
  bool asks_for_warmups() const { return warmups.size() > 1 && batches.size() == 1; }
  std::string first_graph_mode() const { return graph_modes.empty() ? "" : graph_modes.front(); }
  // Returns the text for some of the group's batches. Adjacent batches form a range: "1 to 8, 32".
  std::string batches_text(const std::vector<std::int64_t>& some) const;
  Conclusion conclusion(std::string code) const;

  const Result& result;
  std::string subject;
  std::vector<const CellResult*> cells;
  std::vector<std::int64_t> batches;  // ascending
  std::vector<std::int64_t> warmups;
  std::vector<std::string> graph_modes;  // in the plan's order
  std::int64_t warmup = 0;               // the middle one of `warmups`

 private:
  using Place = std::tuple<std::int64_t, std::string, std::int64_t>;  // batch, mode, warmups
  std::map<Place, const CellResult*> measured_;
};

std::vector<CellGroup> groups_of(const Result& result);

// Divides cells into sections for tables and paragraphs, in the plan's order. Cells of a section differ only
// in batch, warmups and mode. If an axis applies only to graph modes (torch-hide-capture), eager cells have
// no section of their own. They are in each section whose graph cells have them as their reference.
std::vector<std::vector<const CellResult*>> sections_of(const std::vector<CellResult>& cells);

// Whether the gain's interval is above 1. Below three launches, the spread of times gives a rough interval.
bool surely_gains(const CellGroup& group, const CellResult& cell);

void conclude_bounds(const CellGroup& group, std::vector<Conclusion>& conclusions);
void conclude_modes(const CellGroup& group, std::vector<Conclusion>& conclusions);
void conclude_costs(const CellGroup& group, std::vector<Conclusion>& conclusions);
void conclude_stairs(const CellGroup& group, std::vector<Conclusion>& conclusions);

// What the library says of graphs that it did not take: " (cpu_device at steps.py:8: cpu device (arg3_1))",
// and how many reasons more; "" if it says nothing.
std::string skips_text(const CellResult& cell);
// "3 of 5 kernels (60 %)"; absent if the cell's graphs ran all kernels, or it is not known.
std::optional<std::string> graphed_in_part(const CellResult& cell);

// "1 cell", "2 processes".
std::string plural(std::int64_t count, std::string_view noun);

}  // namespace graphbench::model
