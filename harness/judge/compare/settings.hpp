// Reads margins, floors and the level of a comparison from the text of command line options.
#pragma once

#include <string>

#include "harness/model/comparison.hpp"

namespace graphbench::compare {

// All throw InputError, which names the flag, the value and what to give instead.

// "2%", "latency=2%,submit=5%", "2%,capture=10%": a bare value is for all metrics, wherever it stands.
void set_margins(const std::string& text, model::ComparisonSettings& settings);
// "200ns", "latency=1us,capture=0": seconds with a unit of ns, us, ms or s; a bare 0 means no floor.
void set_floors(const std::string& text, model::ComparisonSettings& settings);
// "0.05": above 0 and at most 0.5.
void set_alpha(const std::string& text, model::ComparisonSettings& settings);
// "5%", "5%,submit=10%": above 0. The bare value is of one cell's latency, the others of means.
void set_required_power(const std::string& text, model::ComparisonSettings& settings);
// "device.name,plan": names of facts.hpp.
void set_allow(const std::string& text, model::ComparisonSettings& settings);

}  // namespace graphbench::compare
