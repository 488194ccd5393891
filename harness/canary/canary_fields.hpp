// The JSON form of canaries and of what their processes are asked.
#pragma once

#include "harness/canary/canary.hpp"
#include "harness/canary/canary_process.hpp"
#include "harness/model/codec/result_fields.hpp"

namespace graphbench::model {

GB_NAMES(canary::Answer, "yes", "no", "absent");
GB_NAMES(canary::Verdict, "measured", "same", "slower", "broken", "hung", "blind", "other card");
GB_NAMES(canary::Ask, "floors", "failed_capture", "cluster_update", "programmatic_edge", "conditional",
         "soak");

GB_DESCRIBE(canary::Change, ratio, low, margin, visible, slower);
GB_DESCRIBE(canary::CanaryFloor, name, unit, median, values, (later, change));
GB_DESCRIBE(canary::Probe, name, answer, (later, reason), (later, before));
GB_DESCRIBE(canary::Hang, call, seconds);
GB_DESCRIBE(canary::Base, measured_at, tool_version, driver, processes);
GB_DESCRIBE(canary::Canary,
            (group("tool", field("version", &T::tool_version), field("commit", &T::tool_commit))),
            measured_at, complete, verdict, sentence, environment, processes, soak_seconds, (later, against),
            floors, probes, (later, hang));

GB_DESCRIBE(canary::CanaryRequest, device, ask, hang_seconds, soak_seconds, instruments);
GB_DESCRIBE(canary::CanaryAnswer, status, reason, facts, values, answer, hang);

}  // namespace graphbench::model
