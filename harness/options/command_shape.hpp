// What a command takes, as plain data that the parser fills in. Completions, the manual page and the search
// of the help are made from it, so that no second list of options can disagree with the parser.
#pragma once

#include <string>
#include <vector>

namespace graphbench::options {

struct OptionShape {
  std::vector<std::string>
      names;                // "-o", "--output": short ones first. A positional argument has one: "FILE"
  std::string placeholder;  // empty: a flag
  std::string help;
  std::string topic;                 // the title in the help: "What is measured"
  std::vector<std::string> choices;  // empty: any value
  bool is_list = false;              // several choices may be given, with commas between them
  bool value_is_optional = false;
};

struct CommandShape {
  std::string name;   // "add" of `history add`; the program's own is "graphbench"
  std::string help;   // one line
  std::string usage;  // the lines after "Usage: "
  std::vector<OptionShape> options;
  std::vector<OptionShape> words;  // positional arguments
  std::vector<CommandShape> below;
};

}  // namespace graphbench::options
