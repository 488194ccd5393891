// A built-in kind of op as one row of a table (kinds.cpp), and the checks that follow from the row.
#pragma once

#include <string>
#include <vector>

#include "graphs/ir/program.hpp"

namespace graphbench::ir {

using Outputs = std::vector<InferredOutput>;

// Inputs are floats of one dtype, except `integer_inputs` (i32) and `scalar_inputs` (always fp32).
struct KindRow {
  const char* kind = "";
  std::size_t inputs = 0;
  std::vector<std::string> flagged_inputs = {};    // attributes; each with value 1 adds an input
  std::vector<std::uint32_t> integer_inputs = {};  // positions of these inputs
  std::vector<std::uint32_t> scalar_inputs = {};
  std::vector<std::uint32_t> mutated_inputs = {};
  InputGroups groups = {};  // after the inputs, for kinds with any number of inputs
  std::vector<AttributeRule> attributes = {};
  Outputs (*infer)(const Op& op, const Inputs& inputs) = nullptr;
  OpTraits traits = {};
};

// All built-in kinds. OPS.md defines what each computes.
const std::vector<KindRow>& kind_rows();

// Makes one definition per row, whose `infer` first checks attributes and the number and dtypes of inputs.
std::vector<OpDefinition> builtin_definitions();

// The kinds that training adds; kind_rows() includes them.
std::vector<KindRow> training_rows();

[[noreturn]] void refuse(const Op& op, const std::string& why);  // throws Error(invalid_argument)

// Helpers for shape inference. All throw Error(invalid_argument).
void expect_shape(const Op& op, const Value& value, const Shape& wanted);
void expect_rank(const Op& op, const Value& value, std::size_t rank);
std::int64_t fixed_extent(const Op& op, const Value& value, std::size_t axis);
bool flag(const Op& op, std::string_view name);
bool is_positive_real(const Attribute& given);
AttributeRule flag_rule(const char* name);
AttributeRule required_size(const char* name);
AttributeRule padding_rule();
AttributeRule stride_rule();
// The output extent of a window that slides over `extent`, with the op's padding and stride.
std::int64_t window_steps(const Op& op, std::int64_t extent, std::int64_t window);
Outputs infer_sdpa(const Op& op, const Inputs& inputs);
Outputs infer_elementwise(const Op& op, const Inputs& inputs);  // all inputs have the first one's shape
Outputs infer_nothing(const Op& op, const Inputs& inputs);

}  // namespace graphbench::ir
