// What `fleet` found is written only.
#include "harness/codec/documents.hpp"
#include "harness/codec/json_writer.hpp"

namespace graphbench::codec {

template <>
struct Description<model::FleetUnit> {
  using T = model::FleetUnit;
  static constexpr auto fields =
      std::tuple(field("factor", &T::factor), field("p", &T::p), field("outlier", &T::outlier));
};

template <>
struct Description<model::FleetDocument> {
  using T = model::FleetDocument;
  static constexpr auto fields =
      std::tuple(field("source", &T::source), field("started_at", &T::started_at),
                 field("device_factor", &T::device_factor), field("submit_factor", &T::submit_factor));
};

template <>
struct Description<model::FleetGpu> {
  using T = model::FleetGpu;
  static constexpr auto fields = std::tuple(
      field("uuid", &T::uuid), field("node", &T::node), inlined(&T::unit), field("drift", &T::drift),
      field("cells_failed", &T::cells_failed), field("documents", &T::documents));
};

template <>
struct Description<model::FleetNode> {
  using T = model::FleetNode;
  static constexpr auto fields = std::tuple(field("hostname", &T::hostname), inlined(&T::unit),
                                            field("gpus", &T::gpus), field("gpus_slow", &T::gpus_slow));
};

template <>
struct Description<model::FleetSpread> {
  using T = model::FleetSpread;
  static constexpr auto fields = std::tuple(field("deviation", &T::deviation), field("range", &T::range));
};

template <>
struct Description<model::FleetCell> {
  using T = model::FleetCell;
  static constexpr auto fields = std::tuple(field("id", &T::id), field("device", &T::device),
                                            field("submit", &T::submit), field("host_bound", &T::host_bound));
};

template <>
struct Description<model::FleetTest> {
  using T = model::FleetTest;
  static constexpr auto fields =
      std::tuple(field("tested", &T::tested), field("spread", &T::spread), field("threshold", &T::threshold),
                 field("detectable", &T::detectable));
};

template <>
struct Description<model::Fleet::Difference> {
  using T = model::Fleet::Difference;
  static constexpr auto fields = std::tuple(field("field", &T::field), field("documents", &T::documents));
};

template <>
struct Description<model::Fleet> {
  using T = model::Fleet;
  static constexpr auto fields = std::tuple(
      group("tool", field("version", &T::tool_version), field("commit", &T::tool_commit)),
      field("device", &T::device_name), field("plan", &T::plan_hash), field("documents", &T::documents),
      field("alpha", &T::alpha), group("tests", field("gpus", &T::gpu_test), field("nodes", &T::node_test)),
      field("differences", &T::differences), field("gpus", &T::gpus), field("nodes", &T::nodes),
      field("cells", &T::cells));
};

std::string to_json(const model::Fleet& fleet) {
  Json document = {{"schema", "graphbench.fleet/1"}};
  document.update(JsonWriter(Form::document).write(fleet));
  return dump(document, 2) + "\n";
}

}  // namespace graphbench::codec
