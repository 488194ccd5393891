// What readers of traffic files share. A reader gets the lines of files of one format, one after another.
#pragma once

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "harness/ladder/traffic.hpp"

namespace graphbench::ladder {

class TrafficReader {
 public:
  virtual ~TrafficReader() = default;
  virtual void begin_file() {}
  virtual void end_file() {}
  // Gets no blank line, and none with blanks at its ends.
  virtual void take(std::string_view text) = 0;
  virtual void end() {}

  [[noreturn]] void refuse(const std::string& why) const;
  // A whole number from 0 up, also as 4.0; a size may be 0: an idle step.
  std::int64_t number(std::string_view text, const char* noun, std::int64_t most) const;
  std::int64_t size(std::string_view text) const { return number(text, "size", size_max); }
  std::int64_t count(std::string_view text) const;
  void add(std::int64_t size, std::int64_t count = 1);

  std::string path;  // the place of the line
  std::int64_t line = 0;
  std::int64_t lines_taken = 0;  // lines with steps, idle ones too
  std::int64_t idle = 0;
  std::int64_t prefills = 0;  // steps that are left out, as their graphs are not those of decode batches
  std::int64_t prefills_counted = 0;
  std::vector<std::string> notes;  // what else a user must know of what was read
  Traffic traffic;
};

std::string_view trimmed(std::string_view text);
// A JSON value as a cell of a table: a string without its quotes.
std::string text_of(const nlohmann::json& value);

struct TrafficFormat {
  std::string name;
  std::string engine = {};              // whose log it is; empty: a file that users make
  std::string flag = {};                // makes the engine write it; empty: no advice
  std::vector<std::string> marks = {};  // a line with all of these is of this format; none: see is_table()
  bool (*is_row)(std::string_view) = nullptr;  // lines that belong to marked ones
  std::unique_ptr<TrafficReader> (*reader)() = nullptr;
  std::vector<std::string> traces = {};  // any of these in a log without batches shows who wrote it
  bool every_line = false;               // the reader wants lines without marks too
  bool of_tokens = false;                // its sizes are tokens
  std::string coarse = {};               // why not every step is there as it was; empty: it is
};

// The table of formats: of several in a file, the first counts.
const std::vector<TrafficFormat>& traffic_formats();

// Whether a file that begins with this line is a table of sizes: CSV, JSONL, or one size per line.
bool is_table(std::string_view first_line);
std::unique_ptr<TrafficReader> table_reader();

}  // namespace graphbench::ladder
