// Runs the forward ops of a layer again before its backward ops, so that a step keeps fewer activations (Chen
// et al., "Training deep nets with sublinear memory cost", arXiv:1604.06174).
#include <algorithm>
#include <map>
#include <utility>

#include "graphs/base/text.hpp"
#include "graphs/ir/program.hpp"

namespace graphbench::ir {
namespace {

// Consecutive forward ops of one layer, [first, last). Markers do not end a run.
struct Run {
  std::string layer;
  std::size_t first = 0;
  std::size_t last = 0;
};

// The runs of all layers. A loss belongs to no layer, because its op also computes the first gradient.
std::vector<Run> runs_of(const std::vector<Op>& ops) {
  std::vector<Run> runs;
  bool open = false;
  for (std::size_t i = 0; i < ops.size(); ++i) {
    if (ops[i].traits.marker) continue;
    const bool in_layer = ops[i].phase == Phase::forward && !ops[i].kind.ends_with("_loss");
    if (in_layer && !(open && runs.back().layer == layer_of(ops[i].name)))
      runs.push_back({layer_of(ops[i].name), i, i});
    open = in_layer;
    if (open) runs.back().last = i + 1;
  }
  return runs;
}

class Readers {
 public:
  Readers(const std::vector<Op>& ops, const Run& run) {
    for (std::size_t i = run.first; i < ops.size(); ++i) {
      const bool inside = i < run.last;
      for (const ValueId id : inside ? ops[i].outputs : std::vector<ValueId>()) readers_[id] = {ops.size()};
      for (const ValueId id : ops[i].inputs) {
        const auto found = readers_.find(id);
        if (inside || found == readers_.end()) continue;
        if (ops[i].phase == Phase::forward) found->second.kept = true;
        if (ops[i].phase != Phase::forward) found->second.first = std::min(found->second.first, i);
      }
    }
    for (const auto& [id, read] : readers_) {
      if (!read.kept) first_ = std::min(first_, read.first);
    }
  }
  // The index of the first op after the forward phase that reads an inner value (is_inner()). At least the
  // number of ops if no op does.
  std::size_t first() const { return first_; }
  // True if the run computes the value and no forward op after the run reads it.
  bool is_inner(ValueId id) const {
    const auto found = readers_.find(id);
    return found != readers_.end() && !found->second.kept;
  }
  bool is_read_later(ValueId id, std::size_t ops) const {
    return is_inner(id) && readers_.at(id).first < ops;
  }

 private:
  struct Read {
    std::size_t first = 0;  // the first reader in a later phase, or the number of ops
    bool kept = false;      // a forward op after the run reads the value
  };
  std::map<ValueId, Read> readers_;
  std::size_t first_ = static_cast<std::size_t>(-1);
};

// True if the op computes the same outputs when it runs again right before op `again`.
bool is_repeatable(const std::vector<Op>& ops, std::size_t op, std::size_t again) {
  if (!ops[op].mutates.empty()) return false;
  for (std::size_t i = op + 1; i < again; ++i) {
    for (const ValueId id : ops[i].mutates) {
      if (contains(ops[op].inputs, id)) return false;
    }
  }
  return true;
}

// The run's ops to repeat before op `again`, in order. Adds to `needed` their outputs that other ops read.
std::vector<std::size_t> repeated(const std::vector<Op>& ops, const Run& run, const Readers& readers,
                                  std::size_t again, std::vector<ValueId>& needed) {
  std::vector<std::size_t> chosen;
  for (std::size_t i = run.last; i-- > run.first;) {
    if (ops[i].traits.marker || !is_repeatable(ops, i, again)) continue;
    bool wanted = false;
    for (const ValueId id : ops[i].outputs) {
      const bool read = contains(needed, id) || readers.is_read_later(id, ops.size());
      if (read && !contains(needed, id)) needed.push_back(id);
      wanted = wanted || read;
    }
    if (!wanted) continue;
    chosen.push_back(i);
    for (const ValueId id : ops[i].inputs) {
      if (readers.is_inner(id) && !contains(needed, id)) needed.push_back(id);
    }
  }
  std::ranges::reverse(chosen);
  return chosen;
}

}  // namespace

void ProgramBuilder::recompute_layers() {
  std::vector<Op>& ops = program_.ops_;
  std::map<std::size_t, std::vector<Op>> ahead_of;  // by op: ops to insert before it
  for (const Run& run : runs_of(ops)) {
    const Readers readers(ops, run);
    if (readers.first() >= ops.size()) continue;
    std::vector<ValueId> needed;
    const std::vector<std::size_t> chosen = repeated(ops, run, readers, readers.first(), needed);
    if (chosen.empty()) continue;
    std::map<ValueId, ValueId> renamed;
    std::string line = "layer " + run.layer + " is recomputed before " + ops[readers.first()].name + ":";
    const auto rename = [&](ValueId& id) {
      if (const auto found = renamed.find(id); found != renamed.end()) id = found->second;
    };
    for (const std::size_t i : chosen) {
      line += " " + ops[i].name;
      Op op = ops[i];
      op.recomputes = std::exchange(op.name, op.name + ".recomputed");
      op.phase = Phase::backward;
      std::ranges::for_each(op.inputs, rename);
      for (ValueId& id : op.outputs) {
        Value value = program_.values_[id];
        value.name += ".recomputed";
        value.kind = ValueKind::activation;
        const ValueId made = static_cast<ValueId>(program_.values_.size());
        if (contains(needed, id)) renamed[id] = made;
        program_.values_.push_back(std::move(value));
        id = made;
      }
      ahead_of[readers.first()].push_back(std::move(op));
    }
    for (std::size_t i = readers.first(); i < ops.size(); ++i) {
      if (ops[i].phase != Phase::forward) std::ranges::for_each(ops[i].inputs, rename);
    }
    log(std::move(line));
  }
  std::vector<Op> all;
  for (std::size_t i = 0; i < ops.size(); ++i) {
    for (Op& op : ahead_of[i]) all.push_back(std::move(op));
    all.push_back(std::move(ops[i]));
  }
  ops = std::move(all);
}

}  // namespace graphbench::ir
