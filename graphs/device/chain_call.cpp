// Values in the order of their places, then each op's operands among them.
#include "graphs/device/chain_call.hpp"

#include <algorithm>

namespace graphbench {

std::string ChainCall::kinds() const {
  std::string text;
  for (const ir::OpCall& op : ops) text.append(text.empty() ? "" : "+").append(op.op->kind);
  return text;
}

ChainCall chain_call(const ir::Program& program, const ir::Chain& chain, std::int64_t batch) {
  std::vector<ir::ValueId> ids = chain.read;
  ids.insert(ids.end(), chain.written.begin(), chain.written.end());
  ids.insert(ids.end(), chain.inside.begin(), chain.inside.end());
  ChainCall call;
  call.read = chain.read.size();
  call.written = chain.written.size();
  call.general = program.code() == ir::Code::general;
  for (const ir::ValueId id : ids) call.values.push_back(program.describe(id, batch));
  for (const ir::OpId id : chain.ops) {
    call.ops.push_back(program.call(id, batch));
    std::vector<std::size_t>& places = call.places.emplace_back();
    const auto add = [&](ir::ValueId value) {
      places.push_back(static_cast<std::size_t>(std::ranges::find(ids, value) - ids.begin()));
    };
    std::ranges::for_each(program.ops()[id].inputs, add);
    std::ranges::for_each(program.ops()[id].outputs, add);
  }
  return call;
}

}  // namespace graphbench
