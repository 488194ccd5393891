// Writes the manual page graphbench(1), in the macros of man(7), from the shapes of the commands.
#include <string>

#include "graphbench_version.hpp"
#include "graphs/base/text.hpp"
#include "harness/cli/commands.hpp"
#include "harness/options/option_table.hpp"

namespace graphbench::cli {
namespace {

// Text of a line: a hyphen that can be copied, and nothing that begins a request.
std::string roff(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '-') {
      result += "\\-";
    } else if (c == '\\') {
      result += "\\e";
    } else if (c == '\n') {
      result += "\n.br\n";
    } else {
      result += c;
    }
  }
  const bool is_request = result.starts_with('.') || result.starts_with('\'');
  return (is_request ? "\\&" : "") + result;
}

std::string entry(const options::OptionShape& option) {
  std::string text = ".TP\n";
  for (std::size_t i = 0; i < option.names.size(); ++i)
    text += (i > 0 ? ", " : "") + ("\\fB" + roff(option.names[i]) + "\\fR");
  if (!option.placeholder.empty()) {
    const bool is_long = option.names.back().starts_with("--");
    const std::string value = (is_long ? "=" : " ") + ("\\fI" + roff(option.placeholder) + "\\fR");
    text += option.value_is_optional ? "[" + value + "]" : value;
  }
  return text + "\n" + roff(option.help) + "\n";
}

std::string options_of(const options::CommandShape& command) {
  std::string text;
  std::string topic;
  for (const options::OptionShape& word : command.words)
    text += ".TP\n\\fI" + roff(word.names.front()) + "\\fR\n" + roff(word.help) + "\n";
  for (const options::OptionShape& option : command.options) {
    if (contains(option.names, std::string("--help"))) continue;
    if (option.topic != topic && option.topic != "Options") text += ".P\n" + roff(option.topic) + ":\n";
    topic = option.topic;
    text += entry(option);
  }
  return text;
}

std::string section(const options::CommandShape& command, const std::string& path) {
  std::string text = ".SS \"" + roff(path) + "\"\n" + roff(command.help) + ".\n.P\n.nf\n" +
                     roff(command.usage) + "\n.fi\n" + options_of(command);
  for (const options::CommandShape& below : command.below) text += section(below, path + " " + below.name);
  return text;
}

}  // namespace

std::string manual_page(const options::CommandShape& program) {
  std::string text =
      ".\\\" Written by \"graphbench completion man\".\n.TH GRAPHBENCH 1 \"\" "
      "\"graphbench " GRAPHBENCH_VERSION "\" \"User Commands\"\n.SH NAME\ngraphbench \\- " +
      roff(program.help.substr(program.help.find(' ') + 1)) + "\n.SH SYNOPSIS\n.nf\n" + roff(program.usage) +
      "\n.fi\n.SH OPTIONS\n";
  for (const options::OptionShape& option : program.options) {
    if (option.topic == "Options") text += entry(option);
  }
  text += ".SH COMMANDS\n";
  for (const options::CommandShape& command : program.below) text += section(command, command.name);
  text += ".SH EXAMPLES\n";
  for (const CommandRow& row : commands()) {
    for (const options::Example& example : row.examples)
      text += ".TP\n\\fBgraphbench " + roff(example.line) + "\\fR\n" + roff(example.what) + "\n";
  }
  return text + ".SH \"EXIT STATUS\"\n" + roff(join(split(exit_codes_text(), '\n'), " ")) + "\n";
}

}  // namespace graphbench::cli
