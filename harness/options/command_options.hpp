// The options of one command. A thin layer over CLI11, which is slow to compile and included by two files
// alone; it adds the options of a sweep from config's table, and checks that say which option is wrong.
#pragma once

#include <cstdint>
#include <list>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "harness/options/options.hpp"

namespace CLI {
class App;
}

namespace graphbench::cli {

// CLI11 keeps pointers to the targets: they, and this, stay where they are.
class Options {
 public:
  explicit Options(CLI::App& app) : app_(app) {}
  Options(const Options&) = delete;
  Options& operator=(const Options&) = delete;

  // Whether an option may be given as "": some commands take that for not given.
  enum class Empty : std::uint8_t { refused, allowed };

  // `name` may be "-o,--output". `placeholder` is how the help writes the value.
  void flag(const std::string& name, bool& target, const std::string& help);
  void text(const std::string& name, std::string& target, const std::string& placeholder,
            const std::string& help, Empty empty = Empty::refused);
  // Like text(), but the option's value may be left out, and is `alone` then.
  void text_or(const std::string& alone, const std::string& name, std::string& target,
               const std::string& placeholder, const std::string& help);
  void texts(const std::string& name, std::vector<std::string>& target, const std::string& placeholder,
             const std::string& help);  // repeatable
  // Arguments without an option; `name` is for the help alone.
  void word(const std::string& name, std::string& target, const std::string& help);
  void words(const std::string& name, std::vector<std::string>& target, const std::string& help);

  // Options of a sweep by name, in groups. Those of `hidden` are not in the help, but parsed, so that the
  // command can say why it does not take them.
  void sweep_options(const std::vector<std::string>& names, const std::vector<std::string>& hidden = {});
  // --config, a file of a sweep's options.
  void config_file();
  // Replaces the help text of a sweep's option.
  void describe(const std::string& name, const std::string& help);
  void footer(const std::string& text);
  // A command below this one: `history add`. `usage` is the text after "graphbench ".
  Options& command(const std::string& name, const std::string& help, const std::string& usage);

  bool parsed() const;
  bool given(const std::string& name) const;
  // The sweep's options: flags merged over the file. Throws InputError for an invalid file.
  config::RawOptions sweep() const;
  // Names of all options, for suggestions.
  std::vector<std::string> names() const;
  // The first option that was given, but for `except`; empty if there is none.
  std::string first_given(const std::string& except = "") const;
  // Throws InputError for an option that is given twice or empty, of the commands below too.
  void check() const;

 private:
  CLI::App& app_;
  std::map<std::string, std::vector<std::string>> sweep_texts_;
  std::map<std::string, bool> sweep_flags_;
  std::string config_file_;
  std::vector<std::string> given_once_;
  std::vector<std::string> never_empty_;
  std::list<Options> below_;
};

// A command line that a help shows.
struct Example {
  std::string_view line;  // what follows "graphbench "
  std::string_view what;  // it does
  bool brief = false;     // in the short help too
};
// " graphbench floor what launches cost here", one line per example.
std::string lines_of(const std::vector<Example>& examples);
// Shows the examples behind the options of the app; each command below it shows those that begin with its
// name.
void set_examples(CLI::App& app, const std::vector<Example>& examples);

// An app whose help begins with "Usage: graphbench " and `usage`, one line for each of its lines.
void set_usage(CLI::App& app, const std::string& usage);

}  // namespace graphbench::cli
