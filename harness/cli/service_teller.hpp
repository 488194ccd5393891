// Tells the service that started this sweep how it goes.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "harness/sweep/progress.hpp"

namespace graphbench::cli {

class ServiceTeller final : public sweep::Progress {
 public:
  ServiceTeller(const std::string& device, const model::DeviceFacts& facts);
  // Told on once a second, and when all is done: a thousand may listen, while a worker measures.
  void update(const model::Progress& progress) override;
  void cells_done(const std::vector<model::CellResult>& cells) override;

 private:
  std::optional<std::chrono::steady_clock::time_point> told_at_;
};

}  // namespace graphbench::cli
