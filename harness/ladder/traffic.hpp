// The sizes of the steps that a ladder serves and the times of their arrival, from a file or a distribution,
// the same everywhere for one seed; and the queue of arrived steps. One function reads a file.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace graphbench::ladder {

inline constexpr std::int64_t steps_max = 1'000'000;
inline constexpr std::int64_t size_max = 16'777'216;  // rows of a step, and sizes to capture
inline constexpr double arrivals_max_seconds = 1e6;   // the most time from the first to the last step
inline constexpr std::size_t file_bytes_max = std::size_t{64} << 20;

// `--capture-sizes` and `--multiple-of` to ascending sizes: each rounded up to a multiple. Throws InputError.
std::vector<std::int64_t> parse_sizes(const std::string& where, const std::string& text,
                                      std::int64_t multiple_of = 1);

// Either a histogram, whose counts or weights say how often a size comes, or a trace, whose steps have an
// order and maybe times.
struct Traffic {
  std::string name;
  std::map<std::int64_t, double> histogram;
  bool counted = false;  // true: the numbers are counts, which `--steps all` needs
  std::vector<std::int64_t> trace;
  std::vector<double> arrivals;  // arrivals of a trace in seconds, not decreasing; empty if it has none
  // A log of vLLM has counts by size of each runtime mode. The histogram adds up those that are served.
  std::map<std::string, std::map<std::int64_t, double>> modes;
  std::vector<std::string> modes_served;  // empty: all
  // bursty: sizes are drawn when the steps are drawn
  struct Bursts {
    std::int64_t low = 0;
    std::int64_t high = 0;
    double enter = 0;  // the chance that a step of `high` follows one of `low`
    double leave = 0;
  };
  std::optional<Bursts> bursts;
};

// `text`: `uniform:A:B`, `zipf:S:MAX`, `bursty:LOW:HIGH:ENTER:LEAVE`, or a path. Throws InputError.
Traffic read_traffic(const std::string& where, const std::string& text);
// A file's content; `path` begins every message ("trace.csv:3: ..."). Its header names the form: `size,count`
// or `time,size`. Any other file is read as a server's log: its lines may have prefixes, and vLLM's tables of
// unpadded and padded tokens, of which there must be one, are added up.
Traffic parse_traffic_file(const std::string& path, std::string_view content);
// The traffic with steps of these runtime modes only. Throws InputError(`where`).
Traffic choose_modes(const std::string& where, const std::vector<std::string>& modes, Traffic traffic);

struct Trace {
  std::vector<std::int64_t> rows;
  std::vector<double> arrivals;  // seconds from the start; empty: each step follows the one before it
  std::string digest() const;
};

struct TraceRequest {
  std::optional<std::int64_t> steps;  // absent: all
  std::optional<double> rate;         // steps a second, of Poisson arrivals
  std::uint64_t seed = 1;
};
// A histogram becomes exactly `steps` steps, by largest remainders, shuffled. A trace gives its first steps.
// Throws InputError, which names --steps or --arrivals.
Trace make_trace(const Traffic& traffic, const TraceRequest& request);

// Scales `weights` to whole numbers that sum to `total`. Each is rounded down, and the rest goes to the
// largest remainders; of equal ones to the smaller key.
std::map<std::int64_t, std::int64_t> largest_remainders(const std::map<std::int64_t, double>& weights,
                                                        std::int64_t total);

// The one server that takes steps in the order of their arrival, by a clock of its own, which runs while a
// step is served and while none is there. The harness's work between steps, such as putting inputs into
// place, delays no step. Times in seconds.
class Queue {
 public:
  struct Turn {
    double wait = 0;      // from the arrival to the start
    double response = 0;  // from the arrival to the end
  };
  // How long the server is idle until the next step arrives; 0 if that one has been waiting.
  double idle_before(double arrival) const { return std::max(0.0, arrival - free_); }
  // The next step, and how long it takes.
  Turn serve(double arrival, double seconds) {
    const double start = std::max(free_, arrival);
    free_ = start + seconds;
    return {start - arrival, free_ - arrival};
  }

 private:
  double free_ = 0;  // when the last step ended
};

}  // namespace graphbench::ladder
