// Tells the service that started this sweep how it goes.
#pragma once

#include <string>
#include <vector>

#include "harness/sweep/progress.hpp"

namespace graphbench::cli {

class ServiceTeller final : public sweep::Progress {
 public:
  ServiceTeller(const std::string& device, const model::DeviceFacts& facts);
  void update(const model::Progress& progress) override;
  void cells_done(const std::vector<model::CellResult>& cells) override;

  // Cells once more that know their floors, which are set against them after the last one.
  static void tell_floors(const model::Result& result);
};

}  // namespace graphbench::cli
