// An op made of oneDNN primitives: steps in order, each with arguments that come from the operands or
// from scratch memory. Binding an address and running are separate, as everywhere on this device.
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

// Where an argument's memory is: an operand of the op, the op's scratch memory, or its constants.
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

// A tensor, and where it lies.
struct Located {
  dnnl::memory::desc desc;
  Place place;
};

// Attributes every primitive here is made with: scratch memory is ours to provide.
dnnl::primitive_attr library_attributes();
// The engine as the C++ API wants it.
dnnl::engine library_engine_handle();

// Collects the steps of an op and lays out its scratch memory.
class LibraryOpBuilder {
 public:
  // Scratch memory of the op itself, at 512-byte alignment.
  Place scratch(std::size_t bytes);
  // Data that the op keeps for as long as it lives.
  Place constant(const std::vector<float>& data);
  // Adds a primitive. The memory oneDNN wants beside its arguments becomes scratch memory too.
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
  // Where the tensor lies in the layout that a primitive wants. Brought there in every run: weights are the
  // caller's memory, and a copy kept from an earlier run would be wrong once they change.
  Place repacked(const Located& given, const dnnl::memory::desc& wanted);
  std::unique_ptr<OpImplementation> finish(ScratchArena& arena);

 private:
  void add(dnnl::primitive primitive, const dnnl::memory::desc& scratchpad,
           std::vector<LibraryArgument> arguments);

  std::vector<LibraryStep> steps_;
  std::vector<float> constants_;
  std::size_t scratch_bytes_ = 0;
  std::size_t scratchpad_bytes_max_ = 0;  // the steps run one after the other and share one
};

dnnl::memory::data_type library_type(ir::DType dtype);
// A plain row-major tensor.
dnnl::memory::desc plain(const dnnl::memory::dims& dims, dnnl::memory::data_type type);
// tokens x slots: 0 where a query may see a slot, far below every score where it may not: the exponential of
// the difference is exactly 0. Infinity would do as well, but infinity minus infinity is not a number.
std::vector<float> causal_mask(std::int64_t tokens, std::int64_t slots);
// Appends the op's activation.
void append_activation(dnnl::post_ops& post_ops, const ir::Op& op);
// Runs `build`, turning oneDNN's exceptions into Error(library_failed), or out_of_memory, naming the op.
std::unique_ptr<OpImplementation> library_guard(
    const ir::OpCall& call, const std::function<std::unique_ptr<OpImplementation>()>& build);

}  // namespace graphbench::host
