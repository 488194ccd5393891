// Cells stand in the plan's order; a cell that failed in one launch has failed, and its first reason
// stays, as within a sweep.
#include "harness/verdict/ab/merge_result.hpp"

#include <map>
#include <nlohmann/json.hpp>

#include "graphs/ir/error.hpp"
#include "harness/model/axes.hpp"
#include "harness/verdict/ab/merge_floors.hpp"
#include "harness/verdict/ab/merge_summary.hpp"

namespace graphbench::ab {
namespace {

using Json = nlohmann::ordered_json;

bool is_ok(const Json& cell) {
  return cell.at("status") == "ok";
}

// In a complete run cells are left out on purpose only.
Json unmeasured(const model::Cell& cell, bool complete) {
  const char* code = complete ? "not_repeated" : "interrupted";
  const char* message = complete ? "only what came out slower was measured again"
                                 : "the run ended before this cell was measured";
  return {{"id", model::id_of(cell)},  {"workload", cell.workload},
          {"preset", cell.preset},     {"dtype", cell.dtype},
          {"pass", cell.pass},         {"batch", cell.batch},
          {"warmup", cell.warmup},     {"mode", cell.mode},
          {"status", "skipped"},       {"reason", {{"code", code}, {"message", message}}},
          {"check", nullptr},          {"graph", nullptr},
          {"memory", nullptr},         {"launches", Json::array()},
          {"summary", empty_summary()}};
}

// A failure outlasts what other launches found; a skip is only ever replaced by one.
void take_status(Json& cell, const Json& other) {
  if (is_ok(other) || cell.at("status") == "failed") return;
  if (!is_ok(cell) && other.at("status") != "failed") return;
  Json merged;
  for (const auto& [key, value] : cell.items()) {
    if (key == "reason") continue;
    merged[key] = key == "status" ? other.at("status") : value;
    if (key == "status" && other.contains("reason")) merged["reason"] = other.at("reason");
  }
  cell = std::move(merged);
}

void take_check(Json& cell, const Json& other) {
  if (!other.contains("check") || other.at("check").is_null()) return;
  Json& check = cell["check"];
  if (check.is_null()) {
    check = other.at("check");
    return;
  }
  const Json& seen = other.at("check");
  check["identical"] = check.at("identical").get<bool>() && seen.at("identical").get<bool>();
  if (seen.at("max_abs_error").is_number() && check.at("max_abs_error").is_number() &&
      seen.at("max_abs_error") > check.at("max_abs_error")) {
    check["max_abs_error"] = seen.at("max_abs_error");
  }
}

Json axes_of(const model::Axes& axes) {
  return {{"workload", axes.workload}, {"preset", axes.preset}, {"dtype", axes.dtype}, {"pass", axes.pass},
          {"batch", axes.batch},       {"warmup", axes.warmup}, {"mode", axes.mode}};
}

}  // namespace

struct ResultMerge::Impl {
  const model::Plan* plan = nullptr;
  Json tool;
  Json environment;                   // the first sweep's
  std::vector<Json> floors;           // of every sweep
  std::map<std::string, Json> cells;  // by id; those not seen yet are absent
  std::map<std::string, LaunchSummaries> summaries;

  void take(const Json& cell, std::int64_t launch) {
    const std::string id = cell.at("id");
    Json launches = cell.at("launches");
    for (Json& each : launches) each["index"] = launch;
    summaries[id].push_back(cell.at("summary"));
    const auto found = cells.find(id);
    if (found == cells.end()) {
      Json first = cell;
      first["launches"] = std::move(launches);
      cells.emplace(id, std::move(first));
      return;
    }
    Json& merged = found->second;
    take_check(merged, cell);
    for (Json& each : launches) merged["launches"].push_back(std::move(each));
    take_status(merged, cell);
  }

  Json plan_of(const RunFacts& facts) const {
    const model::PlanFacts& own = plan->facts;
    Json json = {{"hash", own.hash},
                 {"argv", own.argv},
                 {"seed", own.seed},
                 {"launches", own.launches},
                 {"axes", axes_of(own.axes)}};
    if (own.cold_l2) json["cold_l2"] = true;
    if (own.cell_processes) json["cell_processes"] = true;
    json["interleaved"] = {{"id", facts.interleaved_id}, {"side", facts.role}};
    return json;
  }
};

ResultMerge::ResultMerge(const model::Plan& plan) : impl_(std::make_unique<Impl>()) {
  impl_->plan = &plan;
}
ResultMerge::~ResultMerge() = default;
ResultMerge::ResultMerge(ResultMerge&&) noexcept = default;
ResultMerge& ResultMerge::operator=(ResultMerge&&) noexcept = default;

void ResultMerge::add(const std::string& document, const model::WorkerTask& task, std::int64_t launch) {
  try {
    const Json json = Json::parse(document);
    std::map<std::string, const Json*> found;
    for (const Json& cell : json.at("cells")) found[cell.at("id")] = &cell;
    for (const std::int64_t batch : task.batches) {
      const std::string id = model::id_of(model::cell_of(task, batch));
      const auto cell = found.find(id);
      if (cell == found.end()) throw Error(ErrorCode::invalid_argument, "merge launches: no cell " + id);
      impl_->take(*cell->second, launch);
    }
    const Json& environment = json.at("environment");
    if (environment.contains("floors") && environment.at("floors").is_object())
      impl_->floors.push_back(environment.at("floors"));
    if (!empty()) return;
    impl_->tool = json.at("tool");
    impl_->environment = environment;
  } catch (const nlohmann::json::exception& error) {
    throw Error(ErrorCode::invalid_argument, std::string("merge launches: ") + error.what());
  }
}

void ResultMerge::fail(const model::WorkerTask& task, const model::Reason& reason) {
  for (const std::int64_t batch : task.batches) {
    const model::Cell cell{task.workload, task.preset, task.dtype, task.pass, batch, task.warmup, task.mode};
    Json failed = unmeasured(cell, true);
    failed["status"] = "failed";
    failed["reason"] = {{"code", reason.code}, {"message", reason.message}};
    const auto [place, is_new] = impl_->cells.emplace(model::id_of(cell), failed);
    if (!is_new) take_status(place->second, failed);
  }
}

bool ResultMerge::empty() const {
  return impl_->environment.is_null();
}

std::int64_t ResultMerge::cells_failed() const {
  std::int64_t count = 0;
  for (const auto& [id, cell] : impl_->cells) count += cell.at("status") == "failed" ? 1 : 0;
  return count;
}

std::string ResultMerge::document(const RunFacts& facts) const {
  Json head = {{"schema", "graphbench.result/1"}, {"tool", impl_->tool},
               {"started_at", facts.started_at},  {"finished_at", facts.finished_at},
               {"complete", facts.complete},      {"environment", impl_->environment},
               {"plan", impl_->plan_of(facts)},   {"cells", Json::array()}};
  for (const model::Cell& cell : impl_->plan->cells) {
    const auto found = impl_->cells.find(model::id_of(cell));
    head["cells"].push_back(found == impl_->cells.end() ? unmeasured(cell, facts.complete) : found->second);
  }
  const Json floors = merge_floors(impl_->floors);
  if (!floors.is_null()) head["environment"]["floors"] = floors;
  summarize(head["cells"], impl_->summaries, launch_floors(floors));
  return head.dump(2) + "\n";
}

}  // namespace graphbench::ab
