// The words that describe a sweep, one row each: modes, data types, kinds of devices, passes. Code that needs
// a list of them, or a fact about one, asks here; `graphbench list` shows them to users and scripts.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace graphbench::model {

struct Mode {
  std::string name;
  std::string help;
  bool graph = false;      // replays graphs: captures, instantiates and uploads them first
  bool reference = false;  // the cells of the other modes are compared with its cells; one mode has this
  std::string also = {};   // vLLM's word for it, where that is another: understood, and never written
};
// In the order in which they are measured and shown.
const std::vector<Mode>& modes();
const Mode& reference_mode();
// Our word for a mode, from our word or vLLM's ("FULL" is "whole"). Any other word stays.
std::string mode_named(const std::string& word);
// False for a name that no mode has. A foreign step's mode that is not in the table is one of its library's
// graphs.
bool is_graph_mode(std::string_view name);
// "LIBRARY.NAME", a form that no other mode has.
bool is_step_mode(std::string_view name);
// Preset, dtype and pass of a foreign step's cells, to which they do not apply.
inline constexpr std::string_view of_its_own = "own";

struct DataType {
  std::string name;
  std::int64_t bytes = 0;  // an element
};
const std::vector<DataType>& data_types();

struct DeviceKind {
  std::string name;
  std::string help;
  std::string preset;     // default, where the workload has it
  std::string data_type;  // default
};
const std::vector<DeviceKind>& device_kinds();
// The first of the table for a name that it does not hold.
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
