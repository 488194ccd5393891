// The times of many documents of one plan, as tables of documents by cells.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "harness/model/result.hpp"

namespace graphbench::fleet {

struct Replica {
  std::string source;
  std::string gpu;   // its uuid; on the host the hostname
  std::string node;  // the hostname
  std::string started_at;
  std::int64_t cells_failed = 0;
};

struct Replicas {
  std::string device_name;
  std::string plan_hash;
  std::vector<model::Cell> cells;
  std::vector<Replica> documents;
  // Logarithms of seconds, a document's cells one after the other: the median over launches of their medians.
  // NaN where a cell has none.
  std::vector<double> device;
  std::vector<double> submit;
  std::map<std::string, std::int64_t> differences;  // by fact: documents that differ from the first
};

}  // namespace graphbench::fleet
