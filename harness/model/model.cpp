// The derived names of the model, which result documents, plans, metrics and messages share.
#include "harness/model/result.hpp"

namespace graphbench::model {

std::string id_of(const Cell& cell) {
  std::string id;
  id.reserve(64);
  id.append(cell.workload).append("/").append(cell.preset).append("/").append(cell.dtype).append("/");
  id.append(cell.pass).append("/b").append(std::to_string(cell.batch));
  id.append("/w").append(std::to_string(cell.warmup)).append("/").append(cell.mode);
  return id;
}

std::string_view name_of(CellStatus status) noexcept {
  switch (status) {
    case CellStatus::ok:
      return "ok";
    case CellStatus::failed:
      return "failed";
    case CellStatus::pending:
    case CellStatus::skipped:
      break;
  }
  return "skipped";
}

}  // namespace graphbench::model
