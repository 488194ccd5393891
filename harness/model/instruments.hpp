// The results of all instruments except the timing loops: floors, profiles, the machine's state.
// Times are in seconds.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "graphs/base/facts/device.hpp"

namespace graphbench::model {

struct SubmitterCpus {
  std::vector<std::int64_t> cpus;  // ascending
  std::string locality;  // distance from the GPU: "near", "far", "unknown"; empty: the device is the CPU
  std::string cores;     // "performance" (the fastest), "efficiency" (others are faster), "alike" (one speed)
};

// One operation under the best conditions: the median of its times in seconds, and the number of times.
struct Floor {
  double p50;
  std::int64_t count;
};

// A graph of `nodes` empty kernels.
struct FloorPoint {
  std::int64_t nodes;
  Floor submit;  // host time to launch a replay
  Floor device;  // event time around the replay
  Floor instantiate;
};

// Graphs of one shape and several node counts, with least-squares slopes.
struct FloorShape {
  std::string shape;     // "straight", "forked"
  std::int64_t streams;  // maximum number of parallel branches
  std::vector<FloorPoint> points;
  double submit_seconds_per_node;
  double device_seconds_per_node;
  double instantiate_seconds_per_node;
};

// The device memory that one more exec of a graph of empty kernels takes.
struct ExecMemoryPoint {
  std::int64_t nodes;
  double bytes;
  double residual_bytes;  // `bytes` minus the value on the least-squares line
};

// The least-squares line through the points. They are only near the line, because drivers allocate blocks.
struct ExecMemoryFloor {
  double bytes_per_node;
  double bytes_at_zero;
  std::vector<ExecMemoryPoint> points;
};

// The minimum cost of each operation on this machine. A sweep measures only the members before `shapes`.
struct Floors {
  std::optional<Floor> clock_pair;     // two consecutive readings of the clock
  std::optional<Floor> kernel_launch;  // host time to launch an empty kernel
  std::optional<Floor> graph_launch;   // host time to launch a graph of one empty kernel
  // Host time to launch on a busy stream, like all launches of a step after the first.
  std::optional<Floor> queued_kernel_launch;
  std::optional<Floor> queued_graph_launch;
  std::optional<Floor> empty_graph_launch;  // host time to launch a graph without nodes on an idle stream
  std::optional<Floor> event_pair;          // time between two events with nothing between them
  std::optional<double> event_resolution;   // smallest difference between two event times
  std::optional<Floor> completion_spin;  // from an empty kernel's launch until the spinning host sees its end
  std::optional<Floor> completion_block;  // from an empty kernel's launch until the sleeping host wakes up
  std::optional<Floor> queue_handoff;     // host device: from enqueueing an op to its start on the thread
  std::vector<FloorShape> shapes;
  // From launch to completion of a graph with one conditional node. Each body has one empty kernel.
  std::optional<Floor> if_taken_seconds;
  std::optional<Floor> if_not_taken_seconds;
  std::optional<Floor> switch_arm_seconds;     // the switch takes the last of eight bodies
  std::optional<ExecMemoryFloor> exec_memory;  // absent if the driver does not report memory use
};

// The machine's state while one launch measured one cell.
struct LaunchMachine {
  std::optional<std::int64_t> cpu;  // CPU of the submitting thread at the last visit; absent: not pinned
  // The time of a fixed computation on the submitting thread's CPU, divided by the shortest such time (so 1
  // or more). The median over visits. Other work on the core increases the value. Absent: not pinned.
  std::optional<double> cpu_slowdown;
  static constexpr double shared_core_slowdown = 1.1;
  // The time of a fixed number of device cycles right after a visit's samples, divided by the shortest such
  // time (so 1 or more). The median over visits. Absent: the device has no clock to probe.
  std::optional<double> device_slowdown;
  std::optional<facts::DeviceReading> before;
  std::optional<facts::DeviceReading> after;
  // Whether the device was throttled right after a visit: its clock was lower, and the monitor named a
  // reason. A reason alone does not count, because a monitor may still name a reason from the previous cell.
  // `after` is the reading after the last visit, but has the reasons of all visits.
  bool throttled;
};

// The state of the CPUs before the sweep.
struct CpuState {
  std::string governor;  // of all CPUs; "mixed" if they differ; empty: not known
  std::optional<bool> turbo;
  std::optional<double> load_average;  // over the last minute
  bool pinned = true;
  std::optional<double> cpu_quota;  // CPU seconds per second that control groups allow; absent: no limit
  std::optional<SubmitterCpus> submitter;  // absent: not pinned, or the user named the CPU
};

struct ProfileEntry {
  std::string name;
  // Per step.
  double seconds;
  std::int64_t count;
  std::vector<std::string> ops;  // of the program, in its order: those that launch it in eager
};

// Compares events on the stream with the device's activity records, over the same steps. Other kernels keep
// the device busy until the step is submitted, and an empty kernel runs before and after the step. So events
// and records both measure the whole step, from the graph's launch on.
struct DeviceTimeCheck {
  std::int64_t steps;
  double device_seconds;
  double recorded_seconds;    // busy time plus gaps, from the activity records
  double difference_seconds;  // median over steps of device_seconds - recorded_seconds
  double events_seconds;      // difference_seconds without a step: the time that the events themselves take
};

// A steady step in the device's activity records: medians over a few steps.
struct Profile {
  std::int64_t steps;
  double busy_seconds;
  double gap_seconds;  // idle time between the first start and the last end
  std::int64_t kernels;
  std::vector<ProfileEntry> top;  // the ten longest, the longest first
  double device_seconds;          // event time around the same steps
  // device_seconds divided by the step's device time without recording.
  std::optional<double> slowdown;
  std::optional<DeviceTimeCheck> witness;  // absent in results of earlier versions
};

// The device's activity records of a foreign step: a few steps of this cell, and a few eager steps in the
// same process. The worker records them after all measurements.
struct StepRecords {
  std::int64_t steps;       // recorded steps of this cell; as many eager steps are recorded
  double busy_seconds;      // busy time of this cell's step, median over steps
  std::int64_t operations;  // kernels, copies and fills of this cell's step
  std::int64_t kernels;
  std::int64_t eager_kernels;
  std::int64_t other_kernels;            // kernels, by name, that run in only one of the two steps
  std::vector<std::string> differences;  // some of these kernels and copies: "3 eager, 0 here: NAME"
  std::optional<std::int64_t> copies;
  std::optional<std::int64_t> eager_copies;
  std::optional<std::int64_t> other_copies;  // copies, by size, that run in only one of the two steps
  // Kernels and copies beside the graphs that a library launches by itself, such as those that set a
  // generator's state. They are not the step's, and are in no other count.
  std::optional<std::int64_t> framework_kernels;
  std::optional<std::int64_t> graphed_kernels;  // those of `kernels` that a graph ran
  // The expected latency of the eager step as one graph: the latency of a graph with one empty kernel per
  // operation of the step, minus the busy time of the empty kernels, plus the busy time of the step. The same
  // process measures all three.
  double graph_seconds;
};

// Why a library took no graph of a step, or of a part of it.
struct CaptureSkip {
  std::string reason;  // "cpu_device", "mutated_input", "dynamic_shape", "incompatible_op",
                       // "several_devices", "other"
  std::string words;   // the library's own
  std::string line;    // in the user's code: "steps.py:12"; empty: not known
  friend bool operator==(const CaptureSkip&, const CaptureSkip&) = default;
};

// True if the step does other work on the device than eager.
inline bool is_other_program(const StepRecords& records) {
  return records.other_kernels > 0 || records.other_copies.value_or(0) > 0;
}
// True if the step leaves out some of eager's work, so that a gain may have other causes than graphs. What a
// step only adds, such as the copies between pieces, takes time.
inline bool leaves_out_work(const StepRecords& records) {
  return records.other_kernels > records.kernels - records.eager_kernels ||
         records.other_copies.value_or(0) > records.copies.value_or(0) - records.eager_copies.value_or(0);
}
// "runs 3 kernels and 1 copy, and eager runs 4 kernels and 1 copy: 1 eager, 0 here: NAME"
std::string program_text(const StepRecords& records);

// A fact that a foreign step's library reports: a text, or a JSON number or truth value as it was written.
struct LibraryFact {
  std::string text;
  bool is_text;
  friend bool operator==(const LibraryFact&, const LibraryFact&) = default;
};

// Whether an instrument was available. `detail` is the instrument's name, or why it was not available.
struct InstrumentState {
  bool available;
  std::string detail;
};

// A bar of the timeline. The machine's monotonic clock gives the times.
struct TraceSpan {
  std::string track;  // "host", "device"
  std::string name;
  double start_seconds;
  double seconds;
};

// The timeline of one cell's profiling pass.
struct TraceProcess {
  std::string name;
  std::vector<TraceSpan> spans;
};

}  // namespace graphbench::model
