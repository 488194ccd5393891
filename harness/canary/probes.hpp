// The questions that a canary process answers with yes or no.
#pragma once

#include "graphs/device/device.hpp"
#include "harness/canary/canary_process.hpp"
#include "harness/measure/floor/meter.hpp"

namespace graphbench::canary {

// Answers `request.ask`. A probe that fails, or whose result is wrong, answers `no` with a reason. Throws
// only what spoils the device.
void probe(Device& device, measure::Meter& meter, const CanaryRequest& request, CanaryAnswer& answer);

}  // namespace graphbench::canary
