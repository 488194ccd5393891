// Reading the settings, and the order of asking: this process, the disk, the clock.
#include "graphs/cuda/tuning/tuner.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "graphs/ir/error.hpp"

namespace graphbench::cuda {
namespace {

// The heuristic's order decides between candidates this close: one timing cannot.
constexpr double indistinguishable = 1.03;

std::string_view environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string_view() : std::string_view(value);
}

std::filesystem::path default_folder() {
  if (const std::string_view cache = environment("XDG_CACHE_HOME"); !cache.empty()) {
    return std::filesystem::path(cache) / "graphbench" / "plans";
  }
  const std::string_view home = environment("HOME");
  return home.empty() ? std::filesystem::path()
                      : std::filesystem::path(home) / ".cache" / "graphbench" / "plans";
}

std::optional<std::size_t> position(const std::vector<std::string>& names, const std::string& name) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) return std::nullopt;
  return static_cast<std::size_t>(found - names.begin());
}

std::string microseconds(double seconds) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.2f us", seconds * 1e6);
  return text;
}

}  // namespace

TuningSettings TuningSettings::from_environment() {
  TuningSettings settings;
  const std::string_view timed = environment("GRAPHBENCH_AUTOTUNE");
  if (timed != "" && timed != "on" && timed != "off") {
    throw Error(ErrorCode::invalid_argument,
                "GRAPHBENCH_AUTOTUNE: '" + std::string(timed) + "' is neither on nor off");
  }
  settings.timed = timed != "off";
  const std::string_view folder = environment("GRAPHBENCH_PLAN_CACHE");
  settings.cache_folder = folder.empty() ? default_folder() : std::filesystem::path(folder);
  if (folder == "off") settings.cache_folder.clear();
  const std::string_view verbose = environment("GRAPHBENCH_VERBOSE");
  if (verbose != "0") settings.verbose = verbose;
  return settings;
}

Tuner::Tuner(TuningSettings settings, std::string platform)
    : settings_(std::move(settings)), platform_(std::move(platform)), cache_(settings_.cache_folder) {}

std::size_t Tuner::choose(const std::string& key, const std::vector<std::string>& candidates,
                          const std::function<std::optional<double>(std::size_t)>& seconds) {
  GRAPHBENCH_ASSERT(!candidates.empty());
  if (!settings_.timed) {
    say(key + ": " + candidates.front() + " (the heuristic's first)");
    return 0;
  }
  const std::string full_key = platform_ + "; " + key;
  if (const auto known = chosen_.find(full_key); known != chosen_.end()) {
    if (const auto index = position(candidates, known->second)) return *index;
  }
  if (const std::optional<std::string> kept = cache_.load(full_key)) {
    if (const auto index = position(candidates, *kept)) {
      say(key + ": " + *kept + " (from the plan cache)");
      chosen_[full_key] = *kept;
      return *index;
    }
    std::fprintf(stderr, "graphbench: cuda: plan cache: ignoring %s: the library no longer offers its plan\n",
                 cache_.path_of(full_key).c_str());
    cache_.remove(full_key);
  }
  const std::optional<std::size_t> fastest = time_all(key, candidates, seconds);
  if (!fastest) return 0;
  const std::string standing = cache_.store(full_key, candidates[*fastest]);
  const std::size_t index = position(candidates, standing).value_or(*fastest);
  chosen_[full_key] = candidates[index];
  return index;
}

std::optional<std::size_t> Tuner::time_all(const std::string& key, const std::vector<std::string>& candidates,
                                           const std::function<std::optional<double>(std::size_t)>& seconds) {
  std::vector<std::optional<double>> times;
  for (std::size_t i = 0; i < candidates.size(); ++i) times.push_back(seconds(i));
  std::optional<double> least;
  for (const std::optional<double>& time : times) {
    if (time && (!least || *time < *least)) least = time;
  }
  if (!least) return std::nullopt;
  const auto good = std::find_if(times.begin(), times.end(), [&](const std::optional<double>& time) {
    return time && *time <= *least * indistinguishable;
  });
  const auto index = static_cast<std::size_t>(good - times.begin());
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    say(key + ": " + (times[i] ? microseconds(*times[i]) : std::string("does not run")) + ": " +
        candidates[i]);
  }
  say(key + ": " + candidates[index] + " (" + microseconds(**good) + ", candidate " +
      std::to_string(index + 1) + " of " + std::to_string(candidates.size()) + ", the first takes " +
      (times.front() ? microseconds(*times.front()) : std::string("nothing: it fails")) + ")");
  return index;
}

void Tuner::say(const std::string& line) const {
  if (settings_.verbose.empty()) return;
  const bool to_file = settings_.verbose != "1";
  std::FILE* file = to_file ? std::fopen(settings_.verbose.c_str(), "ae") : stderr;
  if (file == nullptr) {
    throw Error(ErrorCode::invalid_argument,
                "GRAPHBENCH_VERBOSE: cannot append to '" + settings_.verbose + "'");
  }
  std::fprintf(file, "graphbench: cuda: %s\n", line.c_str());
  if (to_file) std::fclose(file);
}

}  // namespace graphbench::cuda
