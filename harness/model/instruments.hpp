// The results of the instruments other than the timing loops: floors, profiles, the machine's state. Times
// are in seconds.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "graphs/base/facts/device.hpp"

namespace graphbench::model {

// The CPUs that the submitting thread may use, and what is known about them.
struct SubmitterCpus {
  std::vector<std::int64_t> cpus;  // ascending
  std::string locality;            // "near" or "far" from the device, "unknown"; empty: the device is the CPU
  std::string cores;               // the fastest cores ("performance") or others ("efficiency"); "alike"
};

// The option of a workload that sets the sequence length of its steps.
inline constexpr const char* sequence_option = "tokens";

// A step of --shape-trace.
struct ShapeStep {
  std::int64_t batch = 1;
  std::optional<std::int64_t> sequence = {};  // absent: the workload's default
  std::int64_t line = 0;                      // line in the file
};
struct ShapeTrace {
  std::string file;
  std::int64_t programs_max = 8;     // --shape-programs
  std::vector<ShapeStep> steps;      // empty: no --shape-trace
  std::int64_t recordings_max = 64;  // --shape-recordings
};

// Which instruments a worker uses.
struct InstrumentOptions {
  bool pin = true;                  // keeps the submitting thread on one CPU
  std::optional<std::int64_t> cpu;  // absent: the worker chooses the CPU
  bool cold_l2 = false;
  std::optional<double> sustained_seconds =
      {};  // the longest wait for steady load; absent: no such pass is made
  bool profile = false;
  bool trace = false;
  std::optional<SubmitterCpus> submitter;  // chosen before the worker starts; absent: the worker chooses
  bool evaluate = false;  // after training, also runs the forward program with the trained parameters
  ShapeTrace shape_trace = {};
};

// One operation under the best conditions: the median time in seconds, and the number of measurements.
struct Floor {
  double p50;
  std::int64_t count;
};

// A graph of `nodes` empty kernels.
struct FloorPoint {
  std::int64_t nodes;
  Floor submit;       // host time to launch a replay
  Floor device;       // event time around the replay
  Floor instantiate;  // time to instantiate the captured graph
};

// Graphs of one shape and several node counts, with least-squares slopes.
struct FloorShape {
  std::string shape;     // "straight", "forked"
  std::int64_t streams;  // the most parallel branches
  std::vector<FloorPoint> points;
  double submit_seconds_per_node;
  double device_seconds_per_node;
  double instantiate_seconds_per_node;
};

// The device memory of one more graph exec of a graph of empty kernels.
struct ExecMemoryPoint {
  std::int64_t nodes;
  double bytes;           // of one exec
  double residual_bytes;  // distance from the line
};

// The least-squares line through the points. Points are not exactly on the line, because the driver allocates
// memory in blocks.
struct ExecMemoryFloor {
  double bytes_per_node;
  double bytes_at_zero;
  std::vector<ExecMemoryPoint> points;
};

// The least cost of each operation here. A sweep measures the first few, and `graphbench floor` all.
struct Floors {
  std::optional<Floor> clock_pair;     // two consecutive readings of the clock
  std::optional<Floor> kernel_launch;  // host time to launch an empty kernel
  std::optional<Floor> graph_launch;   // host time to launch a graph of one empty kernel
  // Launches to a busy stream, as all launches of a step except the first are.
  std::optional<Floor> queued_kernel_launch;
  std::optional<Floor> queued_graph_launch;
  std::optional<Floor> empty_graph_launch;  // host time to launch a graph without nodes on an idle stream
  std::optional<Floor> event_pair;          // time between two events with nothing between them
  std::optional<double> event_resolution;   // smallest difference between two event times
  std::optional<Floor> completion_spin;     // an empty kernel from launch to completion, while the host spins
  std::optional<Floor> completion_block;    // the same while the host sleeps
  std::optional<Floor>
      queue_handoff;  // host device: from enqueueing an op to its start on the device's thread
  std::vector<FloorShape> shapes;
  // A graph of one branch, whose arms hold an empty kernel each, from launch to completion.
  std::optional<Floor> if_taken_seconds;
  std::optional<Floor> if_not_taken_seconds;
  std::optional<Floor> switch_arm_seconds;     // the last arm of eight
  std::optional<ExecMemoryFloor> exec_memory;  // absent if the driver does not report memory use
};

// The machine's state while one launch measured one cell.
struct LaunchMachine {
  std::optional<std::int64_t> cpu;  // CPU of the submitting thread at the last visit; absent: not pinned
  // The time of a fixed computation on the submitting thread's CPU over the quickest time seen: 1 or more,
  // the median over visits. Other work on the core raises it. Absent: not pinned.
  std::optional<double> cpu_slowdown;
  // Above this slowdown the core counts as shared.
  static constexpr double shared_core_slowdown = 1.1;
  // The time of a fixed number of device cycles right after a visit's samples, over the quickest time seen: 1
  // or more, the median over visits. Absent: the device has no clock to probe.
  std::optional<double> device_slowdown;
  std::optional<facts::DeviceReading> before;
  std::optional<facts::DeviceReading> after;
  // Whether this cell was throttled: right after one of its visits the clock was lower and the monitor named
  // a reason. `after` is the reading after the last visit, with the reasons after all visits. A monitor may
  // still name the reasons of the cell before.
  bool throttled;
};

// The state of the CPUs before the sweep.
struct CpuState {
  std::string governor;  // of all CPUs; "mixed" if they differ; empty: not known
  std::optional<bool> turbo;
  std::optional<double> load_average;      // over the last minute
  bool pinned = true;                      // submitting threads were pinned
  std::optional<double> cpu_quota;         // CPU time per second that control groups allow; absent: no limit
  std::optional<SubmitterCpus> submitter;  // absent: not pinned, or the user named the CPU
};

struct ProfileEntry {
  std::string name;
  double seconds;  // per step
  std::int64_t count;
};

// Two instruments measure the same steps: events on the stream, and the device's own records. Each step waits
// behind other work while it is submitted, and runs between two empty kernels. So both instruments see the
// whole step, including the way from a graph's launch to its first kernel.
struct DeviceTimeCheck {
  std::int64_t steps;
  double device_seconds;      // between the events
  double recorded_seconds;    // busy time and gaps
  double difference_seconds;  // device - recorded, as median over steps
  double events_seconds;      // the same difference without a step: the time of the events themselves
};

// A steady step in the device's own records: medians over a few steps.
struct Profile {
  std::int64_t steps;  // number of recorded steps
  double busy_seconds;
  double gap_seconds;  // idle time between the first start and the last end
  std::int64_t kernels;
  std::vector<ProfileEntry> top;  // the ten longest, the longest first
  double device_seconds;          // event time around the same steps
  // device_seconds over the device time without records: how much recording slows the step.
  std::optional<double> slowdown;
  std::optional<DeviceTimeCheck> witness;  // absent if the device has no empty kernel
};

// The device's own records of a foreign step, taken after all measurements: a few steps of this cell, and of
// the eager step in the same process.
struct StepRecords {
  std::int64_t steps;                    // number of recorded steps of each kind
  double busy_seconds;                   // busy time of this cell's step, as median over steps
  std::int64_t operations;               // kernels, copies and fills of this cell's step
  std::int64_t kernels;                  // kernels of this cell's step
  std::int64_t eager_kernels;            // kernels of the eager step
  std::int64_t other_kernels;            // kernels, by name, that only one of the steps has
  std::vector<std::string> differences;  // some of these kernels: "3 eager, 0 here: NAME"
  // The expected latency of the eager step as one graph: the latency of a graph with as many empty kernels,
  // with the step's busy time in place of the empty kernels'. Both are measured in this process.
  double graph_seconds;
};

// Whether an instrument was available, and its name or the reason why not.
struct InstrumentState {
  bool available;
  std::string detail;
};

// A bar of the timeline. Times are of the machine's monotonic clock.
struct TraceSpan {
  std::string track;  // "host", "device"
  std::string name;
  double start_seconds;
  double seconds;
};

// The profiling pass of one cell on the timeline.
struct TraceProcess {
  std::string name;
  std::vector<TraceSpan> spans;
};

}  // namespace graphbench::model
