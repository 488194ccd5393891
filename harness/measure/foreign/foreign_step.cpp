// Calls the functions of a foreign step, and runs its parts eagerly or as graphs.
#include "harness/measure/foreign/foreign_step.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "graphs/abi/guard.hpp"

namespace graphbench::measure {
namespace {

// A step with more parts or outputs is refused: such a number comes from uninitialized memory.
constexpr std::int32_t parts_max = 4096;
constexpr std::int32_t outputs_max = 4096;
constexpr std::int32_t copies_max = 65536;
constexpr std::int32_t rows_max = 65536;
constexpr std::size_t report_bytes_max = std::size_t{1} << 20;
constexpr std::size_t reason_bytes = 4096;
constexpr std::int32_t whole_step = -1;

std::vector<const char*> pointers_to(const std::vector<std::string>& texts) {
  std::vector<const char*> pointers;
  for (const std::string& text : texts) pointers.push_back(text.c_str());
  return pointers;
}

}  // namespace

template <typename Call>
void ForeignStep::checked(const char* function, Call&& call) {
  reason_.front() = '\0';
  if (const int status = abi::guarded(function, call); status != 0) fail(function, status);
}

void ForeignStep::fail(const char* function, int status) {
  reason_.back() = '\0';
  throw Error(status == GB_STEP_SKIP ? ErrorCode::unsupported : ErrorCode::step_failed,
              std::string(function) + ": " +
                  (reason_.front() == '\0' ? "the step returned " + std::to_string(status) + " and no reason"
                                           : abi::printable(reason_.data())));
}

ForeignStep::ForeignStep(const gb_step& record, const Opening& opening, Stream& stream)
    : record_(record),
      mode_(opening.mode),
      batch_(opening.batch),
      narrowed_(opening.batch),
      reason_(reason_bytes) {
  const std::vector<const char*> splits = pointers_to(opening.split_ops);
  std::vector<const char*> names;
  std::vector<const char*> values;
  for (const auto& [name, value] : opening.axes) {
    names.push_back(name.c_str());
    values.push_back(value.c_str());
  }
  const gb_step_request request{.struct_size = sizeof(gb_step_request),
                                .place = opening.device_uuid.empty() ? GB_ON_HOST : GB_ON_CUDA,
                                .batch = opening.batch,
                                .mode = opening.mode.c_str(),
                                .cuda_stream = stream.native_handle(),
                                .device_uuid = opening.device_uuid.c_str(),
                                .split_ops = splits.data(),
                                .split_op_count = static_cast<std::int32_t>(splits.size()),
                                .axis_count = static_cast<std::int32_t>(names.size()),
                                .axis_names = names.data(),
                                .axis_values = values.data(),
                                .launch = opening.launch,
                                .serves = opening.serves ? 1 : 0,
                                .reserved = 0};
  checked("open",
          [&] { return record_.open(&request, &step_, reason_.data(), reason_.size(), record_.user); });
  try {
    read_parts();
    read_state();
  } catch (...) {
    close();
    throw;
  }
}

void ForeignStep::read_parts() {
  std::vector<std::uint8_t> captured(parts_max);
  std::int32_t count = 0;
  checked("parts", [&] {
    count = record_.parts(step_, captured.data(), parts_max, reason_.data(), reason_.size());
    return std::min(count, 0);
  });
  const auto refuse = [](const std::string& why) { throw Error(ErrorCode::step_failed, "parts: " + why); };
  if (count < 1 || count > parts_max)
    refuse("the step has " + std::to_string(count) + " parts: give 1 to " + std::to_string(parts_max));
  parts_.assign(captured.begin(), captured.begin() + count);
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    if (parts_[i] > GB_PART_UNSEEN)
      refuse("part " + std::to_string(i) + " has kind " + std::to_string(parts_[i]) +
             ": give a gb_step_part");
  }
  const auto graphs = std::ranges::count(parts_, GB_PART_CAPTURED);
  const std::string has = "mode " + mode_ + " has " + std::to_string(count) +
                          (count == 1 ? " part, " : " parts, ") + std::to_string(graphs) +
                          " of them captured: ";
  if (mode_ == "whole" && (count != 1 || parts_.front() == GB_PART_RUN))
    refuse(has + "give the mode one part, captured or launched");
  if (mode_ != "whole" && mode_ != "piecewise" && graphs > 0)
    refuse(has + "only modes whole and piecewise may have captured parts");
}

void ForeignStep::read_state() {
  if (record_.state == nullptr) return;
  const gb_step_copy* copies = nullptr;
  std::int32_t count = 0;
  checked("state", [&] {
    count = record_.state(step_, &copies, reason_.data(), reason_.size());
    return count < 0 ? count : 0;
  });
  if (count > copies_max || (count > 0 && copies == nullptr))
    throw Error(ErrorCode::step_failed, "state: the step has " + std::to_string(count) +
                                            " copies: give at most " + std::to_string(copies_max) +
                                            " in an array");
  state_.assign(copies, copies + count);
}

std::vector<gb_step_rows> ForeignStep::rows() {
  const gb_step_rows* rows = nullptr;
  std::int32_t count = 0;
  checked("rows", [&] {
    count = record_.rows(step_, &rows, reason_.data(), reason_.size());
    return count < 0 ? count : 0;
  });
  if (count > rows_max || (count > 0 && rows == nullptr))
    throw Error(ErrorCode::step_failed, "rows: the step lends " + std::to_string(count) +
                                            " tensors: give at most " + std::to_string(rows_max) +
                                            " in an array");
  return {rows, rows + count};
}

void ForeignStep::rewind() {
  if (record_.narrow == nullptr) return;
  checked("narrow", [&] { return record_.narrow(step_, narrowed_, reason_.data(), reason_.size()); });
}

void ForeignStep::narrow(std::int64_t rows) {
  if (rows == narrowed_) return;
  checked("narrow", [&] { return record_.narrow(step_, rows, reason_.data(), reason_.size()); });
  narrowed_ = rows;
}

void ForeignStep::drop(std::int32_t what) {
  if (record_.drop == nullptr)
    throw Error(ErrorCode::unsupported,
                "the step's plugin cannot give up its graphs: it has no gb_step.drop");
  checked("drop", [&] { return record_.drop(step_, what, reason_.data(), reason_.size()); });
}

void ForeignStep::close() noexcept {
  if (step_ != nullptr) record_.close(step_);
}

void ForeignStep::run(std::int32_t part) {
  reason_.front() = '\0';
  const int status = record_.run(step_, part, reason_.data(), reason_.size());
  if (status != 0) [[unlikely]]
    fail("run", status);
}

void* ForeignStep::capture(std::int32_t part) {
  void* graph = nullptr;
  if (record_.capture == nullptr) return graph;
  checked("capture", [&] { return record_.capture(step_, part, &graph, reason_.data(), reason_.size()); });
  return graph;
}

void ForeignStep::fill(std::uint64_t seed) {
  checked("fill", [&] { return record_.fill(step_, seed, reason_.data(), reason_.size()); });
}

std::vector<gb_step_output> ForeignStep::outputs() {
  const gb_step_output* outputs = nullptr;
  std::int32_t count = 0;
  checked("outputs", [&] {
    count = record_.outputs(step_, &outputs, reason_.data(), reason_.size());
    return count < 0 ? count : 0;
  });
  if (count > outputs_max || (count > 0 && outputs == nullptr))
    throw Error(ErrorCode::step_failed, "outputs: the step has " + std::to_string(count) +
                                            " outputs: give at most " + std::to_string(outputs_max) +
                                            " in an array");
  return {outputs, outputs + count};
}

std::string ForeignStep::report() {
  const char* const text = record_.report == nullptr ? nullptr : record_.report(step_);
  if (text == nullptr) return "";
  const std::size_t bytes = strnlen(text, report_bytes_max + 1);
  if (bytes > report_bytes_max)
    throw Error(ErrorCode::step_failed,
                "report: the text is longer than " + std::to_string(report_bytes_max) + " bytes");
  return {text, bytes};
}

std::string ForeignStep::check(const std::string& heard) {
  const char* said = nullptr;
  checked("check",
          [&] { return record_.check(step_, heard.c_str(), &said, reason_.data(), reason_.size()); });
  return said == nullptr ? "" : said;
}

void ForeignStep::run_by_modules(const std::function<void(std::string name)>& mark) {
  if (record_.run_by_modules == nullptr) return;
  std::exception_ptr failure;  // must not pass through the library's frames
  const auto guarded = [&](const char* name) {
    try {
      if (!failure) mark(name);
    } catch (...) {
      failure = std::current_exception();
    }
  };
  const auto call = [](const char* name, void* marks) { (*static_cast<decltype(&guarded)>(marks))(name); };
  void* const marks = const_cast<void*>(static_cast<const void*>(&guarded));
  checked("run_by_modules",
          [&] { return record_.run_by_modules(step_, call, marks, reason_.data(), reason_.size()); });
  if (failure) std::rethrow_exception(failure);
}

ForeignExecutor::ForeignExecutor(Device& device, Stream& stream, ForeignStep& step, bool eagerly,
                                 std::int64_t rows)
    : device_(device),
      stream_(stream),
      step_(step),
      rows_(rows == 0 ? step.batch() : rows),
      on_host_(device.info().kind == "host") {
  restores_ = !step.state().empty();
  const auto add = [&](std::int32_t index, std::uint8_t kind) {
    parts_.push_back({.kind = kind, .call = device.make_callback([&step, index] { step.run(index); })});
  };
  if (eagerly) {
    add(whole_step, GB_PART_RUN);
    return;
  }
  eager_ = std::make_unique<ForeignExecutor>(device, stream, step, true);
  for (std::size_t i = 0; i < step.parts().size(); ++i) add(static_cast<std::int32_t>(i), step.parts()[i]);
}

void ForeignExecutor::warm_up() {
  const bool runs = std::ranges::all_of(parts_, [](const Part& part) { return part.kind == GB_PART_RUN; });
  if (runs) {
    submit();
  } else {
    eager().submit();
  }
}

// A part of several may be empty, but a step whose graphs hold nothing would be launched for nothing.
void ForeignExecutor::require_work() const {
  const bool captured = std::ranges::all_of(parts_, [](const Part& part) { return part.graph != nullptr; });
  if (captured && counts().graphs.contents.nodes == 0)
    throw Error(ErrorCode::recorded_nothing,
                "capture: the graph is empty: the step enqueued nothing while it was captured");
}

std::unique_ptr<Graph> ForeignExecutor::capture_part(Part& part, std::int32_t index) {
  void* const lent = step_.capture(index);
  if (part.kind == GB_PART_UNSEEN) return nullptr;
  if (lent != nullptr) return device_.borrow_graph(lent);
  if (part.kind == GB_PART_LAUNCHED)
    throw Error(ErrorCode::step_failed, "capture: part " + std::to_string(index) +
                                            " is GB_PART_LAUNCHED, but capture() lent no graph for it: lend "
                                            "a graph, or make the part GB_PART_RUN");
  return stream_.capture([&] { part.call->launch(stream_, nullptr); });
}

void ForeignExecutor::capture() {
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    if (parts_[i].kind != GB_PART_RUN)
      parts_[i].graph = capture_part(parts_[i], static_cast<std::int32_t>(i));
  }
  require_work();
}

void ForeignExecutor::instantiate() {
  only_replay_ = {};
  for (Part& part : parts_) {
    if (part.kind != GB_PART_CAPTURED) continue;
    part.exec = part.graph->instantiate();
    part.replay = part.exec->prepare_replay(stream_);
  }
  if (parts_.size() == 1) only_replay_ = parts_.front().replay;
}

void ForeignExecutor::upload() {
  for (Part& part : parts_) {
    if (part.exec != nullptr) part.exec->upload(stream_);
  }
}

void ForeignExecutor::restore() {
  step_.narrow(rows_);
  for (const gb_step_copy& copy : step_.state()) {
    if (copy.place == GB_ON_HOST && !on_host_) {
      std::memcpy(copy.to, copy.from, static_cast<std::size_t>(copy.bytes));
    } else {
      stream_.copy_on_device(copy.to, copy.from, static_cast<std::size_t>(copy.bytes));
    }
  }
}

void ForeignExecutor::enqueue_step() {
  for (const Part& part : parts_) {
    if (part.replay.enqueue != nullptr) {
      part.replay.enqueue(part.replay.exec, part.replay.stream);
    } else {
      part.call->launch(stream_, nullptr);
    }
  }
}

std::vector<execution::SharedExecs::Piece> ForeignExecutor::pieces() const {
  std::vector<execution::SharedExecs::Piece> pieces;
  for (const Part& part : parts_) {
    if (part.kind == GB_PART_CAPTURED) pieces.push_back({part.graph.get(), part.exec.get()});
  }
  return pieces;
}

bool ForeignExecutor::share_execs(Executor& other) {
  auto& leader = dynamic_cast<ForeignExecutor&>(other);
  const bool shares = shared_.join(leader.shared_, pieces(), leader.pieces(), [this] {
    instantiate();
    upload();
  });
  if (!shares) return false;
  static_cast<void>(take_execs());
  const std::vector<GraphExec*> execs = shared_.execs();
  auto exec = execs.begin();
  for (Part& part : parts_) {
    if (part.kind != GB_PART_CAPTURED) continue;
    part.replay = (*exec++)->prepare_replay(stream_);
    part.exec = nullptr;
  }
  if (parts_.size() == 1) only_replay_ = parts_.front().replay;
  return true;
}

bool ForeignExecutor::take_execs() {
  if (!shared_.lacks_execs()) return false;
  shared_.take(stream_, pieces());
  return true;
}

execution::StepCounts ForeignExecutor::counts() const {
  execution::StepCounts counts;
  counts.parts = static_cast<std::int64_t>(parts_.size());
  for (const Part& part : parts_) {
    ++(part.kind == GB_PART_RUN ? counts.graphs.eager_ops : counts.graphs.pieces);
    counts.unseen |= part.kind == GB_PART_UNSEEN;
    if (part.graph != nullptr) add(counts.graphs.contents, part.graph->contents());
  }
  return counts;
}

std::vector<Graph*> ForeignExecutor::graphs() const {
  std::vector<Graph*> graphs;
  for (const Part& part : parts_) {
    if (part.graph != nullptr) graphs.push_back(part.graph.get());
  }
  return graphs;
}

std::vector<facts::DescribedPiece> ForeignExecutor::describe() const {
  std::vector<facts::DescribedPiece> described;
  for (Graph* const graph : graphs()) described.push_back({.nodes = graph->describe()});
  return described;
}

}  // namespace graphbench::measure
