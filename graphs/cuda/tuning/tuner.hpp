// Chooses the fastest of several library plans for an op. They are timed while kernels are prepared, before
// any capture; the choice is kept in the process and on disk. So all layers of one shape use the same plan,
// eager and captured.
//
// Timing is part of preparation and reported with it. It launches on scratch memory only, so it does not
// touch a workload's data, cache or pool; it leaves library code loaded.
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
  bool timed = true;                   // false: the heuristic's first is chosen
  std::string verbose;                 // empty: silent; "1": stderr; else a file that lines are appended to
  std::filesystem::path cache_folder;  // empty: choices are kept as long as the process
  // For tests: chooses the first candidate that runs and whose name begins with this.
  std::string prefer;

  // GRAPHBENCH_AUTOTUNE=on|off, GRAPHBENCH_VERBOSE=1|FILE, and the cache's folder. Throws
  // Error(invalid_argument) for other values.
  static TuningSettings from_environment();
};

// The cost of a candidate: device time, and graph nodes, each of which costs host time at a launch.
struct CandidateCost {
  double seconds = 0.0;
  std::size_t nodes = 1;
};

// Our version, with a digest of our kernels and of how candidates are named, timed and chosen.
// ci/cmake/kernel_build.cmake makes it.
const char* kernel_build();

// The platform that a choice is valid for.
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

  // Returns the index of the candidate to use. `key` says all that a choice depends on. `candidates` are
  // names that mean the same in every process, in the heuristic's order. `cost` times one of them, and is
  // absent if it does not run. Candidates must give the same bits at every run. Among those that timing
  // cannot tell from the fastest, the first with the fewest nodes is used.
  std::size_t choose(const std::string& key, const std::vector<std::string>& candidates,
                     const std::function<std::optional<CandidateCost>(std::size_t)>& cost);

  // Returns the choice for `key` that was made here or in an earlier process. If the library still offers it,
  // the other candidates need not be listed. Absent if choosing would time candidates, or time does not
  // decide.
  std::optional<std::string> known(const std::string& key);

  // True: from here on all keys that differ only in their size (the first number) get the choice of the first
  // such key, or the heuristic's first if the library does not offer it. False: each key gets its own.
  void choose_generally(bool generally) noexcept { generally_ = generally; }

  // Stops timing: from here on an unknown choice is the heuristic's first, and is not kept.
  void stop_timing() noexcept { may_time_ = false; }

  // Notes a choice that a heuristic made, without this tuner.
  void took(const std::string& key, const std::string& algorithm) {
    chosen_[key] = {.key = key, .algorithm = algorithm, .timed = false, .hit = false, .plan = ""};
  }

  // Every choice so far, one per key, in the order of keys.
  std::vector<facts::LibraryChoice> choices() const;

  // Absent if the cache is off.
  std::optional<facts::CacheUse> cache_use() const;

  // The cache's entries of the choices so far, each with the plan that the library wrote down for its key.
  std::vector<cache::Entry> kept(const std::map<std::string, std::string>& serialised = {}) const;
  // Takes entries of an earlier process, which are used ahead of the cache. Returns how many are for this
  // platform.
  std::size_t offer(const std::vector<cache::Entry>& entries);

  // Returns the offered choice for `key`, with a plan that the library wrote down, if that is the known
  // choice; else null.
  const cache::Choice* serialised(const std::string& key);
  // Notes whether the library took that plan. If it did, the choice is made; else it is built by its name.
  void tried_serialised(const std::string& key, bool taken);

  // Prints a line, where `verbose` asks for it.
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
  // the choices offered with a plan, by the entry's file name
  std::map<std::string, cache::Choice> serialised_;
  std::map<std::string, bool> taken_;           // by key, for plans that were tried
  std::map<std::string, std::string> general_;  // algorithms, by key without its size
  bool may_time_ = true;
  bool generally_ = false;
};

}  // namespace graphbench::cuda
