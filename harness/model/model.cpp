// The one derived name of the model: a cell's id, which result documents, plans and messages share.
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

}  // namespace graphbench::model
