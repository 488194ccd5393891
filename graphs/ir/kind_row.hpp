// A built-in kind of op as one row of a table (kinds.cpp), and the checks that follow from a row alone.
#pragma once

#include <string>
#include <vector>

#include "graphs/ir/program.hpp"

namespace graphbench::ir {

using Outputs = std::vector<InferredOutput>;

// Inputs are floating and share one dtype, except for `integer_inputs`, which are i32.
struct KindRow {
  const char* kind = "";
  std::size_t inputs = 0;
  std::vector<std::string> flagged_inputs = {};    // flags, each of which adds an input where it is 1
  std::vector<std::uint32_t> integer_inputs = {};  // by position
  std::vector<std::uint32_t> mutated_inputs = {};  // by position
  std::vector<AttributeRule> attributes = {};
  Outputs (*infer)(const Op& op, const Inputs& inputs) = nullptr;  // called where the row's checks passed
  OpTraits traits = {};
};

// Every built-in kind; OPS.md says what they compute.
const std::vector<KindRow>& kind_rows();

// The rows as definitions, whose inference checks attributes, number and dtypes of inputs first.
std::vector<OpDefinition> builtin_definitions();

[[noreturn]] void refuse(const Op& op, const std::string& why);  // Error(invalid_argument)

}  // namespace graphbench::ir
