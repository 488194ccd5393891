// The words that describe a sweep, one row each: modes, data types, kinds of devices, passes. Code that needs
// a list of words, or a fact about a word, uses these tables. `graphbench list` shows them.
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
  bool reference = false;  // other modes are compared with this one; true for one mode
  std::string also = {};   // vLLM's word, if it differs: accepted, but never written
};
// In the order of measuring and of display.
const std::vector<Mode>& modes();
const Mode& reference_mode();
// Returns our word for our own or vLLM's word of a mode ("FULL" is "whole"). Other words are unchanged.
std::string mode_named(const std::string& word);
// Whether the mode replays graphs: a graph mode of the table, or a mode of the form "LIBRARY.NAME".
bool is_graph_mode(std::string_view name);
// Whether the mode has the form of a foreign step's modes, "LIBRARY.NAME".
bool is_step_mode(std::string_view name);
// The preset, dtype and pass of foreign steps' cells, which have no such choice.
inline constexpr std::string_view of_its_own = "own";

struct DataType {
  std::string name;
  std::int64_t bytes = 0;  // per element
};
const std::vector<DataType>& data_types();

struct DeviceKind {
  std::string name;
  std::string help;
  std::string preset;     // the default, if the workload has it
  std::string data_type;  // the default
};
const std::vector<DeviceKind>& device_kinds();
// Returns the first row of the table for an unknown name.
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
