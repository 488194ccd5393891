// One description of a program's parts serves the writer and the reader. Words and numbers are separated by
// one blank; names stand in quotes. A text is sound where writing what was read gives it again.
#include "graphs/ir/text.hpp"

#include <algorithm>

#include "graphs/base/error.hpp"
#include "graphs/ir/text_form.hpp"

namespace graphbench::ir {
namespace {

using text::Reader;
using text::Writer;

void numbers(auto& io, std::string_view what, auto& list) {
  io.word(what);
  io.count(list);
  for (auto& each : list) io.number(each);
}

void names(auto& io, std::string_view what, auto& list) {
  io.word(what);
  io.count(list);
  for (auto& each : list) io.name(each);
}

void describe(auto& io, auto& value) requires requires {
  value.shape;
}
{
  io.word("value");
  io.choice(value.kind, ValueKind::gradient);
  io.name(value.name);
  io.choice(value.dtype, DType::i32);
  io.count(value.shape);
  for (auto& dim : value.shape) {
    io.number(dim.per_batch);
    io.number(dim.fixed);
  }
  io.choice(value.init.kind, Init::Kind::constant);
  io.number(value.init.low);
  io.number(value.init.high);
  io.word("pad");
  io.number(value.pad);
  io.end_line();
}

void describe(auto& io, auto& op) requires requires {
  op.mutates;
}
{
  io.word("op");
  io.name(op.kind);
  io.name(op.name);
  numbers(io, "in", op.inputs);
  numbers(io, "out", op.outputs);
  numbers(io, "mutates", op.mutates);
  io.word("attributes");
  io.attributes(op.attributes);
  io.word("phase");
  io.choice(op.phase, Phase::optimizer);
  io.name(op.splits_with);
  io.word("graph");
  io.flag(op.starts_graph);
  io.flag(op.eager);
  io.name(op.recomputes);
  io.word("traits");
  io.flag(op.traits.host_op);
  io.flag(op.traits.capturable);
  io.flag(op.traits.marker);
  io.end_line();
}

void describe(auto& io, auto& hook) requires requires {
  hook.place;
}
{
  io.word("hook");
  io.number(hook.weight);
  io.choice(hook.place, HookPlace::post_accumulate);
  io.name(hook.kind);
  io.name(hook.name);
  io.word("attributes");
  io.attributes(hook.attributes);
  io.end_line();
}

void describe_all(auto& io, std::string_view what, auto& list) {
  io.word(what);
  io.count(list);
  io.end_line();
  for (auto& each : list) describe(io, each);
}

}  // namespace

class ProgramText {
 public:
  static void describe_program(auto& io, auto& program) {
    io.word("graphbench program 1");
    io.end_line();
    io.word("name");
    io.name(program.name_);
    io.end_line();
    io.word("micro_batches");
    io.number(program.micro_batches_);
    io.word("removed_ops");
    io.number(program.removed_ops_);
    io.end_line();
    names(io, "splits_at", program.default_split_kinds_);
    io.end_line();
    names(io, "rewrites", program.rewrites_);
    io.end_line();
    describe_all(io, "values", program.values_);
    describe_all(io, "ops", program.ops_);
    describe_all(io, "hooks", program.hooks_);
  }

  ProgramText(std::string_view text, const OpCatalog& catalog) : text_(text), builder_("", catalog) {}

  Program read() {
    Reader reader(text_);
    Program program;
    describe_program(reader, program);
    if (!reader.at_end()) reader.refuse("something follows the program");
    first_value_ = reader.line() - program.values_.size() - program.ops_.size() - program.hooks_.size() - 2;
    check_values(program);
    check_ops(program);
    for (const GradientHook& hook : program.hooks_) check_hook(program, hook);
    builder_.program_ = std::move(program);
    program = builder_.finish();
    if (write_program(program) != text_)
      throw Error(ErrorCode::invalid_argument, "line 1: the text is not written as programs are");
    return program;
  }

 private:
  [[noreturn]] static void refuse(std::size_t line, const std::string& why) {
    throw Error(ErrorCode::invalid_argument, "line " + std::to_string(line) + ": " + why);
  }

  void check_values(const Program& program) {
    if (program.micro_batches_ < 1 || program.removed_ops_ < 0) refuse(3, "a number is below what it may be");
    for (ValueId id = 0; id < program.values_.size(); ++id) {
      const Value& value = program.values_[id];
      const std::size_t line = first_value_ + id;
      if (value.shape.empty()) refuse(line, "value " + value.name + ": a shape needs at least one extent");
      guarded(line, [&] { static_cast<void>(resolve(value.dtype, value.shape, 1).bytes()); });
      if (is_computed(value.kind)) continue;
      if (value.name.empty() || !builder_.names_.insert(value.name).second)
        refuse(line, "value \"" + value.name + "\": the name is empty or taken");
    }
  }

  void check_ops(Program& program) {
    std::vector<bool> there;
    for (const Value& value : program.values_) there.push_back(!is_computed(value.kind));
    for (OpId id = 0; id < program.ops_.size(); ++id) {
      const std::size_t line = first_value_ + program.values_.size() + 1 + id;
      guarded(line, [&] { check_op(program, id, there); });
    }
    const auto missing = std::ranges::find(there, false);
    if (missing != there.end()) {
      const auto id = static_cast<std::size_t>(missing - there.begin());
      refuse(first_value_ + id, "value " + program.values_[id].name + ": no op computes it");
    }
  }

  void check_op(Program& program, OpId id, std::vector<bool>& there) {
    Op& op = program.ops_[id];
    const auto wrong = [&](const std::string& why) {
      throw Error(ErrorCode::invalid_argument, "op " + op.name + ": " + why);
    };
    op.definition = &builder_.known_kind("op " + op.name, op.kind);
    const OpTraits& traits = op.definition->traits;
    if (op.traits.host_op != traits.host_op || op.traits.capturable != traits.capturable ||
        op.traits.marker != traits.marker)
      wrong("its kind has other traits here");
    if (op.name.empty() || !builder_.names_.insert(op.name).second) wrong("the name is empty or taken");
    Inputs inputs;
    for (const ValueId input : op.inputs) {
      if (input >= there.size() || !there[input])
        wrong("input " + std::to_string(input) + " is no value that is there by then");
      inputs.push_back(&program.values_[input]);
    }
    std::vector<ValueId> mutates;
    for (const std::uint32_t position : mutated_positions(*op.definition, inputs.size())) {
      if (position >= inputs.size()) wrong("it mutates an input that it lacks");
      if (inputs[position]->kind == ValueKind::weight) wrong("it would write to a weight");
      mutates.push_back(op.inputs[position]);
    }
    if (mutates != op.mutates) wrong("it does not write what its kind writes");
    const std::vector<InferredOutput> inferred = op.definition->infer(op, inputs);
    if (inferred.size() != op.outputs.size()) wrong("it has another number of outputs");
    for (std::size_t i = 0; i < inferred.size(); ++i) {
      const ValueId output = op.outputs[i];
      if (output >= there.size() || there[output]) wrong("an output is no value that it could compute");
      const Value& value = program.values_[output];
      if (value.dtype != inferred[i].dtype || value.shape != inferred[i].shape)
        wrong("output " + value.name + " has another shape or type than it computes");
      there[output] = true;
    }
    const auto before = program.ops_.begin() + id;
    if (!op.recomputes.empty() && std::none_of(program.ops_.begin(), before, [&](const Op& other) {
          return other.name == op.recomputes && other.kind == op.kind;
        }))
      wrong("it recomputes \"" + op.recomputes + "\", which is no such op ahead of it");
  }

  // In the state that a differentiated program is in its hooks are ops, whose names they have.
  void check_hook(const Program& program, const GradientHook& hook) {
    const std::size_t line = first_value_ + program.values_.size() + program.ops_.size() + 2;
    guarded(line, [&] { static_cast<void>(builder_.known_kind("hook " + hook.name, hook.kind)); });
    if (hook.weight >= program.values_.size())
      refuse(line, "hook " + hook.name + ": value " + std::to_string(hook.weight) + " is no value");
  }

  template <typename Work>
  static void guarded(std::size_t line, Work&& work) {
    try {
      work();
    } catch (const Error& error) {
      refuse(line, error.what());
    }
  }

  std::string_view text_;
  ProgramBuilder builder_;
  std::size_t first_value_ = 0;  // its line
};

std::string write_program(const Program& program) {
  Writer writer;
  ProgramText::describe_program(writer, program);
  return writer.take();
}

Program read_program(std::string_view text, const OpCatalog& catalog) {
  return ProgramText(text, catalog).read();
}

}  // namespace graphbench::ir
