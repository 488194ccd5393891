// The implementations a device has prepared, found by a 64-bit signature of kind, attributes, dtypes
// and shapes. Ops that agree in all of them share one.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "graphs/host/op_implementation.hpp"
#include "graphs/ir/program.hpp"

namespace graphbench::host {

// Everything an implementation depends on, as text: two ops share an implementation exactly where
// their texts agree. A foreign op's also holds its name, which it is passed at every launch.
std::string signature_text(const ir::OpCall& call);

class KernelCache {
 public:
  // The signature of the implementation with this text, made by `make` where it is new.
  std::uint64_t find_or_make(const std::string& text,
                             const std::function<std::unique_ptr<OpImplementation>()>& make);
  OpImplementation& at(std::uint64_t signature) const { return *entries_.find(signature)->second.op; }
  std::size_t size() const noexcept { return entries_.size(); }
  // A copy of the operands that lives as long as the cache, one for equal ones: what tasks point to that have
  // too few words. Steps take the same addresses again and again, so few copies are made.
  void* const* keep(const std::vector<void*>& operands) { return lists_.insert(operands).first->data(); }

 private:
  struct Entry {
    std::string text;
    std::unique_ptr<OpImplementation> op;
  };
  std::unordered_map<std::uint64_t, Entry> entries_;
  std::set<std::vector<void*>> lists_;
};

}  // namespace graphbench::host
