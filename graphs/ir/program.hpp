// A Program is a list of ops in execution order, over values whose shapes are functions of the batch. A
// workload builds the Program. Passes and executors read it, and it never changes.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "graphs/ir/types.hpp"

struct gb_op;  // a plugin's op (graphs/abi), which is opaque here

namespace graphbench::ir {

using ValueId = std::uint32_t;
using OpId = std::uint32_t;

enum class ValueKind : std::uint8_t {
  input,       // written by the caller before every step; a static buffer in the graph modes
  weight,      // constant while the process runs; one copy for all batches
  state,       // changed by steps (a KV cache); one copy, sized for the largest batch
  activation,  // written by one op, read by later ops; lives in a pool
  output,      // an activation that the caller reads after the step
  parameter,   // in a training program: a weight that the optimizer writes; one copy for all batches
  gradient,    // in a training program: an output, the gradient of a parameter
};
std::string_view name_of(ValueKind kind) noexcept;
bool is_computed(ValueKind kind) noexcept;  // true for activations, outputs, gradients

struct Init {
  enum class Kind : std::uint8_t { uniform, constant } kind = Kind::uniform;
  double low = -1.0;  // uniform: lower bound; constant: the value
  double high = 1.0;
  friend bool operator==(const Init&, const Init&) = default;
};

struct Value {
  std::string name;
  ValueKind kind = ValueKind::activation;
  DType dtype = DType::fp32;
  Shape shape;
  Init init;       // not used for activations and outputs
  double pad = 0;  // value of an input in the rows that pad a smaller batch to a larger one
};

using Attribute = std::variant<std::int64_t, double, std::string>;
using Attributes = std::map<std::string, Attribute, std::less<>>;

struct OpTraits {
  bool host_op = false;    // runs on the host within a step, so no graph can contain it
  bool capturable = true;  // false: the author says that no graph can contain it
  bool marker = false;     // does nothing; its kind can be a splitting point
};

struct OpDefinition;

enum class Phase : std::uint8_t { forward, backward, accumulate, optimizer };
std::string_view name_of(Phase phase) noexcept;
// The part of an op's name before its first dot.
std::string layer_of(std::string_view op_name);

struct Op {
  std::string kind;
  std::string name;  // "layer3.up", unique in its program
  std::vector<ValueId> inputs;
  std::vector<ValueId> outputs;
  std::vector<ValueId> mutates;
  Attributes attributes;
  OpTraits traits;
  const OpDefinition* definition = nullptr;  // owned by the catalog
  Phase phase = Phase::forward;
  std::string splits_with;  // kind of the op of which this is a gradient or a part; both split together
  bool starts_graph = false;
  bool eager = false;      // launched eagerly between graphs
  std::string recomputes;  // the earlier op whose outputs this op computes again, with the same kernel
};

// True if the splitting point names ops instead of a kind: only op names and patterns contain '.' or '*'.
bool names_ops(std::string_view split);
// True if the splitting point `split` matches this op: its kind, or its name as a pattern, where '*' matches
// any text. A point that matches an op also matches the op's parts and its gradient.
bool splits_at(const Op& op, std::string_view split);

// An op at one batch. Inputs precede outputs in `operands`, in kernels' lists of pointers, and in the ABI.
struct OpCall {
  const Op* op = nullptr;
  std::int64_t batch = 0;
  std::vector<TensorDesc> operands;
  std::size_t input_count = 0;
  std::vector<bool> weights;

  bool is_weight(std::size_t i) const { return i < weights.size() && weights[i]; }

  const TensorDesc& input(std::size_t i) const { return operands.at(i); }
  const TensorDesc& output(std::size_t i) const { return operands.at(input_count + i); }
};

struct InferredOutput {
  DType dtype = DType::fp32;
  Shape shape;
};

// `fallback` defines the attribute's type, and its value if the op does not set it.
struct AttributeRule {
  std::string name;
  Attribute fallback;
  const char* wanted = "";                         // what the value must be, for messages: "positive"
  bool (*fits)(const Attribute& given) = nullptr;  // null: every value is allowed
  bool required = false;
};

using Inputs = std::vector<const Value*>;

// For kinds with any number of inputs: the last inputs form one or more groups of `size`; none if it is 0.
struct InputGroups {
  std::size_t size = 0;
  std::uint32_t mutated = 0;  // bit i: the op writes input i of each group
};

// Defines a kind of op. Backends implement the built-in kinds, and call a plugin's functions for its kinds.
struct OpDefinition {
  std::string kind;
  OpTraits traits = {};
  std::vector<AttributeRule> attributes = {};  // only for built-in kinds
  std::vector<std::uint32_t> mutated_inputs = {};
  std::size_t inputs_ahead = 0;  // number of inputs before the groups
  InputGroups groups = {};
  // Checks inputs and attributes, and returns the types and shapes of the outputs. Throws
  // Error(invalid_argument), whose text starts with the op's name.
  std::function<std::vector<InferredOutput>(const Op& op, const Inputs& inputs)> infer = {};
  const gb_op* foreign = nullptr;  // a plugin's op; null for built-in kinds
  // For a plugin's op: the kind that computes its gradient from inputs, outputs and output gradients (empty:
  // no gradient). `gradient_inputs`: the inputs that get a gradient, one per output of that kind.
  std::string gradient = {};
  std::vector<std::uint32_t> gradient_inputs = {};
};

// The positions of the inputs that an op with `inputs` inputs writes.
std::vector<std::uint32_t> mutated_positions(const OpDefinition& definition, std::size_t inputs);

// The op's attribute, or its kind's fallback. Throws Error(invalid_argument), which names the op and the
// attribute, if neither exists or the type differs.
std::int64_t integer_attribute(const Op& op, std::string_view name);
double real_attribute(const Op& op, std::string_view name);
const std::string& text_attribute(const Op& op, std::string_view name);

// All kinds of op in this process: the built-in kinds, and the kinds of loaded plugins.
class OpCatalog {
 public:
  OpCatalog();
  // Throws Error(invalid_argument) if the kind exists already.
  void add(OpDefinition definition);
  const OpDefinition* find(std::string_view kind) const noexcept;  // null if unknown
  std::vector<std::string> kinds() const;                          // sorted

 private:
  std::map<std::string, std::unique_ptr<OpDefinition>, std::less<>> definitions_;
};

// An op that a training step applies to a parameter's gradient. `pre`: to one micro-batch's gradient, before
// it is added to those of earlier micro-batches. `post_accumulate`: to the sum over all micro-batches.
enum class HookPlace : std::uint8_t { pre, post_accumulate };
struct GradientHook {
  ValueId weight = 0;
  HookPlace place = HookPlace::pre;
  std::string kind;
  std::string name;
  Attributes attributes;
};

class Program {
 public:
  const std::string& name() const { return name_; }
  const std::vector<Value>& values() const { return values_; }
  const std::vector<Op>& ops() const { return ops_; }
  // The splitting points (op kinds and patterns of op names) of `piecewise`, if the user gives none.
  const std::vector<std::string>& default_splits() const { return default_splits_; }
  std::vector<ValueId> values_of(ValueKind kind) const;
  // The values that a caller can read after a step: outputs, then gradients.
  std::vector<ValueId> results() const;
  // One line per change that a pass made, and the number of ops that passes removed.
  const std::vector<std::string>& rewrites() const { return rewrites_; }
  std::int64_t removed_ops() const { return removed_ops_; }
  // The ops that differentiate() applies to gradients, in this order.
  const std::vector<GradientHook>& hooks() const { return hooks_; }
  const Value& value(ValueId id) const { return values_.at(id); }
  // The number of equal parts that a batch is split into. Shapes are functions of one part's batch. All
  // functions here take the whole batch, and throw if it does not divide evenly.
  std::int64_t micro_batches() const { return micro_batches_; }
  TensorDesc describe(ValueId id, std::int64_t batch) const;
  OpCall call(OpId op, std::int64_t batch) const;

 private:
  friend class ProgramBuilder;
  friend class Rewriter;
  friend class ProgramText;
  std::int64_t part_of(std::int64_t batch) const;

  std::string name_;
  std::vector<Value> values_;
  std::vector<Op> ops_;
  std::vector<std::string> default_splits_;
  std::vector<std::string> rewrites_;
  std::vector<GradientHook> hooks_;
  std::int64_t removed_ops_ = 0;
  std::int64_t micro_batches_ = 1;
};

// Builds a Program. Each function reports a mistake immediately, with the name of the op or value.
class ProgramBuilder {
 public:
  ProgramBuilder(std::string program_name, const OpCatalog& catalog);
  // Starts with everything in `like` except its ops. Values keep their ids.
  ProgramBuilder(const Program& like, const OpCatalog& catalog);

  // `kind`: input, weight, state or parameter. Throws if the name is in use or the shape is empty.
  ValueId value(ValueKind kind, std::string name, DType dtype, Shape shape, Init init);
  // Appends an op and returns its outputs: activations named "<op>", or "<op>.<i>" if there are several.
  // Throws Error(invalid_argument): unknown kind, unknown value, wrong shapes or attributes.
  std::vector<ValueId> op(std::string kind, std::string name, std::vector<ValueId> inputs,
                          Attributes attributes);
  void mark_output(ValueId activation) { mark(activation, ValueKind::output); }
  void mark_gradient(ValueId activation) { mark(activation, ValueKind::gradient); }
  // Later ops belong to `phase`. A program split at the kind `splits_with` is split at these ops too.
  void begin_phase(Phase phase, std::string splits_with = {});
  void split_batches(std::int64_t parts) { program_.micro_batches_ = parts; }
  // Starts a graph at each op whose graph name (`graph_of`) differs from that of the previous op. Ignores
  // markers. An op with an empty graph name stays in the previous op's graph.
  void start_graphs(const std::function<std::string(const Op&)>& graph_of);
  void launch_eagerly(Phase phase);
  void log(std::string rewrite) { program_.rewrites_.push_back(std::move(rewrite)); }
  // Removes ops whose outputs are not results and have no readers. Keeps markers. Logs each removal.
  void remove_dead_ops();
  // Lets backward compute forward values again from their layer's inputs. Keeps outputs of ops that write an
  // input, or read a value that changes in between. Logs each layer. Added ops' names end in `.recomputed`.
  void recompute_layers();
  void split_at(std::vector<std::string> splits) { program_.default_splits_ = std::move(splits); }
  const Value& value_of(ValueId id) const { return program_.values_.at(id); }
  // Throws Error(invalid_argument) for an unknown kind, a name in use, or a value that is not a float weight.
  void hook(GradientHook hook);
  void pad_with(ValueId input, double pad);  // throws Error(invalid_argument) for a non-input
  // Checks that the program has an output or an op that writes an input, that ops read all activations
  // except backward outputs, and that every splitting point matches an op. Empties the builder.
  Program finish();

 private:
  friend class Rewriter;
  friend class ProgramText;
  void mark(ValueId value, ValueKind kind);
  // Drops activations without a writer, and splitting points that name no op.
  void drop_unused();
  const OpDefinition& known_kind(const std::string& of, const std::string& kind) const;

  const OpCatalog& catalog_;
  Program program_;
  std::set<std::string, std::less<>> names_;
  Phase phase_ = Phase::forward;
  std::string splits_with_;
};

}  // namespace graphbench::ir
