// Three subcommands under one. Values are checked here, files when the command runs.
#include "harness/cli/history_arguments.hpp"

#include <CLI/CLI.hpp>

#include "harness/cli/option_set.hpp"
#include "harness/config/numbers.hpp"
#include "harness/config/suggest.hpp"
#include "harness/model/input_error.hpp"

namespace graphbench::cli {
namespace {

model::Metric metric_of(const std::string& text) {
  std::vector<std::string> names;
  for (const model::Metric metric : model::all_metrics()) {
    if (name_of(metric) == text) return metric;
    names.push_back(name_of(metric));
  }
  throw InputError("--metric", in_quotes(text) + " is no metric: give one of " + config::join(names) +
                                   config::did_you_mean(text, names));
}

constexpr std::int64_t last_max = 500;

std::int64_t last_of(const std::string& text) {
  const config::ParsedInteger parsed = config::parse_integer(text);
  if (parsed.fault == config::NumberFault::none && parsed.value >= 1 && parsed.value <= last_max)
    return parsed.value;
  throw InputError("--last",
                   in_quotes(text) + " is no number of entries: give 1 to " + std::to_string(last_max));
}

bool is_json(const std::string& format) {
  if (format == "json") return true;
  if (format == "table") return false;
  throw InputError("--format", in_quotes(format) + " is no format: give table or json" +
                                   config::did_you_mean(format, {"table", "json"}));
}

}  // namespace

struct HistoryLine::Impl {
  CLI::App* history = nullptr;
  CLI::App* add = nullptr;
  CLI::App* list = nullptr;
  CLI::App* show = nullptr;
  HistoryArguments given;
  std::string commit;
  std::string branch;
  std::string metric = "latency";
  std::string last = "200";
  std::string format = "table";

  void common(CLI::App* command) {
    command->allow_extras();
    add_text(*command, "--history", given.file, "the file (default: GRAPHBENCH_HISTORY, else under ~/.local)",
             "FILE");
  }

  void make_add() {
    add = history->add_subcommand("add", "keep result documents");
    common(add);
    add->add_option("FILE", given.documents, "what --json wrote; several are added together")->type_name("");
    add_text(*add, "--commit", commit, "what was measured (default: from CI or git)", "ID");
    add_text(*add, "--branch", branch, "where it stands (default: from CI or git)", "NAME");
    add_text(*add, "--label", given.label, "anything, for --against and for people", "TEXT");
  }

  void make_list() {
    list = history->add_subcommand("list", "say what is kept, oldest first");
    common(list);
    add_text(*list, "--branch", branch, "of this branch only", "NAME");
    add_text(*list, "--against", given.against,
             "what compare --against NAME takes its baseline from; a NAME that nothing has is refused",
             "NAME");
    add_text(*list, "--format", format, "table or json (default: table)", "FORMAT");
  }

  void make_show() {
    show = history->add_subcommand("show", "plot a cell's history and say where it changed");
    common(show);
    show->add_option("CELL", given.cell, "a cell's id: mlp/base/bf16/forward/b8/w3/whole")->type_name("");
    add_text(*show, "--metric", metric, "latency, submit, device or capture (default: latency)", "METRIC");
    add_text(*show, "--branch", branch, "of this branch only", "NAME");
    add_text(*show, "--last", last, "entries at most (default: 200)", "N");
    show->add_flag("--every-environment", given.every_environment,
                   "also entries of other machines, drivers, libraries and plans");
    show->add_flag("--ascii", given.ascii, "plot without Unicode");
    add_text(*show, "--format", format, "table or json (default: table)", "FORMAT");
  }
};

HistoryLine::HistoryLine(CLI::App& app) : impl_(std::make_unique<Impl>()) {
  impl_->history = app.add_subcommand("history", "keep results over time and find where they changed");
  impl_->history->require_subcommand(0, 1);
  impl_->history->allow_extras();
  impl_->make_add();
  impl_->make_list();
  impl_->make_show();
}

HistoryLine::~HistoryLine() = default;

CLI::App* HistoryLine::parsed() const {
  for (CLI::App* command : {impl_->add, impl_->list, impl_->show}) {
    if (command->parsed()) return command;
  }
  return impl_->history->parsed() ? impl_->history : nullptr;
}

HistoryArguments HistoryLine::arguments() const {
  HistoryArguments arguments = impl_->given;
  const CLI::App* command = parsed();
  if (command == impl_->history) throw InputError("history", "it needs a word: give add, list or show");
  check_given_once(*command, {{}, {"--commit", "--branch", "--label"}});
  if (command->count("--branch") > 0) arguments.branch = impl_->branch;
  if (command == impl_->add) {
    arguments.action = HistoryAction::add;
    if (command->count("--commit") > 0) arguments.commit = impl_->commit;
    if (arguments.documents.empty())
      throw InputError("history add", "it needs a result document: give what --json wrote");
    return arguments;
  }
  arguments.json = is_json(impl_->format);
  if (command == impl_->list) {
    if (arguments.branch && !arguments.against.empty())
      throw InputError("--against", "it cannot be combined with --branch: give one of them");
    return arguments;
  }
  arguments.action = HistoryAction::show;
  arguments.metric = metric_of(impl_->metric);
  arguments.last = last_of(impl_->last);
  if (arguments.cell.empty())
    throw InputError("history show",
                     "it needs a cell: give its id, such as mlp/base/bf16/forward/b8/w3/whole");
  return arguments;
}

}  // namespace graphbench::cli
