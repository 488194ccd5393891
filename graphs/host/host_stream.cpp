// Submits, captures and runs work on the host device, and replays its graphs.
#include "graphs/host/host_stream.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <mutex>
#include <string>
#include <typeinfo>
#include <utility>

#include "graphs/host/host_device.hpp"
#include "graphs/host/host_kernel.hpp"
#include "graphs/host/library_stream.hpp"
#include "graphs/host/op_implementation.hpp"

namespace graphbench::host {
namespace {

class HostGraphExec final : public GraphExec {
 public:
  explicit HostGraphExec(const std::vector<Task>& tasks);
  ~HostGraphExec() override;  // waits for replays that are still enqueued
  GraphUpdate update(Graph& graph) override;
  void set_operands(const std::vector<GraphNode>& nodes, Kernel& kernel, void* const* operands) override;
  void set_copy(GraphNode node, const DeviceCopy& copy) override;
  // Enqueues an empty task, because the graph already lies in host memory.
  void upload(Stream& stream) override;
  void launch(Stream& stream) override;
  void* native_handle() noexcept override { return nullptr; }

 private:
  struct Node {
    Task task;  // the recorded task: an update may not change its kind
    std::shared_ptr<BoundOp> op;
  };
  // A change while launches are enqueued creates a new version; enqueued launches keep the old one.
  struct Version {
    std::vector<Node> nodes;
    std::atomic<int> in_flight{0};
  };

  static Node bind(const Task& task);
  static void run(Task& task, StreamContext& context);
  Version& version_to_change();

  // Launches run the last version. Older versions stay until their launches have run.
  std::vector<std::unique_ptr<Version>> versions_;
};

// A GraphNode is the node's position in the graph plus one.
std::vector<GraphNode> first_nodes(std::size_t count) {
  std::vector<GraphNode> nodes;
  for (std::size_t i = 1; i <= count; ++i) nodes.push_back(reinterpret_cast<GraphNode>(i));
  return nodes;
}

std::size_t position_of(GraphNode node) {
  return reinterpret_cast<std::uintptr_t>(node) - 1;
}

class HostGraph final : public Graph {
 public:
  HostGraph(std::vector<Task> tasks, std::vector<std::shared_ptr<HostBranch>> branches)
      : tasks_(std::move(tasks)), branches_(std::move(branches)) {}
  facts::GraphContents contents() const override {
    return {.nodes = static_cast<std::int64_t>(tasks_.size())};
  }
  std::unique_ptr<GraphExec> instantiate() override { return std::make_unique<HostGraphExec>(tasks_); }
  std::vector<GraphNode> nodes() const override { return first_nodes(tasks_.size()); }
  std::vector<facts::DescribedNode> describe() const override;
  void reset() override { tasks_.clear(); }
  void* native_handle() noexcept override { return nullptr; }

  std::vector<Task>& tasks() noexcept { return tasks_; }
  std::vector<std::shared_ptr<HostBranch>>& branches() noexcept { return branches_; }

 private:
  std::vector<Task> tasks_;
  std::vector<std::shared_ptr<HostBranch>> branches_;
};

class BoundTask final : public BoundOp {
 public:
  explicit BoundTask(const Task& task) : task_(task) {}
  void run(StreamContext& context) override { task_.run(task_, context); }

 private:
  Task task_;
};

void run_nothing(Task&, StreamContext&) {}

// The address of this function marks a task as a branch, for which bind() makes a BoundBranch. The function
// is never called.
void run_branch(Task&, StreamContext&) {}

class BoundBranch final : public BoundOp {
 public:
  using Arm = std::vector<std::shared_ptr<BoundOp>>;
  BoundBranch(const std::int32_t* selector, std::vector<Arm> arms)
      : selector_(selector), arms_(std::move(arms)) {}
  void run(StreamContext& context) override {
    const bool is_if = arms_.size() == 2;
    const auto chosen = static_cast<std::size_t>(is_if ? *selector_ != 0 : *selector_);
    if (chosen >= arms_.size()) return;
    for (const auto& op : arms_[chosen]) op->run(context);
  }

 private:
  const std::int32_t* selector_;
  std::vector<Arm> arms_;
};

OpImplementation& op_of(const Task& task) {
  return *static_cast<OpImplementation*>(task.object);
}

// True if both tasks do the same kind of work. Ops do so if their class and name are equal, such as one op at
// two batch sizes.
bool same_kind(const Task& a, const Task& b) {
  if (a.run != b.run || a.run != HostKernel::run) return a.run == b.run;
  return typeid(op_of(a)) == typeid(op_of(b)) && op_of(a).name() == op_of(b).name();
}

std::string name_of(const Task& task) {
  if (task.run == run_branch) return "conditional";
  return task.run == HostKernel::run ? op_of(task).name() : "memory";
}

struct FillBytes {
  void* destination;
  std::size_t bytes;
  int byte;
};

void run_byte_fill(Task& task, StreamContext&) {
  const auto fill = task.payload<FillBytes>();
  std::memset(fill.destination, fill.byte, fill.bytes);
}

void run_copy(Task& task, StreamContext&) {
  const auto copy = task.payload<DeviceCopy>();
  std::memmove(copy.destination, copy.source, copy.bytes);
}

// 0 unless the task is a copy or a fill.
std::size_t bytes_of(const Task& task) {
  if (task.run == run_copy) return task.payload<DeviceCopy>().bytes;
  return task.run == run_byte_fill ? task.payload<FillBytes>().bytes : 0;
}

std::vector<facts::DescribedNode> HostGraph::describe() const {
  std::vector<facts::DescribedNode> nodes;
  for (const Task& task : tasks_) {
    const bool is_op = task.run == HostKernel::run;
    facts::DescribedNode& node = nodes.emplace_back();
    const bool is_branch = task.run == run_branch;
    node.type = is_op ? "kernel" : is_branch ? "conditional" : task.run == run_copy ? "memcpy" : "memset";
    if (is_op) node.function = name_of(task);
    if (!is_op && !is_branch) node.facts["bytes"] = std::to_string(bytes_of(task));
    if (nodes.size() > 1) node.after.push_back(static_cast<std::int64_t>(nodes.size()) - 2);
  }
  return nodes;
}

HostGraphExec::Node HostGraphExec::bind(const Task& task) {
  if (task.run == run_branch) {
    const auto& branch = *static_cast<const HostBranch*>(task.object);
    std::vector<BoundBranch::Arm> arms(branch.arms.size());
    for (std::size_t i = 0; i < arms.size(); ++i)
      for (const Task& each : branch.arms[i]) arms[i].push_back(bind(each).op);
    return {task, std::make_shared<BoundBranch>(branch.selector, std::move(arms))};
  }
  if (task.run != HostKernel::run) return {task, std::make_shared<BoundTask>(task)};
  return {task, static_cast<OpImplementation*>(task.object)->bind(HostKernel::operands_of(task))};
}

HostGraphExec::HostGraphExec(const std::vector<Task>& tasks) {
  Version& version = *versions_.emplace_back(std::make_unique<Version>());
  version.nodes.reserve(tasks.size());
  for (const Task& task : tasks) version.nodes.push_back(bind(task));
}

HostGraphExec::~HostGraphExec() {
  for (const auto& version : versions_) {
    while (version->in_flight.load(std::memory_order_acquire) != 0) std::this_thread::yield();
  }
}

HostGraphExec::Version& HostGraphExec::version_to_change() {
  if (versions_.back()->in_flight.load(std::memory_order_acquire) != 0) {
    auto next = std::make_unique<Version>();
    next->nodes = versions_.back()->nodes;
    versions_.push_back(std::move(next));
  }
  const auto ran = [&](const auto& version) {
    return version != versions_.back() && version->in_flight.load(std::memory_order_acquire) == 0;
  };
  versions_.erase(std::remove_if(versions_.begin(), versions_.end(), ran), versions_.end());
  return *versions_.back();
}

GraphUpdate HostGraphExec::update(Graph& graph) {
  const std::vector<Task>& tasks = static_cast<HostGraph&>(graph).tasks();
  const std::vector<Node>& before = versions_.back()->nodes;
  if (tasks.size() != before.size()) {
    return {.done = false,
            .node = "",
            .reason = "the graph has " + std::to_string(tasks.size()) + " nodes, but the exec has " +
                      std::to_string(before.size())};
  }
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    if (same_kind(tasks[i], before[i].task)) continue;
    return {.done = false,
            .node = name_of(tasks[i]) + " node " + std::to_string(i),
            .reason = "the exec has another op at this node: " + name_of(before[i].task)};
  }
  Version& version = version_to_change();
  for (std::size_t i = 0; i < tasks.size(); ++i) version.nodes[i] = bind(tasks[i]);
  return {.done = true, .node = "", .reason = ""};
}

void HostGraphExec::set_operands(const std::vector<GraphNode>& nodes, Kernel&, void* const* operands) {
  Node& node = version_to_change().nodes.at(position_of(nodes.at(0)));
  GRAPHBENCH_ASSERT(node.task.run == HostKernel::run);
  node.op = static_cast<OpImplementation*>(node.task.object)->bind(operands);
}

void HostGraphExec::set_copy(GraphNode node, const DeviceCopy& copy) {
  Node& changed = version_to_change().nodes.at(position_of(node));
  std::memcpy(changed.task.words.data(), &copy, sizeof(copy));
  changed.op = std::make_shared<BoundTask>(changed.task);
}

void HostGraphExec::upload(Stream& stream) {
  static_cast<HostStream&>(stream).submit_uncaptured("upload graph", run_nothing, nullptr, nullptr, 0);
}

void HostGraphExec::launch(Stream& stream) {
  Version& version = *versions_.back();
  version.in_flight.fetch_add(1, std::memory_order_relaxed);
  try {
    static_cast<HostStream&>(stream).submit_uncaptured("launch graph", run, &version, nullptr, 0);
  } catch (...) {
    version.in_flight.fetch_sub(1, std::memory_order_relaxed);
    throw;
  }
}

void HostGraphExec::run(Task& task, StreamContext& context) {
  auto& version = *static_cast<Version*>(task.object);
  // Counts down last, because the version may be destroyed right afterwards.
  struct Landing {
    std::atomic<int>& in_flight;
    ~Landing() { in_flight.fetch_sub(1, std::memory_order_release); }
  } const landing{version.in_flight};
  if (context.records == nullptr) [[likely]] {
    for (const Node& node : version.nodes) node.op->run(context);
    return;
  }
  for (const Node& node : version.nodes) {
    const std::string name = name_of(node.task);  // `recorded` keeps a reference to it
    const RecordedOp recorded(context.records, name);
    node.op->run(context);
  }
}

// The submitting thread (producer) and the stream's thread (consumer) spin before sleeping: a wake-up takes
// about 5 us (100 us in a virtual machine), as long as a short step. The consumer spins for longer than the
// pause between two samples. If the producer has waited for 10 ms, a wake-up adds at most a hundredth to the
// wait. Parking yields the core while a thread spins. On a single core, a spinning thread would block the
// other one.
TaskRing::SpinTimes spin_times(int cores) {
  if (cores == 1) return {};
  return {.consumer = std::chrono::microseconds(2'000), .producer = std::chrono::microseconds(10'000)};
}

}  // namespace

HostStream::HostStream(HostDevice& device)
    : device_(device), ring_(spin_times(device.cores())), thread_([this] { work(); }) {
  device_.add_stream(*this);
}

HostStream::~HostStream() {
  device_.remove_stream(*this);
  ring_.close();
  thread_.join();
}

void HostStream::work() {
  LibraryStream library(device_.compute_threads());
  StreamContext context;
  context.library_stream = library.get();
  while (Task* task = ring_.next()) {
    try {
      // The ops of one device run one at a time because they share its cores and its scratch memory.
      const std::lock_guard lock(device_.execution_mutex());
      context.records = device_.records();
      task->run(*task, context);
    } catch (...) {
      if (error_ == nullptr) error_ = std::current_exception();
    }
    ring_.complete();
  }
}

void HostStream::enqueue(Task::Run run, void* object, const void* payload, std::size_t bytes) {
  Task& task = ring_.claim();
  task.run = run;
  task.object = object;
  if (bytes != 0) std::memcpy(task.words.data(), payload, bytes);
  ring_.publish();
}

void HostStream::submit(Task::Run run, void* object, const void* payload, std::size_t bytes) {
  GRAPHBENCH_ASSERT(bytes <= sizeof(Task::words));
  if (capture_ == CaptureState::none) {
    enqueue(run, object, payload, bytes);
    return;
  }
  if (capture_ == CaptureState::invalidated) {
    throw Error(ErrorCode::capture_invalidated, "record on host stream: an earlier error ended this capture");
  }
  Task& task = recorded_.emplace_back();
  task.run = run;
  task.object = object;
  if (bytes != 0) std::memcpy(task.words.data(), payload, bytes);
}

void HostStream::submit_uncaptured(const char* operation, Task::Run run, void* object, const void* payload,
                                   std::size_t bytes) {
  GRAPHBENCH_ASSERT(bytes <= sizeof(Task::words));
  refuse_while_capturing(operation);
  enqueue(run, object, payload, bytes);
}

void HostStream::refuse_while_capturing(const char* operation) {
  if (capture_ == CaptureState::none) return;
  const bool was_active = std::exchange(capture_, CaptureState::invalidated) == CaptureState::active;
  throw Error(
      was_active ? ErrorCode::capture_unsupported : ErrorCode::capture_invalidated,
      std::string(operation) + " on host stream: this call is not permitted while the stream is capturing");
}

void HostStream::drain() noexcept {
  ring_.wait_idle();
}

void HostStream::synchronize() {
  refuse_while_capturing("synchronize");
  ring_.wait_idle();
  rethrow_error();
}

void HostStream::synchronize_blocking() {
  refuse_while_capturing("synchronize");
  ring_.wait_idle_asleep();
  rethrow_error();
}

void HostStream::rethrow_error() {
  if (error_ != nullptr) std::rethrow_exception(std::exchange(error_, nullptr));
}

void HostStream::begin_capture() {
  if (capture_ != CaptureState::none) {
    throw Error(ErrorCode::capture_unsupported,
                "begin capture on host stream: the stream is already capturing");
  }
  recorded_.clear();
  branches_.clear();
  capture_thread_ = std::this_thread::get_id();
  capture_ = CaptureState::active;
}

// Ends the capture, and leaves the recorded tasks in `recorded_`.
void HostStream::finish_capture() {
  if (capture_ == CaptureState::none) {
    throw Error(ErrorCode::capture_unmatched, "end capture on host stream: the stream is not capturing");
  }
  if (capture_thread_ != std::this_thread::get_id()) {
    capture_ = CaptureState::invalidated;
    throw Error(ErrorCode::capture_wrong_thread,
                "end capture on host stream: another thread began the capture");
  }
  if (std::exchange(capture_, CaptureState::none) == CaptureState::invalidated) {
    recorded_.clear();
    throw Error(ErrorCode::capture_invalidated,
                "end capture on host stream: an earlier error ended the capture");
  }
}

std::unique_ptr<Graph> HostStream::end_capture() {
  finish_capture();
  return std::make_unique<HostGraph>(std::exchange(recorded_, {}), std::exchange(branches_, {}));
}

void HostStream::end_capture(Graph& graph) {
  finish_capture();
  auto& into = static_cast<HostGraph&>(graph);
  std::swap(into.tasks(), recorded_);  // the old vector's memory serves the next capture
  into.branches() = std::exchange(branches_, {});
  recorded_.clear();
}

std::vector<GraphNode> HostStream::nodes_so_far() const {
  return first_nodes(recorded_.size());
}

void HostStream::abandon_capture() noexcept {
  capture_ = CaptureState::none;
  recorded_.clear();
}

void HostStream::record_branch(const void* selector, const std::vector<Arm>& arms) {
  auto branch = std::make_shared<HostBranch>();
  branch->selector = static_cast<const std::int32_t*>(selector);
  for (const Arm& arm : arms) {
    std::vector<Task> outer = std::exchange(recorded_, {});
    if (arm) arm(*this);
    branch->arms.push_back(std::exchange(recorded_, std::move(outer)));
  }
  submit(run_branch, branch.get(), nullptr, 0);
  branches_.push_back(std::move(branch));
}

void HostStream::fill_bytes(void* destination, int byte, std::size_t bytes) {
  const FillBytes fill{destination, bytes, byte};
  submit(run_byte_fill, nullptr, &fill, sizeof(fill));
}

void HostStream::copy_on_device(void* destination, const void* source, std::size_t bytes) {
  const DeviceCopy copy{destination, source, bytes};
  submit(run_copy, nullptr, &copy, sizeof(copy));
}

void HostStream::copy_to_host(void* host_destination, const void* source, std::size_t bytes) {
  const DeviceCopy copy{host_destination, source, bytes};
  submit_uncaptured("copy to host", run_copy, nullptr, &copy, sizeof(copy));
  synchronize();
}

void HostStream::copy_to_device(void* destination, const void* host_source, std::size_t bytes) {
  const DeviceCopy copy{destination, host_source, bytes};
  submit_uncaptured("copy to device", run_copy, nullptr, &copy, sizeof(copy));
  synchronize();
}

}  // namespace graphbench::host
