// Reports progress and finished cells of a sweep to the service that started it.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "harness/model/plan.hpp"
#include "harness/sweep/sweep_listener.hpp"

namespace graphbench::cli {

class ServiceReporter final : public sweep::SweepListener {
 public:
  // `identity`: as identity_of() says.
  ServiceReporter(const std::string& device, const model::DeviceFacts& facts, std::string identity);
  // At most once a second, and when all is done: a thousand clients may listen while a worker measures.
  void update(const model::Progress& progress) override;
  void cells_done(const std::vector<model::CellResult>& cells) override;

  // What must be equal for cells of two runs to stand in one document: plan, machine, device and binary.
  static std::string identity_of(const model::Plan& plan, const model::DeviceFacts& facts);
  // Cells in the lines that the service kept of an earlier run, if that has the same identity.
  static std::vector<model::CellResult> finished_cells(const std::string& kept, const std::string& identity);

 private:
  std::string identity_;
  std::optional<std::chrono::steady_clock::time_point> reported_at_;
};

}  // namespace graphbench::cli
