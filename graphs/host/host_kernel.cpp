// Launches the host device's kernels, and keeps their implementations by signature.
#include "graphs/host/host_kernel.hpp"

#include <algorithm>
#include <cstdio>
#include <utility>

#include "graphs/host/host_stream.hpp"
#include "graphs/host/op_implementation.hpp"
#include "graphs/ir/random_fill.hpp"

namespace graphbench::host {

void HostKernel::launch(Stream& stream, void* const* operands) {
  OpImplementation& implementation = cache_.at(signature_);
  if (implementation.operands_listed()) {
    if (latest_ == nullptr || !std::equal(operands, operands + operand_count_, latest_))
      latest_ = cache_.keep({operands, operands + operand_count_});
    static_cast<HostStream&>(stream).submit(run, &implementation, &latest_, sizeof(latest_));
    return;
  }
  static_cast<HostStream&>(stream).submit(run, &implementation, operands, operand_count_ * sizeof(void*));
}

void* const* HostKernel::operands_of(const Task& task) {
  const bool listed = static_cast<const OpImplementation*>(task.object)->operands_listed();
  return listed ? static_cast<void* const*>(task.words[0]) : task.words.data();
}

std::optional<std::size_t> HostKernel::in_place_input() const {
  return cache_.at(signature_).in_place_input();
}

void HostKernel::run(Task& task, StreamContext& context) {
  auto& implementation = *static_cast<OpImplementation*>(task.object);
  const RecordedOp recorded(context.records, implementation.name());
  implementation.run(operands_of(task), context);
}

namespace {

std::string attribute_text(const ir::Attribute& attribute) {
  if (const auto* integer = std::get_if<std::int64_t>(&attribute)) return std::to_string(*integer);
  if (const auto* real = std::get_if<double>(&attribute)) {
    char text[40];
    std::snprintf(text, sizeof(text), "%a", *real);  // prints every bit of the value
    return text;
  }
  return std::string("'").append(std::get<std::string>(attribute)).append("'");
}

std::uint64_t hash_of(const std::string& text) {
  std::uint64_t hash = ir::mix64(text.size());
  for (const char c : text) hash = ir::mix64(hash ^ static_cast<unsigned char>(c));
  return hash;
}

}  // namespace

std::string signature_text(const ir::OpCall& call) {
  const ir::Op& op = *call.op;
  std::string text = op.kind;
  for (const auto& [name, value] : op.attributes)
    text.append(";").append(name).append("=").append(attribute_text(value));
  for (std::size_t i = 0; i < call.operands.size(); ++i) {
    text.append(i == call.input_count ? "->" : ",").append(ir::to_string(call.operands[i]));
  }
  if (const gb_op* foreign = op.definition->foreign) {
    text.append("@").append(op.name).append("#").append(std::to_string(call.batch));
    text.append("*").append(std::to_string(reinterpret_cast<std::uintptr_t>(foreign)));
  }
  return text;
}

std::uint64_t KernelCache::find_or_make(const std::string& text,
                                        const std::function<std::unique_ptr<OpImplementation>()>& make) {
  // If another text has this hash, uses the next free signature.
  std::uint64_t signature = hash_of(text);
  auto found = entries_.find(signature);
  while (found != entries_.end() && found->second.text != text) found = entries_.find(++signature);
  if (found == entries_.end()) entries_.emplace(signature, Entry{text, make()});
  return signature;
}

}  // namespace graphbench::host
