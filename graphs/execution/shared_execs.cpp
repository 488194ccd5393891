// Decides whether graphs can share an exec, and updates it.
#include "graphs/execution/shared_execs.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "graphs/base/error.hpp"

namespace graphbench::execution {
namespace {

// Whether an update can turn an exec of one graph into the other. An update changes neither edges nor launch
// attributes.
bool differ_in_parameters_only(const std::vector<facts::DescribedNode>& a,
                               const std::vector<facts::DescribedNode>& b) {
  const auto attributes_of = [](const facts::DescribedNode& node) {
    std::map<std::string, std::string> kept = node.facts;
    std::erase_if(kept, [](const auto& fact) {
      return fact.first != "cluster" && fact.first != "priority" && fact.first != "programmatic_edges";
    });
    return kept;
  };
  return std::ranges::equal(a, b, [&](const facts::DescribedNode& one, const facts::DescribedNode& other) {
    return one.type == other.type && one.after == other.after && attributes_of(one) == attributes_of(other);
  });
}

}  // namespace

bool SharedExecs::join(SharedExecs& leader, const std::vector<Piece>& own, const std::vector<Piece>& leaders,
                       const std::function<void()>& renew) {
  const auto alike = [](const Piece& one, const Piece& other) {
    return differ_in_parameters_only(one.graph->describe(), other.graph->describe());
  };
  if (own.empty() || !std::ranges::equal(own, leaders, alike)) return false;
  for (std::size_t i = 0; i < own.size(); ++i) {
    if (own[i].exec->update(*leaders[i].graph).done) continue;
    renew();
    return false;
  }
  if (leader.group_ == nullptr) {
    leader.group_ = std::make_shared<Group>();
    for (const Piece& piece : leaders) leader.group_->execs.push_back(piece.exec);
    leader.group_->holder = &leader;
  }
  group_ = leader.group_;
  return true;
}

void SharedExecs::join_switch(const std::vector<SharedExecs*>& all, std::unique_ptr<GraphExec> exec,
                              void* selector) {
  const auto group = std::make_shared<Group>();
  group->execs = {exec.get()};
  group->of_switch = std::move(exec);
  group->selector = selector;
  int arm = 0;
  for (SharedExecs* side : all) {
    side->arm_ = arm++;
    side->group_ = group;
  }
}

void SharedExecs::take(Stream& stream, const std::vector<Piece>& own) {
  if (group_->selector != nullptr) {
    stream.fill_bytes(group_->selector, arm_, 1);
  } else {
    group_->holder = nullptr;
    for (std::size_t i = 0; i < own.size(); ++i) {
      if (!group_->execs[i]->update(*own[i].graph).done)
        throw Error(ErrorCode::graph_update_failed,
                    "update shared execs: the driver now refuses an update that it accepted before");
    }
  }
  group_->holder = this;
}

}  // namespace graphbench::execution
