// Writes, reads and prints canaries.
#pragma once

#include <string>
#include <string_view>

#include "harness/canary/canary.hpp"
#include "reporters/report.hpp"

namespace graphbench::canary {

std::string to_json(const Canary& canary);

// Throws InputError, one line with `source`, the place and the value, for damaged JSON, another schema,
// floors that appear twice, and values that are not positive.
Canary read_canary(std::string_view text, const std::string& source);

reporters::Report report_of(const Canary& canary);

}  // namespace graphbench::canary
