// Serves a foreign step. Padding rows keep what earlier requests left in them, as in servers that copy only a
// request's rows. Eager steps run on the first rows of the largest step, without padding and copies.
#include "harness/ladder/foreign_steps.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "graphs/abi/text.hpp"
#include "graphs/base/text.hpp"
#include "harness/measure/worker/to_float.hpp"
#include "harness/model/vocabulary.hpp"
#include "reporters/format.hpp"

namespace graphbench::ladder {

using execution::ExecutionMode;

namespace {

// How far rows may lie from those of an eager step of fewer rows, relative to their norm: libraries choose
// other kernels for it, so rounding differs in every layer.
double tolerance_of(std::int32_t dtype) {
  return dtype == GB_BF16 ? 0.05 : dtype == GB_FP16 ? 0.02 : 0.005;
}
constexpr int repeats_of_a_change = 8;
constexpr std::size_t compared_bytes_max = std::size_t{16} << 20;  // of one tensor of state

// The share of rows of integers that may differ, as near ties of an argmax fall either way: none of a few.
constexpr double differing_rows_max = 0.125;
// The share of rows that differ.
double share_of(const gb_step_rows& tensor, const std::vector<std::byte>& a,
                const std::vector<std::byte>& b) {
  const auto each = static_cast<std::size_t>(tensor.row_bytes);
  double differ = 0;
  for (std::size_t at = 0; at < a.size(); at += each)
    differ += std::memcmp(&a[at], &b[at], each) == 0 ? 0 : 1;
  return differ / static_cast<double>(a.size() / each);
}

std::string title_of(const gb_step_rows& tensor) {
  return std::string(tensor.kind == GB_OUTPUT ? "output " : "state ") + abi::printable(tensor.name);
}

std::size_t bytes_of(const gb_step_rows& tensor, std::int64_t rows) {
  return static_cast<std::size_t>(tensor.row_bytes * tensor.blocks * rows);
}

// The tensor in a buffer for `rows` rows, without gaps.
gb_step_rows dense(gb_step_rows tensor, const Buffer& buffer, std::int64_t rows) {
  tensor.data = buffer.data();
  tensor.row_stride = tensor.row_bytes;
  tensor.block_stride = tensor.row_bytes * rows;
  return tensor;
}

// How numbers of floating point lie in memory.
struct FloatLayout {
  std::size_t bytes;
  int mantissa_bits, exponent_bits;
};
std::optional<FloatLayout> float_layout_of(std::int32_t dtype) {
  switch (dtype) {
    case GB_FP32:
      return FloatLayout{4, 23, 8};
    case GB_FP16:
      return FloatLayout{2, 10, 5};
    case GB_BF16:
      return FloatLayout{2, 7, 8};
    case GB_FP64:
      return FloatLayout{8, 52, 11};
    default:
      return std::nullopt;
  }
}

std::uint64_t word_at(const std::byte* at, std::size_t bytes) {
  std::uint64_t word = 0;
  std::memcpy(&word, at, bytes);  // of a little-endian machine
  return word;
}

bool has_negative(const std::vector<std::byte>& numbers, const FloatLayout& layout) {
  const std::uint64_t sign = std::uint64_t{1} << (8 * layout.bytes - 1);
  for (std::size_t at = 0; at < numbers.size(); at += layout.bytes) {
    if (word_at(&numbers[at], layout.bytes) > sign) return true;
  }
  return false;
}

// Multiplies by two to the power of `by`. Zero, and what is not finite, stays.
void scale(std::vector<std::byte>& numbers, const FloatLayout& layout, int by) {
  const std::uint64_t exponents = (std::uint64_t{1} << layout.exponent_bits) - 1;
  for (std::size_t at = 0; at < numbers.size(); at += layout.bytes) {
    std::uint64_t word = word_at(&numbers[at], layout.bytes);
    const std::uint64_t exponent = (word >> layout.mantissa_bits) & exponents;
    if (exponent == 0 || exponent == exponents) continue;
    const std::int64_t scaled = std::clamp<std::int64_t>(static_cast<std::int64_t>(exponent) + by, 1,
                                                         static_cast<std::int64_t>(exponents) - 1);
    word ^= (exponent ^ static_cast<std::uint64_t>(scaled)) << layout.mantissa_bits;
    std::memcpy(&numbers[at], &word, layout.bytes);
  }
}

// The rows of a tensor from one on.
struct RowsOf {
  gb_step_rows tensor;
  std::int64_t first = 0;

  std::byte* block(std::int64_t index) const {
    return static_cast<std::byte*>(tensor.data) + first * tensor.row_stride + index * tensor.block_stride;
  }
};

void copy_rows(Stream& stream, const RowsOf& to, const RowsOf& from, std::int64_t rows) {
  const bool gaps =
      from.tensor.row_stride != from.tensor.row_bytes || to.tensor.row_stride != to.tensor.row_bytes;
  const auto copy = [&](std::int64_t block, std::int64_t bytes, std::int64_t count, auto stride) {
    stream.copy_strided({.to = to.block(block),
                         .to_stride = static_cast<std::size_t>(to.tensor.*stride),
                         .from = from.block(block),
                         .from_stride = static_cast<std::size_t>(from.tensor.*stride),
                         .bytes = static_cast<std::size_t>(bytes),
                         .blocks = static_cast<std::size_t>(count)});
  };
  const std::int64_t bytes = from.tensor.row_bytes;
  if (!gaps) return copy(0, rows * bytes, from.tensor.blocks, &gb_step_rows::block_stride);
  for (std::int64_t i = 0; i < from.tensor.blocks; ++i) copy(i, bytes, rows, &gb_step_rows::row_stride);
}

}  // namespace

ForeignSteps::ForeignSteps(const ServeTask& task, measure::ForeignRig& rig) : task_(task), rig_(rig) {
  rig_.serve();
}

ExecutionMode ForeignSteps::mode() const {
  return execution::find_mode(task_.task.mode).value();
}

void ForeignSteps::check_ladder(const ServeTask&) const {
  if (!rig_.lends_rows())
    throw Error(ErrorCode::unsupported, "serve " + task_.task.workload +
                                            ": the step does not lend the rows of its inputs and outputs "
                                            "(gb_step.rows and narrow)");
}

measure::ForeignStep& ForeignSteps::open(std::int64_t size) {
  return rig_.opened(
      size, contains(task_.sizes, size) ? task_.task.mode : std::string(name_of(ExecutionMode::eager)));
}

void ForeignSteps::require_same(const std::vector<gb_step_rows>& first,
                                const std::vector<gb_step_rows>& later, std::int64_t size) const {
  const auto is_same = [](const gb_step_rows& a, const gb_step_rows& b) {
    return std::strcmp(a.name, b.name) == 0 && a.row_bytes == b.row_bytes && a.blocks == b.blocks;
  };
  if (std::ranges::equal(first, later, is_same)) return;
  const auto [a, b] = std::ranges::mismatch(first, later, is_same);
  throw Error(ErrorCode::step_failed, "rows: at " + std::to_string(size) +
                                          " the step lends other tensors than at " +
                                          std::to_string(largest_) + ": " +
                                          (b != later.end()   ? abi::printable(b->name)
                                           : a != first.end() ? abi::printable(a->name)
                                                              : ""));
}

void ForeignSteps::read(std::int64_t size, bool outputs_alone) {
  Tensors& of = tensors_[size];
  of.outputs.clear();
  if (!outputs_alone) of.inputs.clear(), of.states.clear(), of.without_rows.clear();
  for (const gb_step_rows& tensor : open(size).rows()) {
    if (tensor.kind == GB_OUTPUT) {
      of.outputs.push_back(tensor);
    } else if (outputs_alone) {
      continue;
    } else if (tensor.row_bytes == 0) {
      of.without_rows.push_back(abi::printable(tensor.name));
    } else {
      (tensor.kind == GB_STATE ? of.states : of.inputs).push_back(tensor);
    }
  }
  if (size == largest_) return;
  const Tensors& largest = tensors_.at(largest_);
  if (!outputs_alone) require_same(largest.inputs, of.inputs, size);
  if (!of.outputs.empty()) require_same(largest.outputs, of.outputs, size);
}

void ForeignSteps::allocate(std::int64_t largest, std::int64_t rows_max) {
  largest_ = std::max(largest, rows_max);
  open(largest_);
  const auto eager = make_eager(largest_);
  eager->restore();
  eager->submit();
  rig_.stream().synchronize();
  read(largest_);
  require_room();
  for (const gb_step_rows& input : tensors_.at(largest_).inputs) {
    const Buffer& own = own_inputs_.emplace_back(rig_.device(), bytes_of(input, largest_));
    copy_rows(rig_.stream(), {dense(input, own, largest_)}, {input}, largest_);
  }
  for (const gb_step_rows& output : tensors_.at(largest_).outputs)
    own_outputs_.emplace_back(rig_.device(), bytes_of(output, largest_));
  rig_.stream().synchronize();
}

std::unique_ptr<execution::Executor> ForeignSteps::make(ExecutionMode, std::int64_t size, double& seconds) {
  measure::ForeignStep& step = open(size);
  if (size != largest_) read(size);
  // The largest opens before all others, and its build makes the weights: no size takes that to prepare.
  seconds = size == largest_ ? 0 : rig_.step_report(size).opening.build_seconds.value_or(0);
  return std::make_unique<measure::ForeignExecutor>(rig_.device(), rig_.stream(), step, false);
}

std::unique_ptr<execution::Executor> ForeignSteps::make_eager(std::int64_t rows) {
  return std::make_unique<measure::ForeignExecutor>(rig_.device(), rig_.stream(), open(largest_), true, rows);
}

void ForeignSteps::captured(std::int64_t size) {
  if (rig_.on_host()) return;  // a recorded call makes new outputs
  read(size, true);
  tensors_.at(size).keeps_outputs = true;
}

// The largest stays open for eager steps, and loses its graphs.
void ForeignSteps::close(std::int64_t size) {
  if (open(size).can_drop()) open(size).drop(GB_DROP_GRAPHS);
  if (size == largest_) return;
  tensors_.erase(size);
  rig_.close(size);
}

void ForeignSteps::copy_in(Rows rows, std::int64_t size) {
  const std::vector<gb_step_rows>& inputs = tensors_.at(size).inputs;
  for (std::size_t i = 0; i < inputs.size(); ++i)
    copy_rows(rig_.stream(), {inputs[i]}, {dense(inputs[i], own_inputs_[i], largest_), rows.first},
              rows.count);
}

void ForeignSteps::copy_out(const execution::Executor&, Rows rows, std::int64_t size) {
  Tensors& of = tensors_.at(size);
  if (!of.keeps_outputs) {
    if (rig_.on_host()) rig_.stream().synchronize();  // the step has outputs only when it has run
    read(size, true);
  }
  for (std::size_t i = 0; i < of.outputs.size(); ++i)
    copy_rows(rig_.stream(), {dense(of.outputs[i], own_outputs_[i], largest_), rows.first}, {of.outputs[i]},
              rows.count);
}

std::int64_t ForeignSteps::reported(const char* fact) {
  const auto facts = rig_.step_report(largest_).library;
  const auto found = facts.find(fact);
  return found == facts.end() ? 0 : std::stoll(found->second.text);
}

std::int64_t ForeignSteps::pool_bytes() {
  return reported("memory_of_graph_pools");
}

// What is captured at once is in one process, so it must fit together.
void ForeignSteps::require_room() {
  new_weights_ = reported("memory_of_new_weights");
  std::int64_t more = std::ssize(task_.sizes) - (contains(task_.sizes, largest_) ? 1 : 0);
  if (task_.policy.graphs_max > 0) more = std::min(more, task_.policy.graphs_max + 1);
  const auto free = static_cast<std::int64_t>(rig_.device().memory().free_bytes);
  if (new_weights_ * more <= free) return;
  throw Error(ErrorCode::step_failed,
              "rows: build makes new weights for each size (" + reporters::format_bytes(new_weights_) +
                  "): " + std::to_string(more) + " more sizes need " +
                  reporters::format_bytes(new_weights_ * more) + ", and " + reporters::format_bytes(free) +
                  " are free: make the model once, outside of build");
}

void ForeignSteps::report_memory(LadderMemory& memory) {
  if (new_weights_ > 0) memory.new_weights_bytes = new_weights_ * std::ssize(tensors_);
  for (const auto& [size, tensors] : tensors_) {
    for (const auto* list : {&tensors.inputs, &tensors.states}) {
      for (const gb_step_rows& tensor : *list)
        memory.static_bytes += static_cast<std::int64_t>(bytes_of(tensor, size));
    }
  }
}

ForeignSteps::Values ForeignSteps::values_of(const std::vector<gb_step_rows>& tensors, std::int64_t rows) {
  Values values;
  for (const gb_step_rows& tensor : tensors) {
    std::vector<std::byte>& of = values.emplace_back();
    const std::size_t bytes = bytes_of(tensor, rows);
    if (tensor.kind == GB_STATE && bytes > compared_bytes_max) continue;
    const Buffer copy(rig_.device(), bytes, MemoryKind::harness);
    copy_rows(rig_.stream(), {dense(tensor, copy, rows)}, {tensor}, rows);
    of.resize(bytes);
    rig_.stream().copy_to_host(of.data(), copy.data(), bytes);
    rig_.stream().synchronize();
  }
  return values;
}

// Writes other values than those of requests into the rows of padding, made of the first row: numbers of
// floating point 64 times as large, which show a scale or a maximum over the batch; half as large if none is
// negative, because they may be probabilities or indices. Others are the first row's.
void ForeignSteps::pad_otherwise(std::int64_t rows, std::int64_t size) {
  for (const gb_step_rows& input : tensors_.at(size).inputs) {
    const bool all = bytes_of(input, size) <= compared_bytes_max;
    const std::int64_t read = all ? size : 1;
    const std::vector<std::byte> values = values_of({input}, read).front();
    const auto each = static_cast<std::size_t>(input.row_bytes);
    const auto row = [&](std::int64_t block, std::int64_t index) {
      return values.begin() + static_cast<std::ptrdiff_t>((block * read + index) * input.row_bytes);
    };
    std::vector<std::byte> other;
    for (std::int64_t block = 0; block < input.blocks; ++block)
      other.insert(other.end(), row(block, 0), row(block, 0) + input.row_bytes);
    if (const auto layout = float_layout_of(input.dtype))
      scale(other, *layout, has_negative(values, *layout) ? 6 : -1);
    bool alike = all;
    for (std::int64_t block = 0; alike && block < input.blocks; ++block) {
      for (std::int64_t index = rows; alike && index < size; ++index)
        alike = std::memcmp(&*row(block, index), &other[static_cast<std::size_t>(block) * each], each) == 0;
    }
    padded_otherwise_[abi::printable(input.name)] |= !alike;
    const Buffer buffer(rig_.device(), other.size(), MemoryKind::harness);
    rig_.stream().copy_to_device(buffer.data(), other.data(), other.size());
    for (std::int64_t padding = rows; padding < size; ++padding)
      copy_rows(rig_.stream(), {input, padding}, {dense(input, buffer, 1)}, 1);
    rig_.stream().synchronize();
  }
}

// Keeps what the last step left of its state.
void ForeignSteps::keep_states(std::int64_t size) {
  later_states_.clear();
  for (const gb_step_rows& state : tensors_.at(size).states) {
    std::optional<Buffer>& kept = later_states_.emplace_back();
    if (bytes_of(state, size) > compared_bytes_max) continue;
    kept.emplace(rig_.device(), bytes_of(state, size), MemoryKind::harness);
    copy_rows(rig_.stream(), {dense(state, *kept, size)}, {state}, size);
  }
  rig_.stream().synchronize();
}

// One step of `rows` rows, from the state before all steps. The rows after them, up to `size`, are those of
// other requests; or those of pad_otherwise(), with the state of requests that took a step before.
ForeignSteps::Values ForeignSteps::run(execution::Executor& executor, std::int64_t rows, std::int64_t size,
                                       bool all_rows_differ) {
  copy_in({0, all_rows_differ ? size : rows}, size);
  if (!all_rows_differ) pad_otherwise(rows, size);
  executor.restore();
  open(size).rewind();
  const std::vector<gb_step_rows>& states = tensors_.at(size).states;
  for (std::size_t i = 0; !all_rows_differ && i < states.size(); ++i) {
    if (later_states_[i])
      copy_rows(rig_.stream(), {states[i], rows}, {dense(states[i], *later_states_[i], size), rows},
                size - rows);
  }
  rig_.stream().synchronize();
  executor.submit();
  rig_.stream().synchronize();
  Tensors& of = tensors_.at(size);
  const std::vector<gb_step_rows> kept = of.outputs;
  if (&executor.eager() == &executor || !of.keeps_outputs) read(size, true);
  Values values = values_of(of.outputs, rows);
  for (auto& value : values_of(of.states, rows)) values.push_back(std::move(value));
  if (of.keeps_outputs) of.outputs = kept;
  return values;
}

void ForeignSteps::compare(const Values& want, const Values& have, const std::string& how, bool exactly,
                           model::Check& check) const {
  const Tensors& of = tensors_.at(largest_);
  for (std::size_t i = 0; i < want.size(); ++i) {
    if (measure::same_bytes(want[i], have[i])) continue;
    const gb_step_rows& tensor = i < of.outputs.size() ? of.outputs[i] : of.states[i - of.outputs.size()];
    bool near = !exactly;
    if (const auto apart = measure::difference_of_step(tensor.dtype, want[i], have[i])) {
      check.max_abs_error = std::max(check.max_abs_error, apart->largest);
      near = near && apart->relative <= tolerance_of(tensor.dtype);
    } else {
      near = near && share_of(tensor, want[i], have[i]) <= differing_rows_max;
    }
    if (!near) throw Error(ErrorCode::check_failed, "padding: " + title_of(tensor) + " " + how);
    check.tolerated =
        "rows of a padded step differ from those of an eager step without padding, within the limit";
  }
}

void ForeignSteps::check_padding(execution::Executor& executor, std::int64_t rows, std::int64_t size,
                                 model::Check& check) {
  const std::string at = std::to_string(rows) + " rows in size " + std::to_string(size);
  const Values padded = run(executor, rows, size, true);
  keep_states(size);
  const Values other = run(executor, rows, size, false);
  // A step whose bits vary seems to change with its padding, too: then one of the two does not repeat.
  const auto same = [](const Values& a, const Values& b) {
    return std::ranges::equal(a, b, measure::same_bytes);
  };
  for (int i = 0; i < repeats_of_a_change && !varies_ && !same(padded, other); ++i)
    varies_ =
        !same(run(executor, rows, size, true), padded) || !same(run(executor, rows, size, false), other);
  compare(padded, other, "changes with the rows of padding, with " + at, !varies_, check);
  later_states_.clear();
  const bool draws = reported("random_generators") > 0;
  if (!draws) {
    measure::ForeignExecutor narrow(rig_.device(), rig_.stream(), open(size), true, rows);
    compare(run(narrow, rows, size, true), padded,
            "differs from that of an eager step without padding, with " + at, false, check);
  }
  check.remarks.clear();
  if (draws)
    check.remarks.emplace_back(
        "the step draws random numbers, others for fewer rows, so it is not compared with "
        "an eager step without padding");
  std::vector<std::string> alike;
  for (const auto& [name, other_values] : padded_otherwise_) {
    if (!other_values) alike.push_back(name);
  }
  if (!alike.empty()) check.remarks.push_back("padding had the same values in both runs: " + join(alike));
  if (tensors_.at(size).inputs.empty())
    check.remarks.emplace_back("every tensor with rows counts as state, so no rows are copied in");
  if (varies_)
    check.remarks.emplace_back(
        "the bits of a step's results vary from run to run, so a change by padding shows only "
        "beyond the limit");
  std::vector<std::string> large;
  for (const gb_step_rows& state : tensors_.at(size).states) {
    if (bytes_of(state, rows) > compared_bytes_max) large.push_back(abi::printable(state.name));
  }
  if (!large.empty())
    check.remarks.push_back("state is too large to be compared: " + std::to_string(large.size()) +
                            " tensors, such as " + large.front());
  if (const auto& others = tensors_.at(size).without_rows; !others.empty())
    check.remarks.push_back("state without rows of the batch is not checked: " + join(others));
}

}  // namespace graphbench::ladder
