// Complete events ("X") for spans, metadata events ("M") for the names of processes and threads.
#include "harness/sweep/report/trace_json.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <nlohmann/json.hpp>
#include <string_view>

namespace graphbench::reporters {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::array<std::string_view, 2> tracks = {"host", "device"};

std::size_t thread_of(std::string_view track) {
  return static_cast<std::size_t>(std::ranges::find(tracks, track) - tracks.begin()) + 1;
}

double first_start(const std::vector<model::TraceProcess>& processes) {
  double first = std::numeric_limits<double>::infinity();
  for (const model::TraceProcess& process : processes) {
    for (const model::TraceSpan& span : process.spans) first = std::min(first, span.start_seconds);
  }
  return first;
}

// Nanoseconds are the clocks' resolution; more digits would be rounding errors.
double microseconds(double seconds) {
  return static_cast<double>(static_cast<std::int64_t>(seconds * 1e9 + 0.5)) / 1e3;
}

Json name_event(const char* what, std::size_t process, std::size_t thread, std::string_view name) {
  return {{"ph", "M"}, {"name", what}, {"pid", process}, {"tid", thread}, {"args", {{"name", name}}}};
}

}  // namespace

std::string to_chrome_trace(const std::vector<model::TraceProcess>& processes) {
  const double origin = first_start(processes);
  std::string document = "[";
  const char* separator = "\n";
  const auto add = [&](const Json& event) {
    document += separator;
    document += event.dump(-1, ' ', false, Json::error_handler_t::replace);
    separator = ",\n";
  };
  for (std::size_t i = 0; i < processes.size(); ++i) {
    const std::size_t pid = i + 1;
    add(name_event("process_name", pid, 0, processes[i].name));
    for (const std::string_view track : tracks) add(name_event("thread_name", pid, thread_of(track), track));
    for (const model::TraceSpan& span : processes[i].spans) {
      add({{"ph", "X"},
           {"name", span.name},
           {"cat", span.track},
           {"pid", pid},
           {"tid", thread_of(span.track)},
           {"ts", microseconds(span.start_seconds - origin)},
           {"dur", microseconds(span.seconds)}});
    }
  }
  return document + "\n]\n";
}

}  // namespace graphbench::reporters
