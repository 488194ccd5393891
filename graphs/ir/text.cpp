// Writes a program as text and reads it back. Writer and Reader have the same functions, so one description
// of the format serves both. One blank separates words and numbers; names are in quotes. The reader accepts
// only a text that the writer would write for the same program.
#include "graphs/ir/text.hpp"

#include <algorithm>
#include <charconv>
#include <concepts>
#include <utility>

#include "graphs/base/error.hpp"

namespace graphbench::ir {
namespace {

constexpr std::string_view hex_digits = "0123456789abcdef";

constexpr std::string_view place_names[] = {"pre", "post_accumulate"};
std::string_view name_of(HookPlace place) noexcept {
  return place_names[static_cast<std::size_t>(place)];
}
constexpr std::string_view fill_names[] = {"uniform", "constant"};
std::string_view name_of(Init::Kind kind) noexcept {
  return fill_names[static_cast<std::size_t>(kind)];
}

template <typename T>
concept Number = std::integral<T> || std::floating_point<T>;

class Writer {
 public:
  void word(std::string_view word) {
    if (!text_.empty() && text_.back() != '\n') text_ += ' ';
    text_ += word;
  }
  template <Number T>
  void number(const T& value) {
    char digits[32];
    word({digits, std::to_chars(digits, digits + sizeof(digits), value).ptr});
  }
  void flag(const bool& value) { word(value ? "1" : "0"); }
  void name(const std::string& name) {
    std::string quoted = "\"";
    for (const char c : name) {
      const auto byte = static_cast<unsigned char>(c);
      if (byte >= 0x20 && c != '"' && c != '\\') {
        quoted += c;
      } else {
        quoted.append(1, '\\').append(1, hex_digits[byte >> 4]).append(1, hex_digits[byte & 15]);
      }
    }
    word(quoted + '"');
  }
  template <typename Enum>
  void choice(const Enum& value, Enum /*last*/) {
    word(name_of(value));
  }
  template <typename List>
  void count(const List& list) {
    number(list.size());
  }
  void attribute(const Attribute& value) {
    if (const auto* integer = std::get_if<std::int64_t>(&value)) {
      word("integer");
      number(*integer);
    } else if (const auto* real = std::get_if<double>(&value)) {
      word("real");
      number(*real);
    } else {
      word("text");
      name(std::get<std::string>(value));
    }
  }
  void attributes(const Attributes& attributes) {
    count(attributes);
    for (const auto& [key, value] : attributes) {
      name(key);
      attribute(value);
    }
  }
  void end_line() { text_ += '\n'; }
  std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

class Reader {
 public:
  explicit Reader(std::string_view text) : rest_(text) {}

  [[noreturn]] void refuse(const std::string& why) const {
    throw Error(ErrorCode::invalid_argument, "line " + std::to_string(line_) + ": " + why);
  }
  void word(std::string_view wanted) {
    blank();
    if (!rest_.starts_with(wanted)) refuse("\"" + std::string(wanted) + "\" is missing");
    rest_.remove_prefix(wanted.size());
    started_ = true;
  }
  template <Number T>
  void number(T& value) {
    const std::string_view text = token();
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size()) refuse("a number is missing");
  }
  void flag(bool& value) {
    const std::string_view text = token();
    if (text != "0" && text != "1") refuse("a 0 or 1 is missing");
    value = text == "1";
  }
  void name(std::string& name) {
    blank();
    if (!rest_.starts_with('"')) refuse("a name in quotes is missing");
    rest_.remove_prefix(1);
    name.clear();
    for (;;) {
      if (rest_.empty() || rest_.front() == '\n') refuse("a name has no closing quote");
      const char c = rest_.front();
      rest_.remove_prefix(1);
      if (c == '"') break;
      name += c == '\\' ? escaped() : c;
    }
    started_ = true;
  }
  template <typename Enum>
  void choice(Enum& value, Enum last) {
    const std::string_view text = token();
    for (unsigned i = 0; i <= static_cast<unsigned>(last); ++i) {
      value = static_cast<Enum>(i);
      if (name_of(value) == text) return;
    }
    refuse("\"" + std::string(text) + "\" is not a valid word here");
  }
  // counted() accepts at most one item per byte that is left, so a short text cannot allocate much memory.
  template <typename List>
  void count(List& list) {
    list.resize(counted());
  }
  void attributes(Attributes& attributes) {
    for (std::size_t left = counted(); left > 0; --left) {
      std::string key;
      name(key);
      const std::string_view type = token();
      Attribute& value = attributes[key];
      if (type == "integer") {
        number(value.emplace<std::int64_t>());
      } else if (type == "real") {
        number(value.emplace<double>());
      } else if (type == "text") {
        name(value.emplace<std::string>());
      } else {
        refuse("attribute " + key + " has no type: give integer, real or text");
      }
    }
  }
  void end_line() {
    if (!rest_.starts_with('\n'))
      refuse(rest_.empty() ? "the text is cut short" : "the line has too many words");
    rest_.remove_prefix(1);
    ++line_;
    started_ = false;
  }
  bool at_end() const { return rest_.empty(); }
  std::size_t line() const { return line_; }

 private:
  void blank() {
    if (started_ && !rest_.starts_with(' '))
      refuse(rest_.empty() ? "the text is cut short" : "the line ends too soon");
    if (started_) rest_.remove_prefix(1);
  }
  std::string_view token() {
    blank();
    const std::string_view found = rest_.substr(0, std::min(rest_.find_first_of(" \n"), rest_.size()));
    rest_.remove_prefix(found.size());
    started_ = true;
    return found;
  }
  char escaped() {
    const auto high = rest_.size() < 2 ? std::string_view::npos : hex_digits.find(rest_[0]);
    const auto low = rest_.size() < 2 ? std::string_view::npos : hex_digits.find(rest_[1]);
    if (high == std::string_view::npos || low == std::string_view::npos)
      refuse("a \\ in a name is not followed by two hex digits");
    rest_.remove_prefix(2);
    return static_cast<char>(high << 4 | low);
  }
  std::size_t counted() {
    std::size_t count = 0;
    number(count);
    if (count > rest_.size()) refuse("the line has fewer items than its count says");
    return count;
  }

  std::string_view rest_;
  std::size_t line_ = 1;
  bool started_ = false;  // true after the first word of the line
};

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
    names(io, "splits_at", program.default_splits_);
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
    if (!reader.at_end()) reader.refuse("there is text after the end of the program");
    first_value_ = reader.line() - program.values_.size() - program.ops_.size() - program.hooks_.size() - 2;
    check_values(program);
    check_ops(program);
    for (const GradientHook& hook : program.hooks_) check_hook(program, hook);
    builder_.program_ = std::move(program);
    program = builder_.finish();
    if (write_program(program) != text_)
      throw Error(ErrorCode::invalid_argument, "line 1: the text is not a graphbench program");
    return program;
  }

 private:
  [[noreturn]] static void refuse(std::size_t line, const std::string& why) {
    throw Error(ErrorCode::invalid_argument, "line " + std::to_string(line) + ": " + why);
  }

  void check_values(const Program& program) {
    if (program.micro_batches_ < 1 || program.removed_ops_ < 0)
      refuse(3, "the number of micro-batches is below 1, or that of removed ops is below 0");
    for (ValueId id = 0; id < program.values_.size(); ++id) {
      const Value& value = program.values_[id];
      const std::size_t line = first_value_ + id;
      if (value.shape.empty()) refuse(line, "value " + value.name + ": a shape needs at least one extent");
      guarded(line, [&] { static_cast<void>(resolve(value.dtype, value.shape, 1).bytes()); });
      if (is_computed(value.kind)) continue;
      if (value.name.empty() || !builder_.names_.insert(value.name).second)
        refuse(line, "value \"" + value.name + "\": the name is empty or already in use");
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
      wrong("the traits differ from those of the op's kind");
    if (op.name.empty() || !builder_.names_.insert(op.name).second)
      wrong("the name is empty or already in use");
    Inputs inputs;
    for (const ValueId input : op.inputs) {
      if (input >= there.size() || !there[input])
        wrong("input " + std::to_string(input) + " is not a value of an earlier op");
      inputs.push_back(&program.values_[input]);
    }
    std::vector<ValueId> mutates;
    for (const std::uint32_t position : mutated_positions(*op.definition, inputs.size())) {
      if (position >= inputs.size()) wrong("the op mutates an input that it does not have");
      if (inputs[position]->kind == ValueKind::weight) wrong("the op would write to a weight");
      mutates.push_back(op.inputs[position]);
    }
    if (mutates != op.mutates) wrong("\"mutates\" does not list the inputs that ops of this kind write");
    const std::vector<InferredOutput> inferred = op.definition->infer(op, inputs);
    if (inferred.size() != op.outputs.size()) wrong("the number of outputs is not that of the op's kind");
    for (std::size_t i = 0; i < inferred.size(); ++i) {
      const ValueId output = op.outputs[i];
      if (output >= there.size() || there[output]) wrong("an output is not a value that this op can compute");
      const Value& value = program.values_[output];
      if (value.dtype != inferred[i].dtype || value.shape != inferred[i].shape)
        wrong("output " + value.name + " has another shape or type than the op computes");
      there[output] = true;
    }
    const auto before = program.ops_.begin() + id;
    if (!op.recomputes.empty() && std::none_of(program.ops_.begin(), before, [&](const Op& other) {
          return other.name == op.recomputes && other.kind == op.kind;
        }))
      wrong("the op recomputes \"" + op.recomputes + "\", which is not an earlier op of forward");
  }

  // Does not call builder_.hook(): it would refuse a hook's name, which an op of a training program has.
  void check_hook(const Program& program, const GradientHook& hook) {
    const std::size_t line = first_value_ + program.values_.size() + program.ops_.size() + 2;
    guarded(line, [&] { static_cast<void>(builder_.known_kind("hook " + hook.name, hook.kind)); });
    if (hook.weight >= program.values_.size())
      refuse(line, "hook " + hook.name + ": value " + std::to_string(hook.weight) + " is not a value");
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
  std::size_t first_value_ = 0;  // line of the first value
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
