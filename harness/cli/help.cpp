// Writes the short help, the help of one topic, and what the help says of a word. CLI11 writes all other
// help.
#include <algorithm>
#include <cctype>
#include <functional>
#include <map>
#include <optional>
#include <utility>

#include "graphs/base/text.hpp"
#include "harness/cli/commands.hpp"
#include "harness/model/metrics.hpp"
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
      "graphbench measures how much CUDA graphs gain, at which batch size, and at what cost. Examples:\n";
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
         "More: graphbench help COMMAND, help TOPIC (plan, steps, torch, ...) or help WORD; --help-all has "
         "every option\n";
}

std::optional<std::string> topic_help(const std::string& topic) {
  const auto found = std::ranges::find(options::option_topics(), topic, &options::OptionTopic::name);
  if (found == options::option_topics().end()) return std::nullopt;
  return std::string(found->title) + ":\n" +
         options_of([&](const options::OptionSpec& option) { return option.group == found->group; });
}

namespace {

using HelpLines = std::vector<std::pair<std::string, std::string>>;

// What the help has of a word. Commands share options, and each stands once, with all of its commands.
class Found {
 public:
  explicit Found(const std::string& word) : word_(word) {}

  bool has(std::string_view text) const {
    const auto same = [](char a, char b) {
      return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
    };
    // Not std::ranges::search(), which clang 14 does not compile with GCC's library.
    return std::search(text.begin(), text.end(), word_.begin(), word_.end(), same) != text.end();
  }

  void add(const options::CommandShape& command, const std::string& path) {
    if (has(path) || has(command.help)) commands_.emplace_back(path, command.help);
    for (const options::OptionShape& option : command.options) {
      const std::string shown =
          join(option.names) + (option.placeholder.empty() ? "" : " " + option.placeholder);
      if (!has(shown) && !has(option.help)) continue;
      const std::pair<std::string, std::string> line(shown, option.help);
      if (!contains(options_, line)) options_.push_back(line);
      takers_[line].push_back(path);
    }
    for (const options::CommandShape& below : command.below) add(below, path + " " + below.name);
  }

  std::string text() const {
    HelpLines options = options_;
    for (auto& line : options) line.second += " [" + join(takers_.at(line)) + "]";
    HelpLines metrics;
    for (const model::MetricRow& row : model::metrics()) {
      if (has(row.name) || has(row.help)) metrics.emplace_back(row.name, row.help);
    }
    std::string text;
    for (const auto& [title, lines] :
         {std::pair{"Commands", &commands_}, {"Options", &options}, {"Metrics", &metrics}})
      if (!lines->empty()) text += std::string(title) + ":\n" + columns_of(*lines);
    return text;
  }

 private:
  std::string word_;
  HelpLines commands_;
  HelpLines options_;
  std::map<std::pair<std::string, std::string>, std::vector<std::string>> takers_;
};

}  // namespace

std::optional<std::string> found_in_help(const std::string& word, const options::CommandShape& program) {
  Found found(word);
  for (const options::CommandShape& command : program.below) found.add(command, command.name);
  const std::string text = found.text();
  return word.empty() || text.empty() ? std::nullopt : std::optional(text);
}

std::string_view exit_codes_text() {
  return "Exit codes: 0 done; 1 internal or environment error; 2 bad usage or input; 3 some cells failed;\n"
         "130 interrupted (the measurements are kept). compare adds: 10 slower, 11 inconclusive with "
         "--strict,\n"
         "12 not comparable. ladder adds: 10 fewer hits than --require-hits.\n";
}

std::string topics() {
  return join(model::names_of(options::option_topics()));
}

}  // namespace graphbench::cli
