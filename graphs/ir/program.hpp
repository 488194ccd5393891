// A Program is ordered ops over values whose shapes are functions of the batch. The ops' order is the
// execution order. A workload builds it once; passes and executors read it; it never changes.
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
  weight,      // constant over the process; one copy for all batches
  state,       // mutable over steps (a KV cache); one copy, sized for the largest batch
  activation,  // written by one op, read by later ones; lives in a pool
  output,      // an activation that the caller reads after the step
  parameter,   // in a training program: a weight, which its optimizer writes; one copy for all batches
  gradient,    // in a training program: an output that is a parameter's gradient
};
std::string_view name_of(ValueKind kind) noexcept;
bool is_computed(ValueKind kind) noexcept;  // true for activations, outputs, gradients

// How inputs, weights and state are filled before a run.
struct Init {
  enum class Kind : std::uint8_t { uniform, constant } kind = Kind::uniform;
  double low = -1.0;  // uniform: lower bound; constant: the value
  double high = 1.0;  // uniform: upper bound
  friend bool operator==(const Init&, const Init&) = default;
};

struct Value {
  std::string name;
  ValueKind kind = ValueKind::activation;
  DType dtype = DType::fp32;
  Shape shape;
  Init init;       // meaningless for activations and outputs
  double pad = 0;  // an input's value in the rows that pad a batch up to a larger one
};

using Attribute = std::variant<std::int64_t, double, std::string>;
using Attributes = std::map<std::string, Attribute, std::less<>>;

// The facts about an op that passes use.
struct OpTraits {
  bool host_op = false;    // needs the host in the middle of a step, so no graph can hold it
  bool capturable = true;  // false: its author says that it cannot be captured
  bool marker = false;     // does nothing; its kind can be named as a splitting point
};

struct OpDefinition;

// The part of a training step that an op belongs to. All ops of a forward program are `forward`.
enum class Phase : std::uint8_t { forward, backward, accumulate, optimizer };
std::string_view name_of(Phase phase) noexcept;
// The part of an op's name before its first dot.
std::string layer_of(std::string_view op_name);

struct Op {
  std::string kind;  // "linear"
  std::string name;  // "layer3.up", unique in its program
  std::vector<ValueId> inputs;
  std::vector<ValueId> outputs;
  std::vector<ValueId> mutates;  // the write set beyond `outputs`: a subset of `inputs`
  Attributes attributes;
  OpTraits traits;
  const OpDefinition* definition = nullptr;  // lives as long as the catalog that made it
  Phase phase = Phase::forward;
  std::string splits_with;    // the kind whose gradient or part it computes: it splits where that kind does
  bool starts_graph = false;  // the capture begins another graph here
  bool eager = false;         // launched between graphs
  std::string recomputes;     // the op whose outputs it computes once more, with the same kernel
};

// True for a splitting point that names ops: no kind has a '.' or a '*'.
bool names_ops(std::string_view split);
// True if `split`, as a splitting point, names this op: by its kind, or by a pattern of its name in which '*'
// stands for any text. The parts and the gradient of a named op split with it.
bool splits_at(const Op& op, std::string_view split);

// An op with its operands described at one batch: all that a backend needs to make a kernel. The order of
// operands is everywhere (kernels, pointers, ABI) inputs, then outputs.
struct OpCall {
  const Op* op = nullptr;
  std::int64_t batch = 0;
  std::vector<TensorDesc> operands;
  std::size_t input_count = 0;
  std::vector<bool> weights;  // by operand: true for a weight, which no op writes

  bool is_weight(std::size_t i) const { return i < weights.size() && weights[i]; }

  const TensorDesc& input(std::size_t i) const { return operands.at(i); }
  const TensorDesc& output(std::size_t i) const { return operands.at(input_count + i); }
};

// An op's output as shape inference gives it, before it becomes a Value.
struct InferredOutput {
  DType dtype = DType::fp32;
  Shape shape;
};

// The allowed values of an attribute of a built-in kind. `fallback` has its type, and the value of an op
// without the attribute.
struct AttributeRule {
  std::string name;
  Attribute fallback;
  const char* wanted = "";                         // the word after "not" in a refusal: "positive"
  bool (*fits)(const Attribute& given) = nullptr;  // null: any value does
  bool required = false;                           // an op must give it
};

using Inputs = std::vector<const Value*>;

// The last inputs of a kind that takes any number of them: one or more groups of `size` each. 0: no groups.
struct InputGroups {
  std::size_t size = 0;
  std::uint32_t mutated = 0;  // a bit for each position in a group
};

// A kind of op. Every backend implements the built-in kinds under their names; a plugin's kind brings its own
// launch functions, which backends call with the native stream.
struct OpDefinition {
  std::string kind;
  OpTraits traits = {};
  std::vector<AttributeRule> attributes = {};      // built-in kinds have rules
  std::vector<std::uint32_t> mutated_inputs = {};  // positions of inputs that the op writes
  std::size_t inputs_ahead = 0;                    // inputs before `groups`
  InputGroups groups = {};
  // Checks inputs and attributes and describes the outputs. Throws Error(invalid_argument) whose
  // text begins with the op's name.
  std::function<std::vector<InferredOutput>(const Op& op, const Inputs& inputs)> infer = {};
  const gb_op* foreign = nullptr;  // a plugin's op; null for built-in kinds
  // A plugin's op: the kind that computes its gradient from inputs, outputs and their gradients, and the
  // positions of the inputs whose gradients that kind's outputs are. Empty: it has none.
  std::string gradient = {};
  std::vector<std::uint32_t> gradient_inputs = {};
};

// The positions of the inputs that an op with this number of inputs writes.
std::vector<std::uint32_t> mutated_positions(const OpDefinition& definition, std::size_t inputs);

// An attribute that the op gives, else its kind's fallback. Throws Error(invalid_argument), which names op
// and attribute, where there is neither or it has another type.
std::int64_t integer_attribute(const Op& op, std::string_view name);
double real_attribute(const Op& op, std::string_view name);
const std::string& text_attribute(const Op& op, std::string_view name);

// The kinds of op that a process knows: built-in ones, and those of the plugins that it loaded.
class OpCatalog {
 public:
  OpCatalog();  // with the built-in kinds
  // Throws Error(invalid_argument) if the kind exists already.
  void add(OpDefinition definition);
  const OpDefinition* find(std::string_view kind) const noexcept;  // null if unknown
  std::vector<std::string> kinds() const;                          // sorted

 private:
  std::map<std::string, std::unique_ptr<OpDefinition>, std::less<>> definitions_;
};

// An op that a parameter's gradient goes through in a training step: the gradient of one micro-batch, before
// it is added to earlier ones, or the sum of all.
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
  // Op kinds, and patterns of op names, at which `piecewise` splits where the user names none.
  const std::vector<std::string>& default_splits() const { return default_splits_; }
  std::vector<ValueId> values_of(ValueKind kind) const;
  // The values that can be read after a step: outputs, then gradients.
  std::vector<ValueId> results() const;
  // The changes that passes made to the program, in words, and the number of ops that they removed.
  const std::vector<std::string>& rewrites() const { return rewrites_; }
  std::int64_t removed_ops() const { return removed_ops_; }
  // The ops that differentiate() puts on gradients, in this order. A forward program has none.
  const std::vector<GradientHook>& hooks() const { return hooks_; }
  const Value& value(ValueId id) const { return values_.at(id); }
  // How many parts of equal size a batch is worked on in. Shapes are functions of the part's batch;
  // everything that takes a batch here takes the whole, and refuses one that does not divide.
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

// Builds a Program and refuses a wrong one at once: every error names the op or value.
class ProgramBuilder {
 public:
  ProgramBuilder(std::string program_name, const OpCatalog& catalog);
  // Begins with all of `like` except its ops. Values keep their ids.
  ProgramBuilder(const Program& like, const OpCatalog& catalog);

  // `kind` is input, weight, state or parameter. Throws on a name used before or an empty shape.
  ValueId value(ValueKind kind, std::string name, DType dtype, Shape shape, Init init);
  // Appends an op; returns its outputs (activations, named "<op>", or "<op>.<i>" where several).
  // Throws Error(invalid_argument): unknown kind, unknown value, wrong shapes or attributes.
  std::vector<ValueId> op(std::string kind, std::string name, std::vector<ValueId> inputs,
                          Attributes attributes);
  void mark_output(ValueId activation) { mark(activation, ValueKind::output); }
  void mark_gradient(ValueId activation) { mark(activation, ValueKind::gradient); }
  // Ops appended from here on belong to `phase`, and split where the kind `splits_with` does.
  void begin_phase(Phase phase, std::string splits_with = {});
  void split_batches(std::int64_t parts) { program_.micro_batches_ = parts; }
  // Lets an op start a graph where `graph_of` gives it another name than the op before, markers not counted.
  // An op without a name belongs to the graph before it.
  void start_graphs(const std::function<std::string(const Op&)>& graph_of);
  void launch_eagerly(Phase phase);  // launches the phase's ops between graphs
  void log(std::string rewrite) { program_.rewrites_.push_back(std::move(rewrite)); }  // Program::rewrites()
  // Removes ops whose values no op reads and that are not results. Markers stay. Each removal is logged.
  void remove_dead_ops();
  // Makes the backward phase compute values of forward ops again, from the inputs of their layer's run,
  // before it reads them. Ops that write a value, or read one that is written in between, are not run again:
  // their outputs stay. Each run is logged. The added ops' names end in `.recomputed`.
  void recompute_layers();
  void split_at(std::vector<std::string> splits) { program_.default_splits_ = std::move(splits); }
  const Value& value_of(ValueId id) const { return program_.values_.at(id); }
  // Throws Error(invalid_argument) for a value that is not a floating weight, an unknown kind, a name in use.
  void hook(GradientHook hook);
  void pad_with(ValueId input, double pad);  // throws Error(invalid_argument) for another kind of value
  // Checks that there is an output or a written value, and that activations are read. Empties the builder.
  Program finish();

 private:
  friend class Rewriter;
  friend class ProgramText;
  void mark(ValueId value, ValueKind kind);
  // Drops activations that no op computes, and split kinds that no op has.
  void drop_unused();
  const OpDefinition& known_kind(const std::string& of, const std::string& kind) const;

  const OpCatalog& catalog_;
  Program program_;
  std::set<std::string, std::less<>> names_;
  Phase phase_ = Phase::forward;
  std::string splits_with_;
};

}  // namespace graphbench::ir
