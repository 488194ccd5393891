// The options of one command: a layer over CLI11. Only three files include CLI11, because it compiles slowly.
// The layer adds a sweep's options from option_table.hpp. Its checks throw messages that name the option.
#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "harness/options/command_shape.hpp"
#include "harness/options/options.hpp"

namespace CLI {
class App;
}

namespace graphbench::options {

// When an option has an effect; `with`: what the message says to give where it has none.
struct Effect {
  std::function<bool()> is_there = nullptr;  // asked when all options are read; null: always
  std::string with = {};
};
// An option of one command: how it is shown, how it is read, and when it has an effect.
struct OwnOption {
  std::string name;         // "--pad"
  std::string placeholder;  // empty: a flag
  std::string help;
  // Takes the value. Throws InputError(where, ...).
  std::function<void(const std::string& where, const std::string& text)> read;
  Effect effect = {};
  std::string needs = {};  // it has no effect without this option
  std::string alone = {};  // the value if the option is given without one; empty: it requires one
};

// CLI11 keeps pointers to members of this object and to the targets, so none of these may move.
class Options {
 public:
  explicit Options(CLI::App& app) : app_(app) {}
  Options(const Options&) = delete;
  Options& operator=(const Options&) = delete;

  // Whether an option may have the value "", which means for some commands that the option is not given.
  enum class Empty : std::uint8_t { refused, allowed };

  // `name` may contain several names: "-o,--output". `placeholder` is the name of the value in the help.
  void flag(const std::string& name, bool& target, const std::string& help);
  void text(const std::string& name, std::string& target, const std::string& placeholder,
            const std::string& help, Empty empty = Empty::refused);
  // Like text(), but the user may give the option without a value. The value is then `alone`.
  void text_or(const std::string& alone, const std::string& name, std::string& target,
               const std::string& placeholder, const std::string& help);
  // Adds a row. check() reads it, and refuses it where it has no effect.
  void own(OwnOption option);
  void texts(const std::string& name, std::vector<std::string>& target, const std::string& placeholder,
             const std::string& help);  // repeatable
  // Positional arguments. Only the help shows `name`. Completions offer the `choices`.
  void word(const std::string& name, std::string& target, const std::string& help,
            const std::vector<std::string>& choices = {});
  void words(const std::string& name, std::vector<std::string>& target, const std::string& help);

  // Adds these sweep options. The help does not show the options `hidden`, which are parsed only to explain
  // why they are refused.
  void sweep_options(const std::vector<std::string>& names, const std::vector<std::string>& hidden = {});
  void config_file();
  void describe(const std::string& name, const std::string& help);
  void footer(const std::string& text);
  // Adds a subcommand, such as `history add`. `usage` is the text after "graphbench ".
  Options& command(const std::string& name, const std::string& help, const std::string& usage);

  bool parsed() const;
  bool given(const std::string& name) const;
  // Returns the options of --config and of flags, which override the file. Throws InputError for a bad file.
  RawOptions sweep() const;
  std::vector<std::string> names() const;
  // Everything that the command takes, also its subcommands, as plain data.
  CommandShape shape() const;
  // Throws InputError for a word that should be a subcommand and is none. Does nothing without subcommands.
  void check_subcommand(const std::string& word) const;
  // Returns the first given option other than `except`, or "" if there is none.
  std::string first_given(const std::string& except = "") const;
  // Throws InputError for an option that is empty, given twice or without effect, also in subcommands. Reads
  // those of own().
  void check() const;

 private:
  CLI::App& app_;
  std::map<std::string, std::vector<std::string>> sweep_texts_;
  std::map<std::string, bool> sweep_flags_;
  std::string config_file_;
  std::vector<std::string> given_once_;
  std::vector<std::string> never_empty_;
  std::map<std::string, std::string> own_texts_;
  std::vector<OwnOption> own_;
  std::map<std::string, std::vector<std::string>> choices_;  // of positional arguments, by their names
  std::list<Options> below_;
};

struct Example {
  std::string_view line;  // the text after "graphbench "
  std::string_view what;
  bool brief = false;  // also shown in the short help
};
// Returns one line per example: "  graphbench floor   what launches cost here".
std::string lines_of(const std::vector<Example>& examples);
// Shows the examples below the app's options. A subcommand shows the examples that begin with its name.
void set_examples(CLI::App& app, const std::vector<Example>& examples);

// Each line of `usage` becomes a line of the help, after "Usage: graphbench ".
void set_usage(CLI::App& app, const std::string& usage);
// The app's help with this usage and these examples, and without its subcommands.
std::string help_alone(const CLI::App& app, const std::string& usage, const std::vector<Example>& examples);

}  // namespace graphbench::options
