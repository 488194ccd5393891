// Each probe checks what a graph computed, because a call that succeeds may still do something else.
#include "harness/canary/probes.hpp"

#include <array>
#include <cstdint>
#include <functional>
#include <utility>

#include "graphs/base/error.hpp"
#include "graphs/device/probe_kernels.hpp"

namespace graphbench::canary {
namespace {

using measure::DeviceCall;

// An i32 on the device for each operand.
class Words {
 public:
  Words(Device& device, measure::Meter& meter)
      : device_(device), meter_(meter), buffer_(device, count * stride) {}

  void* at(std::size_t index) const { return static_cast<std::byte*>(buffer_.data()) + index * stride; }
  void set(std::size_t index, std::int32_t value) {
    const double constant = value;
    device_.fill(meter_.stream(), at(index), ir::DType::i32, 1,
                 {ir::Init::Kind::constant, constant, constant}, 0);
  }
  std::int32_t read(std::size_t index) {
    std::int32_t value = 0;
    meter_.enter(DeviceCall::copy);
    meter_.stream().copy_to_host(&value, at(index), sizeof(value));
    meter_.wait();
    return value;
  }

 private:
  static constexpr std::size_t stride = 512;
  static constexpr std::size_t count = 5;
  Device& device_;
  measure::Meter& meter_;
  Buffer buffer_;
};

struct Prober {
  Device& device;
  measure::Meter& meter;
  const CanaryRequest& request;
  CanaryAnswer& answer;

  void say(Answer said, std::string reason) const {
    answer.answer = said;
    answer.reason = model::Reason{"probe", std::move(reason)};
  }
  // Answers `no` unless `word` is what it should be.
  void expect(Words& words, std::size_t index, std::int32_t wanted, const std::string& what) const {
    const std::int32_t read = words.read(index);
    if (read != wanted && answer.answer == Answer::yes)
      say(Answer::no, what + " is " + std::to_string(read) + " instead of " + std::to_string(wanted));
  }
  std::unique_ptr<Graph> capture(const std::function<void(Stream&)>& work) const {
    meter.enter(DeviceCall::capture);
    return meter.stream().capture([&] { work(meter.stream()); });
  }
  void launch(GraphExec& exec) const {
    meter.enter(DeviceCall::launch_graph);
    exec.launch(meter.stream());
  }

  std::unique_ptr<Kernel> probe_kernel(ProbeKernel which) const {
    auto* const kernels = dynamic_cast<ProbeKernels*>(&device);
    return kernels == nullptr ? nullptr : kernels->make_probe_kernel(which);
  }

  void failed_capture() const {
    Words words(device, meter);
    words.set(0, 0);
    try {
      // Waiting is forbidden in a capture.
      static_cast<void>(capture([](Stream& stream) { stream.synchronize(); }));
      return say(Answer::absent, "the device does not refuse to wait in a capture");
    } catch (const Error&) {
    }
    const std::unique_ptr<Graph> graph =
        capture([&](Stream& stream) { stream.fill_bytes(words.at(0), 1, sizeof(std::int32_t)); });
    launch(*meter.instantiated(*graph));
    expect(words, 0, 0x01010101, "what the next graph writes");
  }

  void cluster_update() const {
    const std::unique_ptr<Kernel> kernel = probe_kernel(ProbeKernel::cluster);
    if (!kernel) return say(Answer::absent, "the device has no clusters");
    Words words(device, meter);
    std::vector<std::unique_ptr<Graph>> graphs;
    for (const std::size_t index : {0, 1}) {
      words.set(index, 0);
      std::array<void*, 1> operands = {words.at(index)};
      graphs.push_back(capture([&](Stream& stream) { kernel->launch(stream, operands.data()); }));
    }
    const std::unique_ptr<GraphExec> exec = meter.instantiated(*graphs[0]);
    meter.enter(DeviceCall::update);
    const GraphUpdate update = exec->update(*graphs[1]);
    if (!update.done) return say(Answer::no, "the update is refused: " + update.reason);
    launch(*exec);
    expect(words, 1, 2, "the number of blocks in a cluster after the update");
  }

  void programmatic_edge() const {
    const std::unique_ptr<Kernel> kernel = probe_kernel(ProbeKernel::relay);
    if (!kernel) return say(Answer::absent, "the device has no programmatic edges");
    constexpr std::size_t hops = 4;
    Words words(device, meter);
    for (std::size_t i = 0; i <= hops; ++i) words.set(i, i == 0 ? 7 : 0);
    const std::unique_ptr<Graph> graph = capture([&](Stream& stream) {
      for (std::size_t i = 0; i < hops; ++i) {
        std::array<void*, 2> operands = {words.at(i), words.at(i + 1)};
        kernel->launch(stream, operands.data());
      }
    });
    std::size_t early = 0;
    for (const facts::DescribedNode& node : graph->describe())
      early += node.facts.count("programmatic_edges");
    if (early == 0) return say(Answer::no, "the capture has no programmatic edge");
    launch(*meter.instantiated(*graph));
    expect(words, hops, 7 + hops, "what passes along the edges");
  }

  void conditional() const {
    Words words(device, meter);
    const auto write = [&](int byte) {
      return [&words, byte](Stream& stream) { stream.fill_bytes(words.at(1), byte, sizeof(std::int32_t)); };
    };
    const std::unique_ptr<Graph> graph = capture([&](Stream& stream) {
      stream.record_branch(words.at(0), {write(1), write(2)});
    });
    const std::unique_ptr<GraphExec> exec = meter.instantiated(*graph);
    for (const std::int32_t taken : {0, 1}) {
      words.set(0, taken);
      words.set(1, 0);
      launch(*exec);
      expect(words, 1, taken == 0 ? 0x01010101 : 0x02020202, "what the branch writes");
    }
  }

  // Two graphs on streams of their own, and a copy from the host beside them, again and again.
  void soak() const {
    constexpr std::size_t bytes = std::size_t{8} << 20;
    constexpr int nodes = 16;
    struct Lane {
      std::unique_ptr<Stream> stream;
      Buffer from, to;
      std::unique_ptr<GraphExec> exec;
      std::uint64_t digest = 0;
    };
    const std::unique_ptr<Stream> copying = device.make_stream();
    const Buffer copied(device, bytes);
    const std::unique_ptr<void, std::function<void(void*)>> host(
        device.allocate_pinned(bytes), [&](void* data) { device.deallocate_pinned(data); });
    std::vector<Lane> lanes(2);
    for (Lane& lane : lanes) {
      lane.stream = device.make_stream();
      lane.from = Buffer(device, bytes);
      lane.to = Buffer(device, bytes);
      device.fill(*lane.stream, lane.from.data(), ir::DType::fp32, bytes / 4,
                  {ir::Init::Kind::uniform, -1, 1}, 1 + static_cast<std::uint64_t>(&lane - lanes.data()));
      lane.digest = device.digest(*lane.stream, lane.from.data(), bytes);
      meter.enter(DeviceCall::capture);
      const std::unique_ptr<Graph> graph = lane.stream->capture([&] {
        for (int node = 0; node < nodes; ++node)
          lane.stream->copy_on_device(lane.to.data(), lane.from.data(), bytes);
      });
      lane.exec = meter.instantiated(*graph);
    }
    meter.wait();
    lanes[0].stream->copy_to_host(host.get(), lanes[0].from.data(), bytes);
    lanes[0].stream->synchronize();
    const Stopwatch watch;
    do {
      for (Lane& lane : lanes) {
        meter.enter(DeviceCall::launch_graph);
        lane.exec->launch(*lane.stream);
      }
      meter.enter(DeviceCall::copy);
      copying->copy_to_device(copied.data(), host.get(), bytes);
      meter.enter(DeviceCall::synchronize);
      for (const Lane& lane : lanes) lane.stream->synchronize();
      copying->synchronize();
    } while (watch.seconds() < request.soak_seconds);
    for (Lane& lane : lanes) {
      if (device.digest(*lane.stream, lane.to.data(), bytes) != lane.digest)
        say(Answer::no, "a graph copied other bytes");
    }
    if (device.digest(*copying, copied.data(), bytes) != lanes[0].digest)
      say(Answer::no, "the copy from the host has other bytes");
  }

  void run() const {
    switch (request.ask) {
      case Ask::floors:
        return;
      case Ask::failed_capture:
        return failed_capture();
      case Ask::cluster_update:
        return cluster_update();
      case Ask::programmatic_edge:
        return programmatic_edge();
      case Ask::conditional:
        return conditional();
      case Ask::soak:
        return soak();
    }
  }
};

}  // namespace

void probe(Device& device, measure::Meter& meter, const CanaryRequest& request, CanaryAnswer& answer) {
  const Prober prober{device, meter, request, answer};
  try {
    prober.run();
  } catch (const Error& error) {
    prober.say(error.code() == ErrorCode::unsupported ? Answer::absent : Answer::no, error.what());
  }
}

}  // namespace graphbench::canary
