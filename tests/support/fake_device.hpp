// A device for unit tests. It has the process's memory, and kernels that only record their launches. Tests
// can make any call fail. All work runs immediately, on the calling thread.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "graphs/device/device.hpp"
#include "graphs/ir/random_fill.hpp"

namespace graphbench::test {

// Counts the calls that can fail. Throws in call number `fail_at` (1: the first; 0: in none).
struct CallLog {
  std::int64_t calls = 0;
  std::int64_t fail_at = 0;
  std::vector<std::string> launches;         // op names, in order, run or recorded
  std::vector<std::vector<void*>> operands;  // operands[i] are those of launches[i]
  std::set<std::size_t> branches;            // the branches for which kernels were prepared
  std::int64_t allocations = 0;
  std::int64_t live_allocations = 0;
  std::int64_t live_graphs = 0;
  std::int64_t instantiations = 0;
  std::int64_t nodes_instantiated = 0;
  std::int64_t graph_launches = 0;
  bool capturing = false;
  std::size_t memset_nodes = 0;  // the number that every graph reports
  bool residuals_in_place = false;
  bool refuse_updates = false;
  std::map<std::string, std::string> attributes;  // of nodes, for graphs that are made later
  std::string not_in_captures;                    // an op whose recording fails
  std::string forks;                              // an op whose capture cannot end
  std::vector<DeviceCopy> copies_set;
  std::int64_t copies = 0;  // copies on the device outside of captures

  void step(const char* what) {
    if (++calls == fail_at) throw Error(ErrorCode::device_failed, std::string(what) + ": injected");
  }
  void end_capture() {
    capturing = false;
    step("end capture");
    if (std::ranges::count(launches, forks) > 0)
      throw Error(ErrorCode::capture_unjoined, "end capture: a forked stream was not joined");
  }
};

class FakeStream : public Stream {
 public:
  explicit FakeStream(CallLog& log) : log_(log) {}
  void synchronize() override { log_.step("synchronize"); }
  void synchronize_blocking() override { synchronize(); }
  void begin_capture() override;
  std::unique_ptr<Graph> end_capture() override;
  void end_capture(Graph& graph) override;
  void abandon_capture() noexcept override { log_.capturing = false; }
  bool capturing() const override { return log_.capturing; }
  std::size_t recorded_nodes() const override { return log_.launches.size(); }
  std::vector<GraphNode> nodes_so_far() const override {
    std::vector<GraphNode> nodes;
    for (std::size_t i = 1; i <= log_.launches.size(); ++i) nodes.push_back(reinterpret_cast<GraphNode>(i));
    return nodes;
  }
  void fill_bytes(void* destination, int byte, std::size_t bytes) override {
    std::memset(destination, byte, bytes);
  }
  void copy_to_host(void* to, const void* from, std::size_t bytes) override { std::memcpy(to, from, bytes); }
  void copy_to_device(void* to, const void* from, std::size_t bytes) override {
    std::memcpy(to, from, bytes);
  }
  void copy_on_device(void* to, const void* from, std::size_t bytes) override {
    if (!log_.capturing) {
      ++log_.copies;
      std::memcpy(to, from, bytes);
      return;
    }
    log_.launches.emplace_back("copy");
    log_.operands.push_back({to, const_cast<void*>(from)});
  }
  void record_branch(const void*, const std::vector<Arm>& arms) override {
    for (const Arm& arm : arms)
      if (arm) arm(*this);
  }
  void* native_handle() noexcept override { return nullptr; }

 private:
  CallLog& log_;
};

class FakeExec final : public GraphExec {
 public:
  explicit FakeExec(CallLog& log) : log_(log) { ++log_.live_graphs; }
  ~FakeExec() override { --log_.live_graphs; }
  GraphUpdate update(Graph&) override {
    log_.step("update");
    if (log_.refuse_updates) return {.done = false, .node = "kernel node 1", .reason = "not today"};
    return {.done = true, .node = "", .reason = ""};
  }
  void set_operands(const std::vector<GraphNode>&, Kernel&, void* const*) override { log_.step("set"); }
  void set_copy(GraphNode, const DeviceCopy& copy) override {
    log_.step("set copy");
    log_.copies_set.push_back(copy);
  }
  void upload(Stream&) override { log_.step("upload"); }
  void launch(Stream&) override {
    log_.step("launch graph");
    ++log_.graph_launches;
  }
  void* native_handle() noexcept override { return nullptr; }

 private:
  CallLog& log_;
};

class FakeGraph final : public Graph {
 public:
  FakeGraph(CallLog& log, std::size_t nodes) : log_(log), nodes_(nodes), attributes_(log.attributes) {
    ++log_.live_graphs;
  }
  ~FakeGraph() override { --log_.live_graphs; }
  facts::GraphContents contents() const override {
    facts::GraphContents contents{};
    contents.nodes = static_cast<std::int64_t>(nodes_);
    return contents;
  }
  std::size_t replace_memset_nodes() override { return log_.memset_nodes; }
  std::unique_ptr<GraphExec> instantiate() override {
    log_.step("instantiate");
    ++log_.instantiations;
    log_.nodes_instantiated += static_cast<std::int64_t>(nodes_);
    return std::make_unique<FakeExec>(log_);
  }
  std::vector<GraphNode> nodes() const override { return std::vector<GraphNode>(nodes_); }
  std::vector<facts::DescribedNode> describe() const override {
    std::vector<facts::DescribedNode> nodes(nodes_);
    for (facts::DescribedNode& node : nodes) node.facts = attributes_;
    return nodes;
  }
  void reset() override { nodes_ = 0; }
  void* native_handle() noexcept override { return nullptr; }
  void hold(std::size_t nodes) { nodes_ = nodes; }

 private:
  CallLog& log_;
  std::size_t nodes_;
  std::map<std::string, std::string> attributes_;
};

class FakeKernel final : public Kernel {
 public:
  // Runs in place on the op's residual, the last input, if the op has one and residuals_in_place is set.
  FakeKernel(CallLog& log, const ir::OpCall& call)
      : log_(log), name_(call.op->name), operands_(call.operands.size()) {
    const auto residual = call.op->attributes.find("residual");
    if (log.residuals_in_place && residual != call.op->attributes.end() &&
        residual->second == ir::Attribute(std::int64_t{1}))
      in_place_ = call.input_count - 1;
  }
  std::optional<std::size_t> in_place_input() const override { return in_place_; }
  void launch(Stream&, void* const* operands) override {
    log_.step("launch");
    if (log_.capturing && name_ == log_.not_in_captures)
      throw Error(ErrorCode::capture_unsupported, "launch: not permitted");
    log_.launches.push_back(name_);
    log_.operands.emplace_back(operands, operands + operands_);
  }

 private:
  CallLog& log_;
  std::string name_;
  std::size_t operands_;
  std::optional<std::size_t> in_place_;
};

class FakeEmptyKernel final : public Kernel {
 public:
  explicit FakeEmptyKernel(CallLog& log) : log_(log) {}
  void launch(Stream&, void* const*) override { log_.launches.emplace_back("nothing"); }

 private:
  CallLog& log_;
};

class FakeEvent : public Event {
 public:
  void record(Stream&) override {}
  double seconds_since(const Event&) const override { return 1e-6; }
};

class FakeDevice : public Device {
 public:
  CallLog log;
  std::size_t memory_limit = 1u << 30;

  const facts::DeviceFacts& info() const override { return info_; }
  bool supports(ir::DType) const override { return true; }
  std::unique_ptr<Stream> make_stream() override { return std::make_unique<FakeStream>(log); }
  std::unique_ptr<Stream> default_stream() override { return make_stream(); }
  std::unique_ptr<Event> make_event() override { return std::make_unique<FakeEvent>(); }
  void prepare_on_branch(std::size_t branch) override { log.branches.insert(branch); }
  std::unique_ptr<Kernel> make_kernel(const ir::OpCall& call) override {
    log.step("make kernel");
    return std::make_unique<FakeKernel>(log, call);
  }
  std::unique_ptr<Kernel> make_empty_kernel() override { return std::make_unique<FakeEmptyKernel>(log); }
  void* allocate(std::size_t bytes) override {
    log.step("allocate");
    if (bytes > memory_limit) throw Error(ErrorCode::out_of_memory, "allocate: too much");
    ++log.allocations;
    ++log.live_allocations;
    void* data = std::aligned_alloc(512, (bytes + 511) / 512 * 512);
    sizes_[data] = bytes;
    return data;
  }
  void deallocate(void* data) noexcept override {
    --log.live_allocations;
    sizes_.erase(data);
    std::free(data);
  }
  void* allocate_pinned(std::size_t bytes) override { return allocate(bytes); }
  void deallocate_pinned(void* data) noexcept override { deallocate(data); }
  MemoryInfo memory() const override { return {memory_limit, memory_limit}; }
  std::size_t allocation_granularity() const override { return 4096; }
  std::size_t workspace_bytes() const override { return 0; }
  std::size_t allocated_bytes() const override {
    std::size_t total = 0;
    for (const auto& [data, bytes] : sizes_) total += bytes;
    return total;
  }
  void fill(Stream&, void*, ir::DType, std::size_t, const ir::Init&, std::uint64_t) override {
    log.step("fill");
  }
  std::uint64_t digest(Stream&, const void*, std::size_t) override { return 0; }
  void synchronize() override {}
  ProfilerResult make_profiler() override { return {nullptr, "this device keeps no activity records"}; }

 private:
  facts::DeviceFacts info_{};
  std::map<void*, std::size_t> sizes_;
};

inline void FakeStream::begin_capture() {
  log_.step("begin capture");
  log_.capturing = true;
  log_.launches.clear();
}

inline std::unique_ptr<Graph> FakeStream::end_capture() {
  log_.end_capture();
  return std::make_unique<FakeGraph>(log_, log_.launches.size());
}

inline void FakeStream::end_capture(Graph& graph) {
  log_.end_capture();
  static_cast<FakeGraph&>(graph).hold(log_.launches.size());
}

}  // namespace graphbench::test
