// Signatures of ops and the cache they are the keys of.
#include "graphs/host/kernel_cache.hpp"

#include <cstdio>
#include <utility>

#include "graphs/ir/random_fill.hpp"

namespace graphbench::host {
namespace {

std::string attribute_text(const ir::Attribute& attribute) {
  if (const auto* integer = std::get_if<std::int64_t>(&attribute)) return std::to_string(*integer);
  if (const auto* real = std::get_if<double>(&attribute)) {
    char text[40];
    std::snprintf(text, sizeof(text), "%a", *real);  // every bit of the value
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
  // Where two texts have one hash, the later one gets the next free signature.
  std::uint64_t signature = hash_of(text);
  auto found = entries_.find(signature);
  while (found != entries_.end() && found->second.text != text) found = entries_.find(++signature);
  if (found == entries_.end()) entries_.emplace(signature, Entry{text, make()});
  return signature;
}

}  // namespace graphbench::host
