// Writes what bash, zsh and fish complete, from the shapes of the commands. The scripts start no graphbench.
// One file, because the shells share what a value may be.
#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "graphs/base/text.hpp"
#include "harness/cli/commands.hpp"
#include "harness/model/vocabulary.hpp"

namespace graphbench::cli {
namespace {

using options::CommandShape;
using options::OptionShape;

enum class Files : std::uint8_t { none, folders, all };

// A placeholder says what a value is: "FILE.toml", "DIR|off", "SHARD".
Files files_of(const std::string& placeholder) {
  const auto names = [&](const char* word) { return placeholder.find(word) != std::string::npos; };
  if (std::ranges::any_of(std::vector{"FILE", "PATH", "BINARY", "DOC", "SHARD", "BASE", "NEW"}, names))
    return Files::all;
  return names("DIR") ? Files::folders : Files::none;
}

std::string with_replaced(const std::string& text, const std::map<char, std::string>& by) {
  std::string result;
  for (const char c : text) {
    const auto found = by.find(c);
    result += found == by.end() ? std::string(1, c) : found->second;
  }
  return result;
}

// Help is long, and a shell shows one line of it.
std::string first_clause(const std::string& help) {
  const std::size_t end = std::min({help.find("; "), help.find(" ("), help.find(". ")});
  return help.substr(0, end);
}

// Calls `work` for each command and those below it, with its words: "history add". Of the program: "".
void for_each_command(const CommandShape& program,
                      const std::function<void(const std::string& path, const CommandShape& command)>& work) {
  std::function<void(const std::string&, const CommandShape&)> walk = [&](const std::string& path,
                                                                          const CommandShape& command) {
    work(path, command);
    for (const CommandShape& below : command.below)
      walk(path + (path.empty() ? "" : " ") + below.name, below);
  };
  walk("", program);
}

std::vector<std::string> names_below(const CommandShape& command) {
  return model::names_of(command.below);
}

// The commands, and the other words that may stand first.
std::vector<std::string> first_words(const CommandShape& program) {
  std::vector<std::string> words = names_below(program);
  words.insert(words.end(), {"help", "version"});
  return words;
}

// Bash.

// The functions that the table of a script calls. `=` is a word of its own in bash.
constexpr const char* bash_head = R"(# Completes graphbench in bash. Written by "graphbench completion bash".
# shellcheck shell=bash
_graphbench_words() {
  mapfile -t COMPREPLY < <(compgen -W "$1" -- "$2")
}

_graphbench_list() {
  local head=
  [[ $2 != *,* ]] || head=${2%,*},
  mapfile -t COMPREPLY < <(compgen -P "$head" -W "$1" -- "${2##*,}")
  compopt -o nospace 2> /dev/null
}

_graphbench_files() {
  compopt -o filenames 2> /dev/null
  mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen "$1" -- "$2")
}

_graphbench() {
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} command="" i
  COMPREPLY=()
  if [[ $word == "=" ]]; then
    word=
  elif [[ $before == "=" ]]; then
    before=${COMP_WORDS[COMP_CWORD - 2]}
  fi
  for ((i = 1; i < COMP_CWORD; ++i)); do
    case "$command ${COMP_WORDS[i]}" in
)";

// Groups what is to be completed, so that a case of the script stands once: " mlp --mode" by its action.
class BashCases {
 public:
  void add(const std::string& pattern, const std::string& action) {
    std::vector<std::string>& patterns = patterns_[action];
    if (patterns.empty()) order_.push_back(action);
    patterns.push_back(pattern);
  }
  std::string text() const {
    std::string text;
    for (const std::string& action : order_) {
      text += "    " + join(patterns_.at(action), " | ") + ")\n";
      for (const std::string& line : split(action, '\n')) text += "      " + line + "\n";
      text += "      ;;\n";
    }
    return text;
  }

 private:
  std::map<std::string, std::vector<std::string>> patterns_;
  std::vector<std::string> order_;
};

std::string bash_value(const OptionShape& option) {
  std::string action;
  if (!option.choices.empty()) {
    action = std::string(option.is_list ? "_graphbench_list" : "_graphbench_words") + " \"" +
             join(option.choices, " ") + "\" \"$word\"";
  }
  const Files files = files_of(option.placeholder.empty() ? option.names.back() : option.placeholder);
  if (files != Files::none) {
    action += (action.empty() ? "" : "\n") + std::string("_graphbench_files ") +
              (files == Files::all ? "-f" : "-d") + " \"$word\"";
  }
  return action;
}

}  // namespace

std::string bash_completion(const CommandShape& program) {
  std::string text = bash_head;
  BashCases values;
  BashCases options;
  BashCases words;
  for_each_command(program, [&](const std::string& path, const CommandShape& command) {
    const std::string quoted = "\"" + path + "\"";
    if (!path.empty()) {
      const std::size_t last = path.rfind(' ');
      const std::string parent = last == std::string::npos ? "" : path.substr(0, last);
      text += "      \"" + parent + " " + command.name + "\"" + (path == "sweep" ? " | \" --sweep\"" : "") +
              ") command=" + quoted + " ;;\n";
    }
    std::vector<std::string> names;
    for (const OptionShape& option : command.options) {
      names.insert(names.end(), option.names.begin(), option.names.end());
      if (option.placeholder.empty()) continue;
      const std::string value = bash_value(option);
      for (const std::string& name : option.names)
        values.add("\"" + path + " " + name + "\"", (value.empty() ? "" : value + "\n") + "return");
    }
    options.add(quoted, "_graphbench_words \"" + join(names, " ") + "\" \"$word\"");
    if (path.empty()) {
      words.add("\"\" | help", "_graphbench_words \"" + join(first_words(program), " ") + "\" \"$word\"");
    } else if (!command.below.empty()) {
      words.add(quoted, "_graphbench_words \"" + join(names_below(command), " ") + "\" \"$word\"");
    } else if (!command.words.empty() && !bash_value(command.words.front()).empty()) {
      words.add(quoted, bash_value(command.words.front()));
    }
  });
  return text + "      \" help\") command=help ;;\n    esac\n  done\n  case \"$command $before\" in\n" +
         values.text() + "  esac\n  if [[ $word == -* ]]; then\n    case \"$command\" in\n" + options.text() +
         "    esac\n    return\n  fi\n  case \"$command\" in\n" + words.text() +
         "  esac\n}\ncomplete -F _graphbench graphbench\n";
}

// Zsh.

namespace {

std::string zsh_quoted(const std::string& text) {
  return "'" + with_replaced(text, {{'\'', "'\\''"}}) + "'";
}

std::string zsh_plain(const std::string& text) {
  return with_replaced(text, {{'[', "\\["}, {']', "\\]"}, {':', "\\:"}, {'\\', "\\\\"}});
}

std::string zsh_value(const OptionShape& option) {
  const Files files = files_of(option.placeholder.empty() ? option.names.back() : option.placeholder);
  const std::string what = zsh_plain(option.placeholder.empty() ? option.names.back() : option.placeholder);
  if (!option.choices.empty() && option.is_list)
    return what + ":_sequence compadd - " + join(option.choices, " ");
  if (!option.choices.empty() && files == Files::none) return what + ":(" + join(option.choices, " ") + ")";
  return what + ":" + (files == Files::none ? "" : files == Files::folders ? "_files -/" : "_files");
}

std::string zsh_arguments(const CommandShape& command) {
  std::string text = "  _arguments -S";
  for (const OptionShape& option : command.options) {
    for (const std::string& name : option.names) {
      const bool is_long = name.starts_with("--");
      std::string spec = "*" + name +
                         (option.placeholder.empty() ? ""
                          : is_long                  ? "="
                                                     : "+") +
                         "[" + zsh_plain(first_clause(option.help)) + "]";
      if (!option.placeholder.empty()) spec += (option.value_is_optional ? "::" : ":") + zsh_value(option);
      text += " \\\n    " + zsh_quoted(spec);
    }
  }
  if (!command.words.empty()) text += " \\\n    " + zsh_quoted("*:" + zsh_value(command.words.front()));
  return text + "\n";
}

std::string function_name(const std::string& path) {
  return "_graphbench" + (path.empty() ? "" : "_" + with_replaced(path, {{' ', "_"}}));
}

}  // namespace

std::string zsh_completion(const CommandShape& program) {
  std::string text =
      "#compdef graphbench\n# Completes graphbench in zsh. Written by \"graphbench completion zsh\".\n";
  for_each_command(program, [&](const std::string& path, const CommandShape& command) {
    text += "\n" + function_name(path) + "() {\n";
    if (!command.below.empty()) {
      text += "  local -a below=(";
      for (const CommandShape& below : command.below)
        text += "\n    " + zsh_quoted(below.name + ":" + zsh_plain(first_clause(below.help)));
      if (path.empty())
        text += "\n    'help:explain a command, a topic or a word'\n    'version:print the version'";
      text +=
          ")\n  if (( CURRENT == 2 )) && [[ ${words[2]} != -* ]]; then\n"
          "    _describe command below\n    return\n  fi\n  case ${words[2]} in\n";
      for (const CommandShape& below : command.below) {
        const std::string next = path + (path.empty() ? "" : " ") + below.name;
        text +=
            "    " + below.name + ") shift words; (( CURRENT-- )); " + function_name(next) + "; return ;;\n";
      }
      if (path.empty())
        text +=
            "    help) shift words; (( CURRENT-- )); (( CURRENT != 2 )) || _describe command below; return "
            ";;\n";
      text += "  esac\n";
    }
    text += zsh_arguments(command) + "}\n";
  });
  // A file of fpath is the function's body at first; `source` defines the functions only.
  return text +
         "\nif [[ $zsh_eval_context[-1] == loadautofunc ]]; then\n  _graphbench \"$@\"\nelse\n"
         "  compdef _graphbench graphbench\nfi\n";
}

// Fish.

namespace {

std::string fish_quoted(const std::string& text) {
  return "'" + with_replaced(text, {{'\'', "\\'"}, {'\\', "\\\\"}}) + "'";
}

std::string fish_option(const OptionShape& option) {
  std::string text;
  for (const std::string& name : option.names)
    text += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  text += " -d " + fish_quoted(first_clause(option.help));
  if (option.placeholder.empty()) return text;
  const Files files = files_of(option.placeholder);
  if (!option.value_is_optional) text += files == Files::all ? " -r" : " -x";
  if (option.is_list && !option.choices.empty())
    return text + " -a " + fish_quoted("(__fish_append , " + join(option.choices, " ") + ")");
  if (!option.choices.empty()) text += " -a " + fish_quoted(join(option.choices, " "));
  if (files == Files::folders) text += " -a '(__fish_complete_directories)'";
  return text + (files == Files::all ? " -F" : "");
}

constexpr const char* fish_head = R"(# Completes graphbench in fish. Written by "graphbench completion fish".
# Prints the words of the command that is typed: "history add"; "" before there is one.
function __graphbench_command
  set -l typed (commandline -opc)
  set -l command
  for word in $typed[2..-1]
    switch "$command $word"
)";

}  // namespace

std::string fish_completion(const CommandShape& program) {
  std::string text = fish_head;
  std::string rows;
  for_each_command(program, [&](const std::string& path, const CommandShape& command) {
    const std::string when = "complete -c graphbench -n 'test (__graphbench_command) = " +
                             (path.empty() ? "\"\"" : "\"" + path + "\"") + "'";
    if (!path.empty()) {
      const std::size_t last = path.rfind(' ');
      const std::string parent = last == std::string::npos ? "" : path.substr(0, last);
      text += "      case \"" + parent + " " + command.name + "\"" +
              (path == "sweep" ? " \" --sweep\"" : "") + "\n        set command \"" + path + "\"\n";
    }
    for (const CommandShape& below : command.below)
      rows += when + " -a " + below.name + " -d " + fish_quoted(first_clause(below.help)) + "\n";
    if (path.empty()) {
      rows += when + " -a 'help version'\n";
      rows += "complete -c graphbench -n 'test (__graphbench_command) = help' -a " +
              fish_quoted(join(names_below(program), " ")) + "\n";
    }
    for (const OptionShape& option : command.options) rows += when + fish_option(option) + "\n";
    if (!command.words.empty()) {
      const OptionShape& word = command.words.front();
      if (!word.choices.empty()) rows += when + " -a " + fish_quoted(join(word.choices, " ")) + "\n";
      if (word.choices.empty() && files_of(word.names.back()) != Files::none) rows += when + " -F\n";
    }
  });
  return text +
         "      case \" help\"\n        set command help\n    end\n  end\n  echo \"$command\"\nend\n\n"
         "complete -c graphbench -f\n" +
         rows;
}

}  // namespace graphbench::cli
