// The derived names of the model, which result documents, plans, metrics and messages share.
#include "harness/model/result.hpp"

namespace graphbench::model {

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
