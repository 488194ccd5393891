// Reads raw values one by one, and the file of --shape-trace. A value of the wrong form throws InputError,
// which names the place and a valid form. If the option was not given, functions return `fallback`. If it was
// repeated, the last value counts.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "harness/options/numbers.hpp"
#include "harness/options/options.hpp"

namespace graphbench::options {

const std::vector<RawItem>* find(const RawOptions& raw, const std::string& name);
// Returns the words of a list. Throws InputError for an empty or duplicate word. Messages call a word `noun`.
std::vector<std::string> words_of(const std::vector<RawItem>& items, const std::string& noun);
std::vector<std::string> words(const RawOptions& raw, const std::string& name, const std::string& noun);
std::int64_t integer(const RawOptions& raw, const std::string& name, std::int64_t fallback,
                     IntegerRange range);
// Throws InputError unless the value is more than 0 and at most one day (86400 s).
double seconds(const RawOptions& raw, const std::string& name, double fallback);
// Throws InputError for an empty text.
std::string text_of(const RawItem& item);
std::string text_of(const RawOptions& raw, const std::string& name, const std::string& fallback);
bool flag(const RawOptions& raw, const std::string& name);
RawOptions replaced(RawOptions raw, std::string_view placeholder, const std::string& value);
// Returns one of `choices`. The default is the first choice. Throws InputError for another word.
std::string word_of(const RawOptions& raw, const std::string& name, const std::vector<std::string>& choices);
// Reads the axes of the first grid. An axis is empty if the device or the workloads decide the default.
model::Axes read_axes(const RawOptions& raw, const model::AxisTable& table);
// Returns the axes of each --grid: those of the first grid, changed by the grid's text ("warmup=0,1").
std::vector<model::Axes> read_grids(const RawOptions& raw, const model::AxisTable& table);

// Reads the file of --shape-trace. A line such as "8 128" has a step's batch size, then its sequence length,
// which all lines or none must have. `#` begins a comment. Throws InputError, whose message begins with
// `path` and the line ("steps.txt:3: ...").
model::ShapeTrace parse_shape_trace(const std::string& path, std::string_view content);
// Throws InputError(where, ...) if the file cannot be read.
model::ShapeTrace read_shape_trace(const std::string& where, const std::string& path);

// Options whose values have forms of their own, for the rows of the table. Each is called if it is given.
void read_device(const RawOptions& raw, SweepOptions& options);
void read_dump_graph(const RawOptions& raw, SweepOptions& options);
void read_no_pin(const RawOptions& raw, SweepOptions& options);
void read_package(const RawOptions& raw, SweepOptions& options);
void read_plugins(const RawOptions& raw, SweepOptions& options);
void read_set(const RawOptions& raw, SweepOptions& options);
void read_shape_options(const RawOptions& raw, SweepOptions& options);
void read_sustained(const RawOptions& raw, SweepOptions& options);
void read_textfile(const RawOptions& raw, SweepOptions& options);
void read_torch(const RawOptions& raw, SweepOptions& options);

}  // namespace graphbench::options
