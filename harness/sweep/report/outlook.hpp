// Makes the lines printed before a sweep: its size, its estimated time, the result that it replaces. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "harness/model/plan.hpp"

namespace graphbench::reporters {

// For example "324 cells, 36 processes, about 4 minutes".
std::string outlook(std::size_t cells, const std::vector<model::WorkerTask>& tasks);

// For example "the result of 2026-11-25T14:52:01Z (42 cells of mlp on NVIDIA H200)".
std::string result_in_words(const model::Result& head, std::size_t cells);

}  // namespace graphbench::reporters
