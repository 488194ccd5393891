// Where a new metric is added: one row in metric_rows.cpp. Internal to harness/model.
#pragma once

#include <vector>

#include "harness/model/metrics.hpp"

namespace graphbench::model {

std::vector<MetricRow> metric_rows();

}  // namespace graphbench::model
