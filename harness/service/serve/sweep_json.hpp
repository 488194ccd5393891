// A sweep as the API shows it: docs/service.md says what the members are.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "harness/model/progress.hpp"
#include "harness/service/serve/sweep_store.hpp"

namespace graphbench::serve {

nlohmann::json json_of(const StoredSweep& sweep);
nlohmann::json json_of(const model::Progress& progress);

// On one line; bytes that are not UTF-8 are replaced.
std::string text_of(const nlohmann::json& document);

}  // namespace graphbench::serve
