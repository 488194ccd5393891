// An op made of oneDNN primitives, which run in order. Their arguments are operands, scratch memory or
// constants. Binding addresses and running are separate, as for all ops of this device.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <oneapi/dnnl/dnnl.hpp>
#include <string>
#include <vector>

#include "graphs/device/scratch_arena.hpp"
#include "graphs/host/op_implementation.hpp"
#include "graphs/ir/program.hpp"

namespace graphbench::host {

// Where an argument's memory is: in the op's operand of this index, or in one of two memories of the op's
// own.
struct Place {
  static constexpr int scratch = -1;
  static constexpr int constants = -2;
  int operand = scratch;
  std::size_t offset_bytes = 0;
};

struct LibraryArgument {
  int name = 0;  // DNNL_ARG_*
  dnnl::memory::desc desc;
  Place place;
};

struct LibraryStep {
  dnnl::primitive primitive;
  std::vector<LibraryArgument> arguments;
};

struct Located {
  dnnl::memory::desc desc;
  Place place;
};

// The attributes of all primitives: the op, not oneDNN, provides the scratch memory.
dnnl::primitive_attr library_attributes();
dnnl::engine library_engine_handle();

class LibraryOpBuilder {
 public:
  Place scratch(std::size_t bytes);  // 512-byte aligned
  Place constant(const std::vector<float>& data);
  template <typename Primitive>
  void step(const typename Primitive::primitive_desc& chosen, std::vector<LibraryArgument> arguments) {
    add(Primitive(chosen), chosen.scratchpad_desc(), std::move(arguments));
  }
  template <typename Primitive>
  void step(const typename Primitive::desc& wanted, std::vector<LibraryArgument> arguments,
            const dnnl::primitive_attr& attributes = library_attributes()) {
    step<Primitive>(typename Primitive::primitive_desc(wanted, attributes, library_engine_handle()),
                    std::move(arguments));
  }
  void reorder(const Located& from, const Located& to);
  // Every run repacks the tensor, because the caller may change the weights between runs.
  Place repacked(const Located& given, const dnnl::memory::desc& wanted);
  std::unique_ptr<OpImplementation> finish(ScratchArena& arena);

 private:
  void add(dnnl::primitive primitive, const dnnl::memory::desc& scratchpad,
           std::vector<LibraryArgument> arguments);

  std::vector<LibraryStep> steps_;
  std::vector<float> constants_;
  std::size_t scratch_bytes_ = 0;
  std::size_t scratchpad_bytes_max_ = 0;  // primitives run one after another and share one scratchpad
};

dnnl::memory::data_type library_type(ir::DType dtype);
dnnl::memory::desc plain(const dnnl::memory::dims& dims, dnnl::memory::data_type type);
// A mask of tokens x slots: 0 if a query may see a slot, else a value so far below every score that its
// exponential in the softmax is exactly 0. The value is finite, because infinity minus infinity is NaN.
std::vector<float> causal_mask(std::int64_t tokens, std::int64_t slots);
void append_activation(dnnl::post_ops& post_ops, const ir::Op& op);
// Rethrows oneDNN's exceptions as Error (out_of_memory, unsupported or library_failed), which names the op.
std::unique_ptr<OpImplementation> library_guard(
    const ir::OpCall& call, const std::function<std::unique_ptr<OpImplementation>()>& build);

}  // namespace graphbench::host
