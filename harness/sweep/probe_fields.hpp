// The JSON form of the probe's requests and answers.
#pragma once

#include "harness/model/codec/messages.hpp"
#include "harness/model/codec/result_fields.hpp"
#include "harness/sweep/probe.hpp"

namespace graphbench::model {

GB_DESCRIBE(DeviceStatus, id, available, detail, advice, dtypes, absent);
GB_DESCRIBE(abi::WorkloadOption, key, help, min, max);
GB_DESCRIBE(abi::WorkloadPreset, name, values);
GB_DESCRIBE(abi::WorkloadInfo, name, help, plugin, options, presets, modes);
GB_DESCRIBE(sweep::ProbeRequest, list_devices, device, plugins, list_workloads, programs, dump);

GB_NAMES(sweep::ProbeStage::What, "device", "plugin", "program", "interpreter");

GB_DESCRIBE(sweep::ProbeStage, what, subject);
GB_DESCRIBE(sweep::ProbeFailure, stage, bad_input, bad_split, message);
GB_DESCRIBE(sweep::Catalog, device, facts, no_gpu, dtypes, workloads);
GB_DESCRIBE(sweep::ProbeAnswer, devices, catalog, dumps, notes);

GB_NAMES(sweep::ProbeEvent, "stage", "failure", "answer");

}  // namespace graphbench::model
