// Makes a plugin's op usable in programs: defines the op for the catalog, and prepares the op at one batch
// size for both backends.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "graphs/abi/graphbench_abi.h"
#include "graphs/ir/program.hpp"

namespace graphbench::abi {

// The ABI numbers dtypes and value kinds as we do, so a cast converts a value of one enum to the other.
static_assert(GB_FP32 == int(ir::DType::fp32) && GB_FP16 == int(ir::DType::fp16) &&
              GB_BF16 == int(ir::DType::bf16) && GB_I32 == int(ir::DType::i32));
static_assert(GB_INPUT == int(ir::ValueKind::input) && GB_WEIGHT == int(ir::ValueKind::weight) &&
              GB_STATE == int(ir::ValueKind::state));

// Returns the definition of a plugin's op for the catalog; it contains a copy of `op`. Its infer function
// throws Error(invalid_argument) with the plugin's reason if the plugin's infer() refuses the op, and
// Error(plugin_failed) if the plugin's infer() throws or returns an invalid type.
ir::OpDefinition foreign_definition(const gb_op& op);

// The records point into `attributes`, which must outlive them.
std::vector<gb_attr> attribute_records(const ir::Attributes& attributes);

// A plugin's op at one batch size. The ABI promises that a call record stays valid at one address until the
// sweep ends, so that plugins may use the address as a key; so no record is freed with its kernel.
class ForeignKernel {
 public:
  // Throws Error(plugin_failed), which names the op, if prepare() or workspace_bytes() fails or throws.
  ForeignKernel(const ir::OpCall& call, gb_place place);
  ~ForeignKernel();
  ForeignKernel(const ForeignKernel&) = delete;
  ForeignKernel& operator=(const ForeignKernel&) = delete;

  // Call set_workspace() before the first launch. `workspace` has at least workspace_bytes() bytes and
  // outlives the kernel.
  std::size_t workspace_bytes() const noexcept { return record_->workspace_bytes; }
  void set_workspace(void* workspace) noexcept { record_->workspace = workspace; }

  const gb_op& op() const noexcept { return op_; }
  const gb_op_call& call() const noexcept { return *record_; }
  // Runs the op on the calling thread. Throws Error(plugin_failed) if run_host returns an error or throws.
  void run_host(void* const* operands) const;

 private:
  void release() noexcept;

  gb_op op_;
  gb_op_call* record_;
  std::string run_;  // "run NAME (KIND)", made in advance because a launch must not allocate
};

}  // namespace graphbench::abi
