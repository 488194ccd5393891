// The parts of the documents that a report shows. Internal to this folder.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "harness/judge/history/history.hpp"
#include "harness/model/comparison.hpp"
#include "harness/model/result.hpp"
#include "harness/service/report/report.hpp"

namespace graphbench::report {

struct Contents {
  std::optional<model::Result> result;
  nlohmann::json lists;                         // ladders and suggestions of the result, or bills; null: none
  std::optional<model::Comparison> comparison;  // without cells whose verdicts are all "same"
  std::vector<model::CellHistory> series;
};

Contents read_contents(const std::vector<NamedText>& documents);

// JSON for the page's script. A result becomes columns (paths in its document) and a row per cell, whose
// numbers have at most five significant digits.
std::string to_json(const Contents& contents);
std::string to_html(const Contents& contents);
}  // namespace graphbench::report
