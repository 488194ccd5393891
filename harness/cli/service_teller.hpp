// Tells the service that started this sweep how it goes.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "harness/model/plan.hpp"
#include "harness/sweep/sweep_listener.hpp"

namespace graphbench::cli {

class ServiceTeller final : public sweep::SweepListener {
 public:
  // `identity`: as identity_of() says.
  ServiceTeller(const std::string& device, const model::DeviceFacts& facts, std::string identity);
  // Told on once a second, and when all is done: a thousand may listen, while a worker measures.
  void update(const model::Progress& progress) override;
  void cells_done(const std::vector<model::CellResult>& cells) override;

  // What must agree for cells of two runs to stand in one document: plan, machine, device and binary.
  static std::string identity_of(const model::Plan& plan, const model::DeviceFacts& facts);
  // Cells of the lines that a service kept of an earlier run; none of one with another identity.
  static std::vector<model::CellResult> finished_cells(const std::string& kept, const std::string& identity);

 private:
  std::string identity_;
  std::optional<std::chrono::steady_clock::time_point> told_at_;
};

}  // namespace graphbench::cli
