// The ops' own implementations, each made for a tile of rows and for the rows that are left behind the last
// whole tile. Every element is computed from its row alone, so that its bits do not depend on the tile.
#include <omp.h>

#include <algorithm>

#include "graphs/host/ops/direct_op.hpp"
#include "graphs/host/ops/make_op.hpp"

namespace graphbench::host {
namespace {

constexpr std::int64_t tile_elements_a_thread = 16 * 1024;  // what ops of rows give a thread at least

// A vector is a bias or the weights of a norm: all rows take the same.
bool has_rows(const ir::TensorDesc& value) {
  return value.dims.size() > 1;
}

class Chain {
 public:
  Chain(const ChainCall& call, ScratchArena& scratch) : stored_(call.read + call.written) {
    // Rows of one sequence stay together where an op puts them in another order.
    units_ = call.ops.front().input(0).dims[0];
    for (const ir::TensorDesc& value : call.values) {
      if (has_rows(value)) units_ = std::min(units_, value.dims[0]);
    }
    const std::int64_t elements = call.ops.front().input(0).elements();
    const std::int64_t wanted = tile_elements_a_thread * omp_get_max_threads();
    tile_ = std::clamp<std::int64_t>(units_ * wanted / elements, 1, units_);
    std::size_t scratch_bytes = 0;
    for (std::size_t i = 0; i < call.values.size(); ++i) {
      const ir::TensorDesc& value = call.values[i];
      steps_.push_back(has_rows(value) ? value.bytes() / static_cast<std::size_t>(units_) : 0);
      if (i < stored_) continue;
      offsets_.push_back(scratch_bytes);
      scratch_bytes += (steps_[i] * static_cast<std::size_t>(tile_) + 63) / 64 * 64;
    }
    scratch_ = scratch.reserve(scratch_bytes);
    for (std::size_t i = 0; i < call.ops.size(); ++i) {
      Part& part = parts_.emplace_back();
      part.places = call.places[i];
      part.operands.resize(part.places.size());
      part.tile = make_op(of_units(call.ops[i], tile_), scratch);
      if (units_ % tile_ != 0) part.rest = make_op(of_units(call.ops[i], units_ % tile_), scratch);
    }
  }

  void operator()(void* const* operands, StreamContext& context) {
    for (std::int64_t first = 0; first < units_; first += tile_) {
      for (Part& part : parts_) {
        for (std::size_t i = 0; i < part.places.size(); ++i)
          part.operands[i] = address(part.places[i], operands, first);
        (first + tile_ <= units_ ? part.tile : part.rest)->run(part.operands.data(), context);
      }
    }
  }

 private:
  struct Part {
    std::vector<std::size_t> places;
    std::vector<void*> operands;
    std::unique_ptr<OpImplementation> tile;
    std::unique_ptr<OpImplementation> rest;
  };

  // The op on so many units instead of all of them.
  ir::OpCall of_units(ir::OpCall call, std::int64_t units) const {
    for (ir::TensorDesc& operand : call.operands) {
      if (has_rows(operand)) operand.dims[0] = operand.dims[0] / units_ * units;
    }
    return call;
  }

  void* address(std::size_t place, void* const* operands, std::int64_t first) const {
    if (place >= stored_) return scratch_ + offsets_[place - stored_];
    return static_cast<std::byte*>(operands[place]) + steps_[place] * static_cast<std::size_t>(first);
  }

  std::size_t stored_;              // values in memory; the others are in scratch
  std::int64_t units_ = 0;          // rows, or sequences of them
  std::int64_t tile_ = 0;           // units
  std::vector<std::size_t> steps_;  // bytes of a unit, by value; 0 of what all rows share
  std::vector<std::size_t> offsets_;
  std::byte* scratch_ = nullptr;
  std::vector<Part> parts_;
};

}  // namespace

std::unique_ptr<OpImplementation> make_chain(const ChainCall& call, ScratchArena& scratch) {
  return direct_op(call.read + call.written, Chain(call, scratch));
}

}  // namespace graphbench::host
