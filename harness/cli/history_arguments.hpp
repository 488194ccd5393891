// The options of `graphbench history add|list|show`.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/model/comparison.hpp"

namespace CLI {
class App;
}

namespace graphbench::cli {

enum class HistoryAction : std::uint8_t { add, list, show };

struct HistoryArguments {
  HistoryAction action = HistoryAction::list;
  std::string file;                    // empty: the default one
  std::vector<std::string> documents;  // of add
  std::optional<std::string> commit;   // of add; absent: found out
  std::optional<std::string> branch;   // of add; of list and show: a filter
  std::string label;
  std::string against;  // of list, a filter: what `compare --against` takes its baseline from
  std::string cell;     // of show
  model::Metric metric = model::Metric::latency;
  std::int64_t last = 200;
  bool every_environment = false;
  bool ascii = false;
  bool json = false;
};

// Adds the command to a command line, and reads what that has parsed.
class HistoryLine {
 public:
  explicit HistoryLine(CLI::App& app);
  ~HistoryLine();
  HistoryLine(const HistoryLine&) = delete;
  HistoryLine& operator=(const HistoryLine&) = delete;

  // The subcommand that was given, for its help; null where none was.
  CLI::App* parsed() const;
  // Throws InputError.
  HistoryArguments arguments() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace graphbench::cli
