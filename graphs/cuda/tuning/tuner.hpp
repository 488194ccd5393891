// Chooses the fastest of several library plans for an op. Candidates are timed while kernels are prepared,
// before any capture. The process and the cache keep the choice, so all layers of one shape use one plan in
// all modes.
//
// Timing counts as part of preparation. It launches on scratch memory only, so it does not change a
// workload's data, cache or pool, but it does load library code.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "graphs/device/cache/cache.hpp"
#include "graphs/device/device.hpp"

namespace graphbench::cuda {

struct TuningSettings {
  bool timed = true;                   // false: use the heuristic's first candidate
  std::string verbose;                 // empty: silent; "1": stderr; else the file to append lines to
  std::filesystem::path cache_folder;  // empty: choices last only as long as the process
  // For tests: chooses the first candidate that runs and whose name starts with this text.
  std::string prefer;

  // Reads GRAPHBENCH_AUTOTUNE, GRAPHBENCH_VERBOSE and the cache folder. Throws Error(invalid_argument).
  static TuningSettings from_environment();
};

// The cost of a candidate: device time, and graph nodes, each of which takes host time at a launch.
struct CandidateCost {
  double seconds = 0.0;
  std::size_t nodes = 1;
};

// Our version, and a digest of the kernels and of the code that chooses candidates (kernel_build.cmake).
const char* kernel_build();

// A choice is valid only on its platform.
struct Platform {
  std::string build;      // kernel_build()
  std::string device;     // the GPU's name
  std::string libraries;  // versions of driver, runtime and libraries
  friend auto operator<=>(const Platform&, const Platform&) = default;
};
Platform platform_of(const facts::DeviceFacts& info);

class Tuner {
 public:
  Tuner(TuningSettings settings, Platform platform);

  const TuningSettings& settings() const noexcept { return settings_; }

  // `key` must name everything that the choice depends on. `candidates`: names with the same meaning in every
  // process, in the heuristic's order; each must give the same bits at every run. `cost` is absent if the
  // candidate does not run. If timing cannot distinguish several fastest candidates, the first with the
  // fewest nodes wins.
  std::size_t choose(const std::string& key, const std::vector<std::string>& candidates,
                     const std::function<std::optional<CandidateCost>(std::size_t)>& cost);

  // The choice of this or an earlier process: if the library still offers it, the caller need not list other
  // candidates. Absent if no choice exists, if timing is off, or if `prefer` is set.
  std::optional<std::string> known(const std::string& key);

  // If true, keys that differ only in their size (the first number) share from now on the choice of the first
  // of them. A key whose candidates do not include that choice gets the heuristic's first candidate.
  void choose_generally(bool generally) noexcept { generally_ = generally; }

  // From now on an unknown key gets the heuristic's first candidate, which no cache keeps.
  void stop_timing() noexcept { may_time_ = false; }

  // Records a choice that a heuristic made without this tuner.
  void took(const std::string& key, const std::string& algorithm) {
    chosen_[key] = {.key = key, .algorithm = algorithm, .timed = false, .hit = false, .plan = ""};
  }

  std::vector<facts::LibraryChoice> choices() const;

  // Absent if the cache is off.
  std::optional<facts::CacheUse> cache_use() const;

  // The cache entries of all choices so far, each with its serialised plan if `serialised` has it.
  std::vector<cache::Entry> kept(const std::map<std::string, std::string>& serialised = {}) const;
  // Later choices prefer these entries to the cache. Returns how many are for this platform.
  std::size_t offer(const std::vector<cache::Entry>& entries);

  // The offered choice for `key` if it has a serialised plan and is the known choice; else null.
  const cache::Choice* serialised(const std::string& key);
  // `taken`: the library accepted the plan. If not, the caller builds the plan by name.
  void tried_serialised(const std::string& key, bool taken);

  void say(const std::string& line) const;

 private:
  cache::Key cache_key(const std::string& key) const;
  std::size_t choose_own(const std::string& key, const std::vector<std::string>& candidates,
                         const std::function<std::optional<CandidateCost>(std::size_t)>& cost);
  std::optional<std::size_t> preferred(const std::vector<std::string>& candidates,
                                       const std::function<std::optional<CandidateCost>(std::size_t)>& cost);
  std::optional<std::size_t> time_all(const std::string& key, const std::vector<std::string>& candidates,
                                      const std::function<std::optional<CandidateCost>(std::size_t)>& cost);

  TuningSettings settings_;
  Platform platform_;
  cache::Cache cache_;
  std::map<std::string, facts::LibraryChoice> chosen_;  // by key, without the platform
  // Offered choices with a plan, by the file name of the choice's entry.
  std::map<std::string, cache::Choice> serialised_;
  std::map<std::string, bool> taken_;           // by key: whether the library accepted the serialised plan
  std::map<std::string, std::string> general_;  // the shared algorithm, by key without its size
  bool may_time_ = true;
  bool generally_ = false;
};

}  // namespace graphbench::cuda
