// What a device answers that lacks an optional part of the interface: the reason. A replay that no backend
// prepares is a launch.
#include "graphs/device/instruments.hpp"

namespace graphbench {

void Stream::synchronize_blocking() {
  throw Error(ErrorCode::unsupported, "wait asleep: this device's streams have no such wait");
}

void Stream::wait(Event&) {
  throw Error(ErrorCode::unsupported, "wait for an event: this device's streams cannot wait for others");
}

std::unique_ptr<Kernel> DeviceInstruments::make_empty_kernel() {
  throw Error(ErrorCode::unsupported, "make an empty kernel: this device has none");
}

ProfilerResult DeviceInstruments::make_profiler() {
  return {nullptr, "this device keeps no activity records"};
}

MonitorResult DeviceInstruments::make_monitor() {
  return {nullptr, "this device reports no clocks"};
}

PreparedReplay GraphExec::prepare_replay(Stream& stream) {
  const auto enqueue = [](void* exec, void* launching) {
    static_cast<GraphExec*>(exec)->launch(*static_cast<Stream*>(launching));
  };
  return {enqueue, this, &stream};
}

}  // namespace graphbench
