// Which of several library plans an op uses: the fastest of them, timed while kernels are prepared,
// before any capture, and remembered in the process and on disk. Every layer of one shape, and the eager
// and the captured form of it, so use the same plan.
//
// Timing is part of preparation and reported with it; it launches on scratch memory only, so no
// workload's data, cache or pool sees it. What it leaves behind is loaded library code.
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
  bool timed = true;                   // false: what the library's heuristic puts first
  std::string verbose;                 // empty: silent; "1": stderr; else a file that lines are appended to
  std::filesystem::path cache_folder;  // empty: choices live as long as the process
  // For tests: the first candidate that runs and whose name begins so is chosen, however slow it is.
  std::string prefer;

  // GRAPHBENCH_AUTOTUNE=on|off, GRAPHBENCH_VERBOSE=1|FILE, and the cache's folder. Throws
  // Error(invalid_argument) for other values.
  static TuningSettings from_environment();
};

// What a candidate costs: device time, and graph nodes, each of which the host pays for at a launch.
struct CandidateCost {
  double seconds = 0.0;
  std::size_t nodes = 1;
};

// Our version, and a digest of our kernels and of how candidates are named, timed and chosen: made by
// ci/cmake/kernel_build.cmake.
const char* kernel_build();

// What a choice holds for.
struct Platform {
  std::string build;      // kernel_build()
  std::string device;     // its name
  std::string libraries;  // versions of driver, runtime and libraries
  friend auto operator<=>(const Platform&, const Platform&) = default;
};
Platform platform_of(const facts::DeviceFacts& info);

class Tuner {
 public:
  Tuner(TuningSettings settings, Platform platform);

  const TuningSettings& settings() const noexcept { return settings_; }

  // The index of the candidate to use. `key` says all that a choice depends on; `candidates` are names
  // that mean the same in every process, the heuristic's order. `cost` times one of them, or gives
  // nothing where it does not run. Candidates must give the same bits at every run. Of those that one
  // timing cannot tell from the fastest, the one of fewest nodes is used, and the first of those.
  std::size_t choose(const std::string& key, const std::vector<std::string>& candidates,
                     const std::function<std::optional<CandidateCost>(std::size_t)>& cost);

  // What was chosen for `key`, here or in an earlier process. As long as the library still offers it, the
  // other candidates need not be listed. Nothing where choosing would time candidates, or is not done by
  // time.
  std::optional<std::string> known(const std::string& key);

  // From here on nothing is timed: what is not known yet is the heuristic's first, and is not kept.
  void stop_timing() noexcept { may_time_ = false; }

  // A choice that was made without this tuner: a heuristic's.
  void took(const std::string& key, const std::string& algorithm) { chosen_[key] = {key, algorithm}; }

  // Every choice so far, one a key, in the order of keys.
  std::vector<facts::LibraryChoice> choices() const;

  // Absent where nothing is kept.
  std::optional<facts::CacheUse> cache_use() const;

  // The cache's entries behind the choices so far, each with the plan that the library wrote down for its
  // key.
  std::vector<cache::Entry> kept(const std::map<std::string, std::string>& serialised = {}) const;
  // Entries of an earlier process, looked at ahead of the cache. Returns how many are for this platform.
  std::size_t offer(const std::vector<cache::Entry>& entries);

  // What was offered for `key` with a plan that the library wrote down, if it is what is known for it; else
  // null.
  const cache::Choice* serialised(const std::string& key);
  // Whether the library took that plan. If so the choice is made; else it is built by its name.
  void tried_serialised(const std::string& key, bool taken);

  // One line, where `verbose` asks for it.
  void say(const std::string& line) const;

 private:
  cache::Key cache_key(const std::string& key) const;
  std::optional<std::size_t> preferred(const std::vector<std::string>& candidates,
                                       const std::function<std::optional<CandidateCost>(std::size_t)>& cost);
  std::optional<std::size_t> time_all(const std::string& key, const std::vector<std::string>& candidates,
                                      const std::function<std::optional<CandidateCost>(std::size_t)>& cost);

  TuningSettings settings_;
  Platform platform_;
  cache::Cache cache_;
  std::map<std::string, facts::LibraryChoice> chosen_;  // by key, without the platform
  std::map<std::string, cache::Choice> serialised_;     // offered, by the entry's file name
  std::map<std::string, bool> taken_;                   // of those tried, by key
  bool may_time_ = true;
};

}  // namespace graphbench::cuda
