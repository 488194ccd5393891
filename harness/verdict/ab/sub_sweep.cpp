// Names the group's one point on every axis, and passes on what the person gave for the rest.
#include "harness/verdict/ab/sub_sweep.hpp"

#include "harness/config/suggest.hpp"

namespace graphbench::ab {
namespace {

// Passed on as given, where given: the default is for each binary to know.
const std::vector<std::string> passed_on = {"time-per-cell", "samples-max", "worker-timeout", "cpu"};
const std::vector<std::string> flags_passed_on = {"no-pin", "cold-l2"};

std::string list_of(const std::vector<std::string>& words) {
  std::string list;
  for (const std::string& word : words) list += (list.empty() ? "" : ",") + word;
  return list;
}

std::string list_of(const std::vector<std::int64_t>& numbers) {
  std::vector<std::string> words;
  for (const std::int64_t number : numbers) words.push_back(std::to_string(number));
  return list_of(words);
}

}  // namespace

const std::vector<std::string>& refused_options() {
  static const std::vector<std::string> names = {"json",
                                                 "samples",
                                                 "trace",
                                                 "profile",
                                                 "against",
                                                 "history",
                                                 "dump-program",
                                                 "baseline",
                                                 "prometheus-listen",
                                                 "prometheus-allow-remote",
                                                 "tls-certificate",
                                                 "tls-key",
                                                 "tls-client-ca",
                                                 "linger",
                                                 "prometheus-textfile",
                                                 "prometheus-push",
                                                 "push-grouping",
                                                 "push-delete"};
  return names;
}

std::vector<std::string> arguments_of(const SubSweep& sweep, const config::RawOptions& raw,
                                      const config::SweepOptions& options) {
  const model::WorkerTask& task = sweep.task;
  std::vector<std::string> arguments = {"--sweep",    "--quiet",
                                        "--launches", "1",
                                        "--json",     sweep.json,
                                        "--seed",     std::to_string(sweep.seed),
                                        "--device",   task.device,
                                        "--workload", task.workload,
                                        "--preset",   task.preset,
                                        "--dtype",    task.dtype,
                                        "--mode",     task.mode,
                                        "--warmup",   std::to_string(task.warmup),
                                        "--batch",    list_of(task.batches)};
  const auto add = [&](const std::string& name, const std::string& value) {
    arguments.push_back("--" + name);
    arguments.push_back(value);
  };
  for (const auto& [name, value] : task.more_axes) add(name, value);
  for (const std::string& plugin : options.plugins) add("plugin", plugin);
  // A sweep refuses to set what it does not run.
  for (const config::SetOption& set : options.set) {
    if (set.workload == task.workload)
      add("set", set.workload + "." + set.key + "=" + std::to_string(set.value));
  }
  if (!options.split_ops.empty()) add("split-ops", list_of(options.split_ops));
  for (const std::string& name : passed_on) {
    const auto given = raw.find(name);
    if (given != raw.end()) add(name, given->second.front().text);
  }
  for (const std::string& name : flags_passed_on) {
    const auto given = raw.find(name);
    if (given != raw.end() && given->second.front().text == "true") arguments.push_back("--" + name);
  }
  return arguments;
}

}  // namespace graphbench::ab
