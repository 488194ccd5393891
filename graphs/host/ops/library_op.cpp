// Binds and runs oneDNN primitives through the C API, whose arrays of arguments are built once. The C++ API
// builds a map for each run.
#include "graphs/host/ops/library_op.hpp"

#include <algorithm>
#include <utility>

#include "graphs/base/error.hpp"
#include "graphs/host/library_stream.hpp"

namespace graphbench::host {
namespace {

constexpr std::size_t scratch_alignment = 512;

class Binding {
 public:
  Binding(const std::vector<LibraryStep>& steps, std::byte* scratch, std::byte* constants) {
    for (const LibraryStep& step : steps) {
      Call call{step.primitive.get(), {}};
      for (const LibraryArgument& argument : step.arguments) {
        std::byte* data = nullptr;
        if (argument.place.operand == Place::scratch) data = scratch + argument.place.offset_bytes;
        if (argument.place.operand == Place::constants) data = constants + argument.place.offset_bytes;
        memories_.emplace_back(argument.desc, library_engine_handle(), data);
        call.arguments.push_back({argument.name, memories_.back().get()});
        if (data == nullptr) open_.push_back({memories_.back().get(), argument.place});
      }
      calls_.push_back(std::move(call));
    }
  }

  void point_at(void* const* operands) {
    for (const OpenArgument& open : open_) {
      auto* data = static_cast<std::byte*>(operands[open.place.operand]) + open.place.offset_bytes;
      check_library(dnnl_memory_set_data_handle(open.memory, data), "bind operands");
    }
  }

  void run(StreamContext& context) {
    for (const Call& call : calls_) {
      check_library(dnnl_primitive_execute(call.primitive, context.library_stream,
                                           static_cast<int>(call.arguments.size()), call.arguments.data()),
                    "run primitive");
    }
  }

 private:
  struct Call {
    dnnl_primitive_t primitive;
    std::vector<dnnl_exec_arg_t> arguments;
  };
  struct OpenArgument {
    dnnl_memory_t memory;
    Place place;
  };

  std::vector<dnnl::memory> memories_;
  std::vector<Call> calls_;
  std::vector<OpenArgument> open_;  // arguments that are operands and get their addresses later
};

class BoundLibraryOp final : public BoundOp {
 public:
  BoundLibraryOp(Binding binding, void* const* operands) : binding_(std::move(binding)) {
    binding_.point_at(operands);
  }
  void run(StreamContext& context) override { binding_.run(context); }

 private:
  Binding binding_;
};

class LibraryOp final : public OpImplementation {
 public:
  LibraryOp(std::vector<LibraryStep> steps, std::vector<float> constants, std::byte* scratch)
      : steps_(std::move(steps)),
        constants_(std::move(constants)),
        scratch_(scratch),
        eager_(make_binding()) {}

  void run(void* const* operands, StreamContext& context) override {
    eager_.point_at(operands);
    eager_.run(context);
  }
  std::unique_ptr<BoundOp> bind(void* const* operands) override {
    return std::make_unique<BoundLibraryOp>(make_binding(), operands);
  }

 private:
  Binding make_binding() { return {steps_, scratch_, reinterpret_cast<std::byte*>(constants_.data())}; }

  std::vector<LibraryStep> steps_;
  std::vector<float> constants_;
  std::byte* scratch_;
  Binding eager_;  // gets new addresses at each run
};

}  // namespace

Place LibraryOpBuilder::scratch(std::size_t bytes) {
  const Place place{Place::scratch, scratch_bytes_};
  scratch_bytes_ += (bytes + scratch_alignment - 1) / scratch_alignment * scratch_alignment;
  return place;
}

Place LibraryOpBuilder::constant(const std::vector<float>& data) {
  const Place place{Place::constants, constants_.size() * sizeof(float)};
  constants_.insert(constants_.end(), data.begin(), data.end());
  return place;
}

void LibraryOpBuilder::add(dnnl::primitive primitive, const dnnl::memory::desc& scratchpad,
                           std::vector<LibraryArgument> arguments) {
  if (scratchpad.get_size() != 0) {
    arguments.push_back({DNNL_ARG_SCRATCHPAD, scratchpad, Place{Place::scratch, 0}});
    scratchpad_bytes_max_ = std::max(scratchpad_bytes_max_, scratchpad.get_size());
  }
  steps_.push_back({std::move(primitive), std::move(arguments)});
}

void LibraryOpBuilder::reorder(const Located& from, const Located& to) {
  const dnnl::engine engine = library_engine_handle();
  step<dnnl::reorder>(dnnl::reorder::primitive_desc(engine, from.desc, engine, to.desc, library_attributes()),
                      {{DNNL_ARG_FROM, from.desc, from.place}, {DNNL_ARG_TO, to.desc, to.place}});
}

Place LibraryOpBuilder::repacked(const Located& given, const dnnl::memory::desc& wanted) {
  if (given.desc == wanted) return given.place;
  const Place packed = scratch(wanted.get_size());
  reorder(given, {wanted, packed});
  return packed;
}

std::unique_ptr<OpImplementation> LibraryOpBuilder::finish(ScratchArena& arena) {
  const Place scratchpad = scratch(scratchpad_bytes_max_);
  for (LibraryStep& step : steps_) {
    for (LibraryArgument& argument : step.arguments) {
      if (argument.name == DNNL_ARG_SCRATCHPAD) argument.place = scratchpad;
    }
  }
  arena.count(constants_.size() * sizeof(float));
  return std::make_unique<LibraryOp>(std::move(steps_), std::move(constants_), arena.reserve(scratch_bytes_));
}

dnnl::engine library_engine_handle() {
  dnnl::engine engine;
  engine.reset(library_engine(), true);  // a weak handle, which does not destroy the engine
  return engine;
}

dnnl::memory::data_type library_type(ir::DType dtype) {
  switch (dtype) {
    case ir::DType::fp32:
      return dnnl::memory::data_type::f32;
    case ir::DType::bf16:
      return dnnl::memory::data_type::bf16;
    case ir::DType::fp16:
      return dnnl::memory::data_type::f16;
    case ir::DType::i32:
      return dnnl::memory::data_type::s32;
  }
  return dnnl::memory::data_type::undef;
}

dnnl::memory::desc plain(const dnnl::memory::dims& dims, dnnl::memory::data_type type) {
  dnnl::memory::dims strides(dims.size(), 1);
  for (std::size_t i = dims.size() - 1; i > 0; --i) strides[i - 1] = strides[i] * dims[i];
  return dnnl::memory::desc(dims, type, strides);
}

dnnl::primitive_attr library_attributes() {
  dnnl::primitive_attr attributes;
  attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  return attributes;
}

std::vector<float> causal_mask(std::int64_t tokens, std::int64_t slots) {
  std::vector<float> mask;
  for (std::int64_t t = 0; t < tokens; ++t) {
    for (std::int64_t slot = 0; slot < slots; ++slot)
      mask.push_back(slot <= slots - tokens + t ? 0.0f : -1e30f);
  }
  return mask;
}

void append_activation(dnnl::post_ops& post_ops, const ir::Op& op) {
  const std::string& activation = ir::text_attribute(op, "activation");
  if (activation == "none") return;
  const auto algorithm =
      activation == "relu" ? dnnl::algorithm::eltwise_relu : dnnl::algorithm::eltwise_gelu_tanh;
  post_ops.append_eltwise(1.0f, algorithm, 0.0f, 0.0f);
}

std::unique_ptr<OpImplementation> library_guard(
    const ir::OpCall& call, const std::function<std::unique_ptr<OpImplementation>()>& build) {
  try {
    return build();
  } catch (const dnnl::error& error) {
    const ErrorCode code = error.status == dnnl_out_of_memory   ? ErrorCode::out_of_memory
                           : error.status == dnnl_unimplemented ? ErrorCode::unsupported
                                                                : ErrorCode::library_failed;
    throw Error(code, "prepare " + call.op->name + " (" + call.op->kind + ") with oneDNN: " + error.what());
  }
}

}  // namespace graphbench::host
