// The results of the instruments beside the timing loops, as plain data: floors, profiles, the machine's
// state. Times are in seconds; optional means absent.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "graphs/base/facts/device.hpp"

namespace graphbench::model {

// The CPUs that the submitting thread may use, and why these.
struct SubmitterCpus {
  std::vector<std::int64_t> cpus;  // ascending
  std::string locality;  // "near" the device, "far" from it, "unknown"; empty: the device is the CPU
  std::string cores;     // kind of the cores: the fastest ("performance") or not ("efficiency"); "alike"
};

// A workload whose steps have a sequence length takes it as the option of this name.
inline constexpr const char* sequence_option = "tokens";

// A step of --shape-trace.
struct ShapeStep {
  std::int64_t batch = 1;
  std::optional<std::int64_t> sequence = {};  // absent: the workload's own
  std::int64_t line = 0;                      // of the file
};
struct ShapeTrace {
  std::string file;
  std::int64_t programs_max = 8;     // --shape-programs
  std::vector<ShapeStep> steps;      // none: not asked for
  std::int64_t recordings_max = 64;  // --shape-recordings
};

// Which instruments a worker uses.
struct InstrumentOptions {
  bool pin = true;                  // the submitting thread stays on one CPU
  std::optional<std::int64_t> cpu;  // the CPU; absent: the worker chooses
  bool cold_l2 = false;
  std::optional<double> sustained_seconds = {};  // the longest wait for a steady load; absent: no such pass
  bool profile = false;
  bool trace = false;
  std::optional<SubmitterCpus> submitter;  // chosen before the worker starts; absent: the worker's choice
  bool evaluate = false;  // in training, also evaluates the forward program on the parameters that it leaves
  ShapeTrace shape_trace = {};
};

// One thing measured at its best: the median and how many times it was taken.
struct Floor {
  double p50;
  std::int64_t count;
};

// A graph of `nodes` empty kernels.
struct FloorPoint {
  std::int64_t nodes;
  Floor submit;       // host time of the replay's launch
  Floor device;       // event time around it
  Floor instantiate;  // making it from its recording
};

// Node counts of one shape, with the least-squares slopes over them.
struct FloorShape {
  std::string shape;     // "straight", "forked"
  std::int64_t streams;  // branches at most
  std::vector<FloorPoint> points;
  double submit_seconds_per_node;
  double device_seconds_per_node;
  double instantiate_seconds_per_node;
};

// The device memory of one more exec of a graph of empty kernels.
struct ExecMemoryPoint {
  std::int64_t nodes;
  double bytes;           // of one graph
  double residual_bytes;  // difference from the line
};

// The least-squares line through the points. The points lie beside it, because the driver takes memory in
// quanta.
struct ExecMemoryFloor {
  double bytes_per_node;
  double bytes_at_zero;
  std::vector<ExecMemoryPoint> points;
};

// The least cost of each operation on this machine. A sweep measures the first few, `graphbench floor` all.
struct Floors {
  std::optional<Floor> clock_pair;     // two readings of the clock
  std::optional<Floor> kernel_launch;  // host time of launching an empty kernel
  std::optional<Floor> graph_launch;   // host time of launching a graph of one empty kernel
  // These two launch onto a busy stream, as all launches of a step except the first do.
  std::optional<Floor> queued_kernel_launch;
  std::optional<Floor> queued_graph_launch;
  std::optional<Floor> empty_graph_launch;  // launching a graph without nodes, on an idle stream
  std::optional<Floor> event_pair;          // event time around nothing
  std::optional<double> event_resolution;   // smallest difference between two event times
  std::optional<Floor> completion_spin;     // empty kernel, launch to completion, the host spinning
  std::optional<Floor> completion_block;    // the host asleep
  std::optional<Floor> queue_handoff;       // host device: enqueue to its thread starting the op
  std::vector<FloorShape> shapes;
  std::optional<ExecMemoryFloor> exec_memory;  // absent if no driver says what memory is used
};

// The machine around one launch's measuring of one cell.
struct LaunchMachine {
  std::optional<std::int64_t> cpu;  // CPU of the submitting thread at the last visit; absent: not pinned
  // How much longer a fixed computation took on the submitting thread's CPU than on the quietest that it saw,
  // 1 or more, the median over visits: the cost of other work on that core. Absent: not pinned.
  std::optional<double> cpu_slowdown;
  // Above it the core counts as shared.
  static constexpr double shared_core_slowdown = 1.1;
  // How much longer a fixed number of the device's cycles took right after a visit's samples than the
  // quickest time that the worker saw, 1 or more, the median over visits. Absent: the device has no clock to
  // probe.
  std::optional<double> device_slowdown;
  std::optional<facts::DeviceReading> before;
  std::optional<facts::DeviceReading> after;
  // Whether this cell held the device at a limit: right after one of its visits the clock was lowered, and
  // the monitor named a reason. `after` is the reading after the last visit, with the reasons after any of
  // them; a monitor goes on naming those of the cell before.
  bool throttled;
};

// The CPU side, before the sweep began.
struct CpuState {
  std::string governor;  // governor of all CPUs, "mixed" if they differ; empty: not known
  std::optional<bool> turbo;
  std::optional<double> load_average;      // over the last minute
  bool pinned = true;                      // submitting threads were pinned
  std::optional<double> cpu_quota;         // CPUs' worth of time that control groups leave us; absent: all
  std::optional<SubmitterCpus> submitter;  // absent: not pinned, or the user named the CPU
};

struct ProfileEntry {
  std::string name;
  double seconds;  // a step
  std::int64_t count;
};

// Two instruments on the same steps: events on the stream, and the device's own records. A step waits
// behind other work when it is submitted and stands between two empty kernels, so that both instruments
// see all of it, a graph's way to its first kernel included.
struct DeviceTimeCheck {
  std::int64_t steps;
  double device_seconds;      // between the events
  double recorded_seconds;    // busy time and gaps
  double difference_seconds;  // device - recorded of each step, the median over steps
  double events_seconds;      // the same difference without a step, which the events themselves add
};

// One steady step according to the device's own records: medians over a few steps.
struct Profile {
  std::int64_t steps;  // how many were recorded
  double busy_seconds;
  double gap_seconds;  // between the first start and the last end, with nothing running
  std::int64_t kernels;
  std::vector<ProfileEntry> top;  // the ten that took longest, longest first
  double device_seconds;          // event time around the same steps
  // This over the device time of the pass without records: how much recording slows the step.
  std::optional<double> slowdown;
  std::optional<DeviceTimeCheck> witness;  // absent if the device has no empty kernel to wait behind
};

// The operations of a foreign step on the device, from the device's own records of a few steps after all
// measuring: this cell's, and the eager step's in the same process.
struct StepRecords {
  std::int64_t steps;                    // how many of each were recorded
  double busy_seconds;                   // in this cell's step: how long anything ran, the median over steps
  std::int64_t operations;               // kernels, copies and fills of this cell's step
  std::int64_t kernels;                  // kernels of this cell's step
  std::int64_t eager_kernels;            // kernels of the eager step
  std::int64_t other_kernels;            // kernels, by name, that only one of the two steps runs
  std::vector<std::string> differences;  // the first of these kernels: "3 eager, 0 here: NAME"
  // The expected latency of the eager step as one graph: that of a graph of as many empty kernels as it has
  // operations, with its busy time in place of theirs. Both are measured in this process.
  double graph_seconds;
};

// Whether an instrument could be used, and what it is or why not.
struct InstrumentState {
  bool available;
  std::string detail;
};

// One bar of a timeline. Times are of the machine's monotonic clock.
struct TraceSpan {
  std::string track;  // "host", "device"
  std::string name;
  double start_seconds;
  double seconds;
};

// One cell's profiling pass on the timeline.
struct TraceProcess {
  std::string name;
  std::vector<TraceSpan> spans;
};

}  // namespace graphbench::model
