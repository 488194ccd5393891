// Parses margins, floors, alpha and allowed differences from the text of command line options.
#pragma once

#include <string>

#include "harness/model/comparison.hpp"

namespace graphbench::judge {

// All functions throw InputError, which names the flag, the value and a valid form.

// "2%", "latency=2%,submit=5%", "2%,capture=10%". A value without a name is for all other metrics.
void set_margins(const std::string& text, model::ComparisonSettings& settings);
// "200ns", "latency=1us,capture=0". Units are ns, us, ms and s; 0 without a unit means no floor.
void set_floors(const std::string& text, model::ComparisonSettings& settings);
// A number from 0.000001 to 0.5, such as "0.05".
void set_alpha(const std::string& text, model::ComparisonSettings& settings);
// "5%", "5%,submit=10%": above 0. A value without a name is for one cell's latency, others are for means.
void set_required_power(const std::string& text, model::ComparisonSettings& settings);
// "device.name,plan": names of allowable_fields().
void set_allow(const std::string& text, model::ComparisonSettings& settings);

}  // namespace graphbench::judge
