// The words that describe a sweep, one row per word: modes, data types, kinds of devices, passes. Code that
// needs a list of words, or a fact about a word, reads these tables. `graphbench list` shows the tables.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace graphbench::model {

struct Mode {
  std::string name;
  std::string help;
  bool graph = false;      // captures, instantiates and uploads graphs, and replays them
  bool reference = false;  // true for exactly one mode, with which the other modes are compared
  std::string also = {};   // vLLM's name if it differs; options accept this name, but documents never have it
};
// The modes, in the order of plans and of display.
const std::vector<Mode>& modes();
const Mode& reference_mode();
// Returns our name of a mode, such as "whole" for "FULL". `word` is our name or vLLM's, in upper or lower
// case. Returns an unknown `word` as it is.
std::string mode_named(const std::string& word);
// Whether the mode replays graphs: a graph mode of the table, or a mode of the form "LIBRARY.NAME".
bool is_graph_mode(std::string_view name);
// Whether the mode has the form of a foreign step's modes, "LIBRARY.NAME".
bool is_step_mode(std::string_view name);
// The preset, dtype and pass in the cells of foreign steps, which choose these themselves.
inline constexpr std::string_view of_its_own = "own";

struct DataType {
  std::string name;
  std::int64_t bytes = 0;  // per element
};
const std::vector<DataType>& data_types();

struct DeviceKind {
  std::string name;
  std::string help;
  std::string preset;     // the default preset, for workloads that have this preset
  std::string data_type;  // the default data type
  std::string batches;    // the default batch sizes
};
const std::vector<DeviceKind>& device_kinds();
// Returns the row of a kind of device. For an unknown name, returns the first row of the table.
const DeviceKind& device_kind(std::string_view name);

struct Pass {
  std::string name;
  std::string help;
};
const std::vector<Pass>& passes();

template <typename Row>
std::vector<std::string> names_of(const std::vector<Row>& rows) {
  std::vector<std::string> names;
  for (const Row& row : rows) names.push_back(row.name);
  return names;
}

}  // namespace graphbench::model
