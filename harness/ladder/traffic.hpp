// Sizes and arrival times of the steps that a ladder serves, from a file or a distribution. Equal seeds give
// equal steps on every machine. Also simulates the queue of arrived steps. Only read_traffic() reads a file.
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
inline constexpr std::int64_t size_max = 16'777'216;  // limit of a step's rows, and of a size to capture
inline constexpr double arrivals_max_seconds = 1e6;   // limit of the time between the first and the last step
inline constexpr std::size_t file_bytes_max = std::size_t{64} << 20;

// Parses sizes into ascending order, each rounded up to a multiple of `multiple_of`. Throws InputError.
std::vector<std::int64_t> parse_sizes(const std::string& where, const std::string& text,
                                      std::int64_t multiple_of = 1);

// Rounds ascending sizes up to multiples; equal ones become one.
void round_up(std::vector<std::int64_t>& sizes, std::int64_t multiple_of);

// It is in a batch for as many steps as it has tokens.
struct Request {
  double arrival = 0;  // seconds
  std::int64_t tokens = 0;
};

// A histogram with a count or weight per size, a trace of steps in order (with or without times), or
// requests, which make_trace() refuses: --closed makes batches of them.
struct Traffic {
  std::string name;
  std::map<std::int64_t, double> histogram;
  bool counted = false;  // true: the histogram has counts, which `--steps all` needs
  std::vector<std::int64_t> trace;
  std::vector<double> arrivals;  // a trace's arrivals in seconds, ascending; empty: no times
  // From a vLLM log: counts by size for each runtime mode. `histogram` is the sum over the served modes.
  std::map<std::string, std::map<std::int64_t, double>> modes;
  std::vector<std::string> modes_served;  // empty: all
  std::vector<Request> requests;          // ascending by arrival
  std::optional<double> request_rate;     // of random requests, per second, which make_requests() makes
  std::int64_t request_tokens = 0;
  bool of_tokens = false;  // sizes are tokens, not requests
  std::string note;        // how coarse a file is, and what of it is left out; empty: nothing
};

// `text` is `uniform:A:B`, `zipf:S:MAX`, `requests:RATE:TOKENS`, or paths of files, separated by commas.
// Throws InputError.
Traffic read_traffic(const std::string& where, const std::string& text);
struct TrafficFile {
  std::string path;
  std::string content;
};
// Parses files of one format: a row of traffic_formats(). The path of a file begins every message about it
// ("trace.csv:3: ...").
Traffic parse_traffic_files(const std::vector<TrafficFile>& files);
// What a traffic file may hold, for help and messages.
std::string traffic_forms(std::string_view separator = ", ");
// The traffic with only the steps of these runtime modes. Throws InputError(`where`) for traffic
// without modes, for an unknown or repeated mode, and if no step is left.
Traffic choose_modes(const std::string& where, const std::vector<std::string>& modes, Traffic traffic);

// Each step comes once for each length, with so many tokens per request. Throws InputError(`where`) for
// traffic whose sizes are tokens.
Traffic with_lengths(const std::string& where, const std::vector<std::int64_t>& lengths, Traffic traffic);
// The requests of a file, or random ones, enough for so many steps of `most` requests at once.
std::vector<Request> make_requests(const Traffic& traffic, std::int64_t steps, std::int64_t most,
                                   std::uint64_t seed);

struct Trace {
  std::vector<std::int64_t> rows;
  std::vector<double> arrivals;  // seconds since the start; empty: each step follows the previous one
  std::string digest() const;
};

struct TraceRequest {
  std::optional<std::int64_t> steps;  // absent: all
  std::optional<double> rate;         // Poisson arrivals, in steps per second
  std::uint64_t seed = 1;
};
// Makes the steps: from a histogram by largest remainders, shuffled; the first steps of a trace; or random
// bursts. Throws InputError, which names --steps, --arrivals or --traffic.
Trace make_trace(const Traffic& traffic, const TraceRequest& request);

// Scales `weights` to integers with the sum `total`: rounds down, then adds 1 to the largest remainders
// until the sum is reached. Among equal remainders, the smaller key comes first.
std::map<std::int64_t, std::int64_t> largest_remainders(const std::map<std::int64_t, double>& weights,
                                                        std::int64_t total);

// A queue with one server, in the order of arrival. Its clock runs only while a step is served or the server
// is idle, so the harness's work between steps, such as copying inputs, delays no step. Times are in seconds.
class Queue {
 public:
  struct Turn {
    double wait = 0;
    double response = 0;
  };
  double idle_before(double arrival) const { return std::max(0.0, arrival - free_); }
  Turn serve(double arrival, double seconds) {
    const double start = std::max(free_, arrival);
    free_ = start + seconds;
    return {start - arrival, free_ - arrival};
  }

 private:
  double free_ = 0;  // the end of the last step
};

}  // namespace graphbench::ladder
