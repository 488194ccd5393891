// A choice of the sweep's options on one command, from config's table.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "harness/config/options.hpp"

namespace CLI {
class App;
}

namespace graphbench::cli {

// CLI11 keeps pointers into it: it stays where it is.
class OptionSet {
 public:
  OptionSet(CLI::App& app, const std::vector<std::string>& names);
  OptionSet(const OptionSet&) = delete;
  OptionSet& operator=(const OptionSet&) = delete;

  // What was given. Throws InputError for an option that is given twice and is no list.
  config::RawOptions raw() const;

 private:
  std::map<std::string, std::vector<std::string>> values_;
  std::map<std::string, bool> flags_;
};

// All options of a sweep but these.
std::vector<std::string> options_without(const std::vector<std::string>& names);

// An option of a command's own that takes one text; `target` must stay where it is. check_given_once()
// refuses a second, of which the last would win silently.
void add_text(CLI::App& app, const char* name, std::string& target, const std::string& help,
              const char* placeholder);

// Throws InputError for an option of a command that is given twice or empty. `repeatable`
// options may stand there several times, `emptiable` ones may be empty.
struct GivenRules {
  std::vector<std::string> repeatable;
  std::vector<std::string> emptiable;
};
void check_given_once(const CLI::App& command, const GivenRules& rules);

}  // namespace graphbench::cli
