// Reads the settings, and chooses plans: from earlier choices of this process, then from the disk, then by
// timing.
#include "graphs/cuda/tuning/tuner.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "graphs/base/error.hpp"
#include "graphs/device/cache/folder.hpp"

namespace graphbench::cuda {
namespace {

// Candidates within this factor of the least time count as equally fast (see Tuner::choose).
constexpr double indistinguishable = 1.01;

// After the first timing, candidates within the first factor of the least time are timed again, then those
// within the second, and so on. A candidate's shortest measurement counts. On an H200, the first few
// measurements were up to 6 % too long, because the GPU's clock had not risen yet. In one case of ten, two
// measurements of the same candidate differed by over 3 %.
constexpr double timed_again[] = {1.10, 1.05, 1.03};

std::string_view environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string_view() : std::string_view(value);
}

std::optional<std::size_t> position(const std::vector<std::string>& names, const std::string& name) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) return std::nullopt;
  return static_cast<std::size_t>(found - names.begin());
}

std::string described(const CandidateCost& cost) {
  char text[48];
  std::snprintf(text, sizeof(text), "%.2f us in %zu node%s", cost.seconds * 1e6, cost.nodes,
                cost.nodes == 1 ? "" : "s");
  return text;
}

// "matmul rows 8 n 64" becomes "matmul rows  n 64".
std::string without_size(std::string key) {
  constexpr const char* digits = "0123456789";
  const std::size_t first = key.find_first_of(digits);
  if (first == std::string::npos) return key;
  return key.erase(first, key.find_first_not_of(digits, first) - first);
}

std::vector<std::size_t> near_the_least(const std::vector<std::optional<CandidateCost>>& costs,
                                        double reach) {
  std::optional<double> least;
  for (const std::optional<CandidateCost>& cost : costs) {
    if (cost && (!least || cost->seconds < *least)) least = cost->seconds;
  }
  std::vector<std::size_t> near;
  for (std::size_t i = 0; i < costs.size(); ++i) {
    if (costs[i] && costs[i]->seconds <= *least * reach) near.push_back(i);
  }
  return near;
}

}  // namespace

TuningSettings TuningSettings::from_environment() {
  TuningSettings settings;
  const std::string_view timed = environment("GRAPHBENCH_AUTOTUNE");
  if (timed != "" && timed != "on" && timed != "off") {
    throw Error(ErrorCode::invalid_argument,
                "GRAPHBENCH_AUTOTUNE: '" + std::string(timed) + "' is not valid: give on or off");
  }
  settings.timed = timed != "off";
  settings.cache_folder = cache::folder_from_environment();
  const std::string_view verbose = environment("GRAPHBENCH_VERBOSE");
  if (verbose != "0") settings.verbose = verbose;
  return settings;
}

Platform platform_of(const facts::DeviceFacts& info) {
  Platform platform{kernel_build(), info.name, "driver " + info.driver + ", CUDA " + info.runtime};
  for (const auto& [library, version] : info.libraries) platform.libraries += ", " + library + " " + version;
  return platform;
}

Tuner::Tuner(TuningSettings settings, Platform platform)
    : settings_(std::move(settings)), platform_(std::move(platform)), cache_(settings_.cache_folder) {}

// A key starts with its op, "matmul rows 8 ...", or its ops, "matmul and rmsnorm rows 8 ...".
cache::Key Tuner::cache_key(const std::string& key) const {
  const std::size_t rows = key.find(" rows ");
  const std::size_t end = rows == std::string::npos ? std::min(key.find(' '), key.size()) : rows;
  return {{key.substr(0, end), key.substr(std::min(end + 1, key.size())), platform_.device,
           platform_.libraries, platform_.build}};
}

std::size_t Tuner::choose(const std::string& key, const std::vector<std::string>& candidates,
                          const std::function<std::optional<CandidateCost>(std::size_t)>& cost) {
  GRAPHBENCH_ASSERT(!candidates.empty());
  if (!generally_) return choose_own(key, candidates, cost);
  const auto general = general_.find(without_size(key));
  if (general == general_.end()) {
    const std::size_t index = choose_own(key, candidates, cost);
    general_[without_size(key)] = candidates[index];
    return index;
  }
  const std::size_t index = position(candidates, general->second).value_or(0);
  took(key, candidates[index]);
  return index;
}

std::size_t Tuner::choose_own(const std::string& key, const std::vector<std::string>& candidates,
                              const std::function<std::optional<CandidateCost>(std::size_t)>& cost) {
  if (const auto index = preferred(candidates, cost)) {
    took(key, candidates[*index]);
    return *index;
  }
  const auto take_first = [&] {
    say(key + ": " + candidates.front() + " (first choice of the heuristic)");
    took(key, candidates.front());
    return std::size_t{0};
  };
  if (!settings_.timed) return take_first();
  if (const auto known = chosen_.find(key); known != chosen_.end()) {
    if (const auto index = position(candidates, known->second.algorithm)) return *index;
  }
  const auto check = [&](const std::string& kept) {
    return position(candidates, kept) ? std::string() : "the library no longer offers the cached algorithm";
  };
  const auto make = [&]() -> std::optional<std::string> {
    const auto fastest = may_time_ ? time_all(key, candidates, cost) : std::nullopt;
    return fastest ? std::optional(candidates[*fastest]) : std::nullopt;
  };
  const auto found = cache_.find_or_make(cache_key(key), check, make);
  if (!found) return may_time_ ? 0 : take_first();
  if (found->hit) say(key + ": " + found->content + " (from the cache)");
  chosen_[key] = {.key = key, .algorithm = found->content, .timed = true, .hit = found->hit, .plan = ""};
  return *position(candidates, found->content);
}

std::optional<std::string> Tuner::known(const std::string& key) {
  if (!settings_.prefer.empty() || !settings_.timed) return std::nullopt;
  if (const auto general = general_.find(without_size(key)); generally_ && general != general_.end())
    return general->second;
  if (const auto chosen = chosen_.find(key); chosen != chosen_.end()) return chosen->second.algorithm;
  return cache_.find(cache_key(key));
}

std::vector<facts::LibraryChoice> Tuner::choices() const {
  std::vector<facts::LibraryChoice> made;
  for (const auto& [key, choice] : chosen_) {
    made.push_back(choice);
    if (const auto tried = taken_.find(key); tried != taken_.end())
      made.back().plan = tried->second ? "serialised" : "engine";
  }
  return made;
}

std::optional<facts::CacheUse> Tuner::cache_use() const {
  return cache_.is_on() ? std::optional(cache_.use()) : std::nullopt;
}

std::vector<cache::Entry> Tuner::kept(const std::map<std::string, std::string>& serialised) const {
  std::vector<cache::Entry> entries = cache_.entries();
  for (const auto& [key, plan] : serialised) {
    const auto entry = std::ranges::find(entries, cache_key(key), &cache::Entry::key);
    const auto chosen = chosen_.find(key);  // not the entry's choice if the library could not build that
    if (entry != entries.end() && chosen != chosen_.end() && chosen->second.algorithm == entry->content)
      entry->content = cache::join_choice({entry->content, plan});
  }
  return entries;
}

const cache::Choice* Tuner::serialised(const std::string& key) {
  if (taken_.contains(key)) return nullptr;
  const auto found = serialised_.find(cache::file_name_of(cache_key(key)));
  return found != serialised_.end() && known(key) == found->second.algorithm ? &found->second : nullptr;
}

void Tuner::tried_serialised(const std::string& key, bool taken) {
  const std::string& algorithm = serialised_.at(cache::file_name_of(cache_key(key))).algorithm;
  taken_[key] = taken;
  if (taken) chosen_[key] = {.key = key, .algorithm = algorithm, .timed = true, .hit = true, .plan = ""};
  say(key + ": " + algorithm +
      (taken ? " (from the package's cuDNN plan)" : " (cuDNN refused the package's plan)"));
}

std::size_t Tuner::offer(const std::vector<cache::Entry>& entries) {
  std::size_t ours = 0;
  for (const cache::Entry& entry : entries) {
    // From index 2 on, a key's values describe the platform.
    const cache::Key here = cache_key("");
    bool same = entry.key.values.size() == here.values.size();
    for (std::size_t i = 2; same && i < here.values.size(); ++i) same = entry.key.values[i] == here.values[i];
    if (!same) continue;
    cache::Choice choice = cache::split_choice(entry.content);
    cache_.offer({entry.key, entry.seconds, choice.algorithm});
    if (!choice.serialised.empty()) serialised_[cache::file_name_of(entry.key)] = std::move(choice);
    ++ours;
  }
  return ours;
}

std::optional<std::size_t> Tuner::preferred(
    const std::vector<std::string>& candidates,
    const std::function<std::optional<CandidateCost>(std::size_t)>& cost) {
  if (settings_.prefer.empty()) return std::nullopt;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    if (candidates[i].compare(0, settings_.prefer.size(), settings_.prefer) == 0 && cost(i)) return i;
  }
  return std::nullopt;
}

std::optional<std::size_t> Tuner::time_all(
    const std::string& key, const std::vector<std::string>& candidates,
    const std::function<std::optional<CandidateCost>(std::size_t)>& cost) {
  std::vector<std::optional<CandidateCost>> costs;
  for (std::size_t i = 0; i < candidates.size(); ++i) costs.push_back(cost(i));
  for (const double reach : timed_again) {
    const std::vector<std::size_t> near = near_the_least(costs, reach);
    if (near.size() < 2) break;
    for (const std::size_t i : near) {
      const std::optional<CandidateCost> again = cost(i);
      if (again) say(key + ": again " + described(*again) + ": " + candidates[i]);
      if (again && again->seconds < costs[i]->seconds) costs[i] = again;
    }
  }
  const std::vector<std::size_t> near = near_the_least(costs, indistinguishable);
  if (near.empty()) return std::nullopt;
  const std::size_t best =
      *std::ranges::min_element(near, {}, [&](std::size_t i) { return costs[i]->nodes; });
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    say(key + ": " + (costs[i] ? described(*costs[i]) : std::string("does not run")) + ": " + candidates[i]);
  }
  say(key + ": " + candidates[best] + " (" + described(*costs[best]) + ", algorithm " +
      std::to_string(best + 1) + " of " + std::to_string(candidates.size()) + ", the first choice " +
      (costs.front() ? "takes " + described(*costs.front()) : std::string("fails")) + ")");
  return best;
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
