// The parts of its documents that a report holds. Internal to this folder.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "harness/model/result.hpp"
#include "harness/service/report/report.hpp"

namespace graphbench::report {

struct Contents {
  std::optional<model::Result> result;
  nlohmann::json lists;       // of the result: ladders and suggestions, or bills; null: it has none
  nlohmann::json comparison;  // without cells that are the same; null: there is none
  std::vector<nlohmann::json> series;
};

Contents read_contents(const std::vector<NamedText>& documents);

// For the page's script: each cell a row of numbers with five digits, under the paths that a document has.
std::string to_json(const Contents& contents);
// For readers without scripts.
std::string to_html(const Contents& contents);
}  // namespace graphbench::report
