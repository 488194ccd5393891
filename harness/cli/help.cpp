// Writes the short help and the help of one topic. CLI11 writes all other help.
#include <algorithm>
#include <optional>

#include "graphs/base/text.hpp"
#include "harness/cli/commands.hpp"
#include "harness/model/vocabulary.hpp"
#include "harness/options/option_table.hpp"

namespace graphbench::cli {
namespace {

std::string columns_of(const std::vector<std::pair<std::string, std::string>>& lines) {
  std::size_t width = 0;
  for (const auto& [left, right] : lines) width = std::max(width, left.size());
  std::string text;
  for (const auto& [left, right] : lines)
    text += "  " + left + std::string(width + 2 - left.size(), ' ') + right + "\n";
  return text;
}

std::string options_of(const std::function<bool(const options::OptionSpec&)>& wanted) {
  std::vector<std::pair<std::string, std::string>> lines;
  for (const options::OptionSpec& option : options::sweep_options()) {
    if (!wanted(option)) continue;
    lines.emplace_back("--" + option.name + (option.placeholder.empty() ? "" : " " + option.placeholder),
                       option.help);
  }
  return columns_of(lines);
}

}  // namespace

std::string brief_help(const std::vector<CommandRow>& rows) {
  std::string text =
      "graphbench measures how much CUDA graphs gain, at which batch size, and at what cost\nExamples:\n";
  std::vector<options::Example> examples;
  for (const CommandRow& row : rows)
    std::ranges::copy_if(row.examples, std::back_inserter(examples), &options::Example::brief);
  text += options::lines_of(examples);
  // Formats all groups together, so that their columns are aligned.
  std::vector<std::pair<std::string, std::string>> lines;
  for (const CommandRow& row : rows)
    lines.emplace_back(row.name.substr(row.name.starts_with("--") ? 2 : 0), row.help);
  const std::vector<std::string> aligned = split(columns_of(lines), '\n');
  const char* const titles[] = {"Measure", "Compare", "Operate"};
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (i == 0 || rows[i].group != rows[i - 1].group)
      text += std::string(titles[static_cast<std::size_t>(rows[i].group)]) + ":\n";
    text += aligned[i] + "\n";
  }
  return text + "Options of a sweep:\n" + options_of(std::mem_fn(&options::OptionSpec::brief)) +
         "More: graphbench help COMMAND; --help-all lists every option, --help TOPIC the options of one "
         "topic:\n" +
         topics() + "\n";
}

std::optional<std::string> topic_help(const std::string& topic) {
  const auto found = std::ranges::find(options::option_topics(), topic, &options::OptionTopic::name);
  if (found == options::option_topics().end()) return std::nullopt;
  return std::string(found->title) + ":\n" +
         options_of([&](const options::OptionSpec& option) { return option.group == found->group; });
}

std::string topics() {
  return join(model::names_of(options::option_topics()));
}

}  // namespace graphbench::cli
