// What is not known yet is null.
#include "harness/service/serve/sweep_json.hpp"

namespace graphbench::serve {
namespace {

using nlohmann::json;

json nullable(const std::string& text) {
  return text.empty() ? json(nullptr) : json(text);
}

}  // namespace

json json_of(const StoredSweep& sweep) {
  return {{"id", sweep.id},
          {"state", name_of(sweep.state)},
          {"resumable", sweep.state == SweepState::interrupted},
          {"arguments", sweep.arguments},
          {"submitted_at", sweep.submitted_at},
          {"started_at", nullable(sweep.started_at)},
          {"finished_at", nullable(sweep.finished_at)},
          {"exit_code", sweep.exit_code ? json(*sweep.exit_code) : json(nullptr)},
          {"message", nullable(sweep.message)}};
}

json json_of(const model::Progress& progress) {
  return {{"cells_done", progress.cells_done},
          {"cells_total", progress.cells_total},
          {"failures", progress.failures},
          {"elapsed_seconds", progress.elapsed_seconds},
          {"eta_seconds", progress.eta_seconds ? json(*progress.eta_seconds) : json(nullptr)},
          {"worker", nullable(progress.worker)},
          {"phase", nullable(progress.phase)},
          {"batch", progress.batch}};
}

std::string text_of(const json& document) {
  return document.dump(-1, ' ', false, json::error_handler_t::replace);
}

}  // namespace graphbench::serve
