// The parts of the documents that a report shows. Internal to this folder.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "harness/model/result.hpp"
#include "harness/service/report/report.hpp"
#include "reporters/report.hpp"

namespace graphbench::service {

struct Contents {
  std::optional<model::Result> result;
  nlohmann::json lists;  // figures of ladders and suggestions of the result, or of bills; null: none
  std::optional<reporters::Report> comparison;
  std::vector<reporters::Report> series;
};

// The step time, memory and start-up time of each ladder's first launch and of each suggestion, by its
// document.
nlohmann::json ladders_in(const nlohmann::json& document);
// Each bill's sentence, as a conclusion, and its amounts.
nlohmann::json bills_in(const nlohmann::json& document);
// The memory of each worker, named by its first cell. Its cells share all parts but the execs, which are
// summed.
nlohmann::json memory_of(const model::Result& result);

Contents read_contents(const std::vector<NamedText>& documents);

// JSON for the page's script. A result becomes columns, named by metrics' paths, and a row per cell, whose
// numbers are lists (numbers_json.hpp). A page computes no number of them again.
std::string to_json(const Contents& contents);
std::string to_html(const Contents& contents);
}  // namespace graphbench::service
