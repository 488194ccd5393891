// What `fleet` found is written only.
#include "harness/codec/documents.hpp"
#include "harness/codec/json_writer.hpp"

namespace graphbench::codec {

GB_DESCRIBE(model::FleetUnit, factor, p, outlier);
GB_DESCRIBE(model::FleetDocument, source, started_at, device_factor, submit_factor);
GB_DESCRIBE(model::FleetGpu, uuid, node, (inlined(&T::unit)), drift, cells_failed, documents);
GB_DESCRIBE(model::FleetNode, hostname, (inlined(&T::unit)), gpus, gpus_slow);
GB_DESCRIBE(model::FleetSpread, deviation, range);
GB_DESCRIBE(model::FleetCell, id, device, submit, host_bound);
GB_DESCRIBE(model::FleetTest, tested, spread, threshold, detectable);
GB_DESCRIBE(model::Fleet::Difference, field, documents);
GB_DESCRIBE(model::Fleet,
            (group("tool", field("version", &T::tool_version), field("commit", &T::tool_commit))),
            (field("device", &T::device_name)), (field("plan", &T::plan_hash)), documents, alpha,
            (group("tests", field("gpus", &T::gpu_test), field("nodes", &T::node_test))), differences, gpus,
            nodes, cells);

std::string to_json(const model::Fleet& fleet) {
  Json document = {{"schema", "graphbench.fleet/1"}};
  document.update(JsonWriter(Form::document).write(fleet));
  return dump(document, 2) + "\n";
}

}  // namespace graphbench::codec
