// A catalog of workloads as a probe might return it, for tests of plans.
#pragma once

#include "harness/sweep/plan/workload_choice.hpp"

namespace graphbench::sweep {

inline Catalog sample_catalog() {
  Catalog catalog;
  catalog.device = "host";
  catalog.facts.kind = "host";
  catalog.facts.name = "a CPU";
  catalog.dtypes = {"bf16", "fp32"};
  const abi::WorkloadOption hidden{"hidden", "width", 1, 4096};
  catalog.workloads.push_back(
      {"mlp", "layers", "builtin", {hidden}, {{"base", {{"hidden", 1024}}}, {"tiny", {{"hidden", 64}}}}});
  catalog.workloads.push_back({"conv", "blocks", "builtin", {}, {{"base", {}}, {"tiny", {}}}});
  catalog.workloads.push_back({"mine", "a plugin's", "/p.so", {hidden}, {{"odd", {{"hidden", 3}}}}});
  return catalog;
}

}  // namespace graphbench::sweep
