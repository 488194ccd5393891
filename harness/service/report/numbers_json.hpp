// Numbers of Reports as JSON for the page's script, which shows their texts and draws their values.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "harness/model/result.hpp"
#include "reporters/report.hpp"

namespace graphbench::service {

// {"text", "value", "low", "high", "range"}, without what is absent.
nlohmann::json json_of(const reporters::Value& value);
// Returns the same five as a list, which ends with the last that is not absent: a report has thousands.
std::string list_of(const reporters::Value& value);

// {"title", "facts", "head", "sections", "closing"}: each row has one number or text per column. A section
// has its first rows alone, and the number of the others as `more`.
nlohmann::json json_of(const reporters::Report& report);

// The id of the eager cell that a graph cell is compared with, if an axis that says nothing about eager gives
// the two different names; else empty. The page puts such cells into one plot.
std::string reference_elsewhere(const model::Cell& cell);

// Adds the members `reference` (see above) and `row` to the line of a cell; `row` is of one that is ok: its
// numbers by their metrics' paths. Throws InputError, which begins with `source`, for a line that is not a
// cell's.
std::string with_row(std::string line, const std::string& source);

}  // namespace graphbench::service
