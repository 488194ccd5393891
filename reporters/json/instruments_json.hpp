// Instruments' findings as parts of the documents. Internal to reporters/json.
#pragma once

#include <nlohmann/json.hpp>

#include "harness/model/result.hpp"

namespace graphbench::reporters {

nlohmann::ordered_json floors_of(const model::Floors& floors);
nlohmann::ordered_json machine_of(const model::LaunchMachine& machine);
nlohmann::ordered_json profile_of(const model::Profile& profile);
nlohmann::ordered_json cpu_mood_of(const model::CpuState& mood);
nlohmann::ordered_json instrument_of(const model::InstrumentState& state);
// With what instruments know of it, where they do.
nlohmann::ordered_json environment_of(const model::Environment& environment);

// Null where the value is not finite.
nlohmann::ordered_json number(double value);
nlohmann::ordered_json number(const std::optional<double>& value);
nlohmann::ordered_json text(const std::string& value);  // null where it is empty
// Bytes that are not UTF-8 are replaced by U+FFFD.
std::string dump(const nlohmann::ordered_json& json, int indent);

}  // namespace graphbench::reporters
