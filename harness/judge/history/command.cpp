// Runs graphbench history, which keeps results over time, lists them and plots them.
#include "harness/options/command.hpp"

#include <fnmatch.h>
#include <langinfo.h>
#include <unistd.h>

#include <clocale>
#include <cstdio>
#include <iostream>
#include <limits>
#include <string_view>

#include "graphs/base/clock.hpp"
#include "graphs/base/error.hpp"
#include "graphs/base/text.hpp"
#include "harness/judge/history/baseline.hpp"
#include "harness/judge/history/defaults.hpp"
#include "harness/judge/history/history.hpp"
#include "harness/judge/history/store.hpp"
#include "harness/model/codec/documents.hpp"
#include "harness/model/comparison.hpp"
#include "harness/model/exit_codes.hpp"
#include "harness/model/metrics.hpp"
#include "harness/options/numbers.hpp"
#include "harness/options/output.hpp"
#include "harness/sweep/report/print_report.hpp"
#include "reporters/format.hpp"

namespace graphbench::judge {
namespace {

// True if the environment's locale uses UTF-8. Does not set it: the process keeps the locale C for numbers.
bool terminal_is_unicode() {
  const locale_t locale = newlocale(LC_CTYPE_MASK, "", static_cast<locale_t>(nullptr));
  if (locale == static_cast<locale_t>(nullptr)) return false;
  const bool unicode = std::string_view(nl_langinfo_l(CODESET, locale)) == "UTF-8";
  freelocale(locale);
  return unicode;
}

struct HistoryArguments {
  std::string file;                    // empty: the default file
  std::vector<std::string> documents;  // for add
  std::optional<std::string> commit;   // for add; absent: read from the CI or git
  std::optional<std::string> branch;   // for add; filters entries in list and show
  std::string label;
  std::string against;  // filters entries in list: a NAME as in `compare --against`
  std::string cell;     // for show: a cell, or a pattern of cells; empty: all
  model::Metric metric = model::Metric::latency;
  std::int64_t last = 200;
  std::vector<std::int64_t> ids;  // for remove
  bool any_date = false;          // for add
  bool every_environment = false;
  bool ascii = false;
  sweep::ReportFormat format;
};

model::Metric metric_of(const std::string& text) {
  std::vector<std::string> names;
  for (const model::Metric metric : model::all_metrics()) {
    if (model::row_of(metric).kind != model::MetricKind::time) continue;
    if (name_of(metric) == text) return metric;
    names.push_back(name_of(metric));
  }
  throw InputError("--metric", in_quotes(text) + " is not a metric: give one of " + join(names) +
                                   did_you_mean(text, names));
}

struct Named {
  HistoryLabel label;
  std::string source;  // " (from ...)", or empty
};

Named name_of(const HistoryArguments& arguments) {
  Named named;
  named.label.label = arguments.label;
  std::optional<FoundLabel> found;
  if (!arguments.commit || !arguments.branch) {
    found = label_from_ci(process_environment());
    if (!found) found = label_from_git();
  }
  named.label.commit = arguments.commit.value_or(found ? found->commit : "");
  named.label.branch = arguments.branch.value_or(found ? found->branch : "");
  if (found) named.source = " (from " + found->source + ")";
  return named;
}

std::string words_of(const HistoryLabel& label) {
  std::string words;
  if (!label.branch.empty()) words += ", branch " + in_quotes(label.branch);
  if (!label.commit.empty()) words += ", commit " + in_quotes(label.commit);
  if (!label.label.empty()) words += ", label " + in_quotes(label.label);
  return words;
}

// What adding a document changed of an entry that was there.
std::string change_of(const Added& added, const std::string& label) {
  if (label.empty() || label == added.label_before) return "nothing changed";
  return "its label is " + in_quotes(label) + " now" +
         (added.label_before.empty() ? "" : ", and was " + in_quotes(added.label_before));
}

int add_to_history(const HistoryArguments& arguments, const std::string& file) {
  const Named named = name_of(arguments);
  // Reads all documents before it stores one, so that a bad document leaves the history unchanged.
  std::vector<NewEntry> entries;
  const DateRule rule{unix_seconds_now(), arguments.any_date};
  for (const std::string& path : arguments.documents) entries.push_back(read_entry(path, named.label, rule));
  if (arguments.file.empty()) make_folder_of(file);
  Store store(file, Store::Access::create);
  const std::vector<Added> added = store.add(entries);
  for (std::size_t i = 0; i < added.size(); ++i) {
    if (added[i].was_there) {
      std::printf("%s is already stored as entry %lld: %s\n", arguments.documents[i].c_str(),
                  static_cast<long long>(added[i].id), change_of(added[i], named.label.label).c_str());
      continue;
    }
    std::printf("%s is stored as entry %lld%s%s\n", arguments.documents[i].c_str(),
                static_cast<long long>(added[i].id), words_of(named.label).c_str(), named.source.c_str());
  }
  return model::exit_done;
}

int remove(const HistoryArguments& arguments, const std::string& file) {
  Store store(file, Store::Access::existing);
  for (const HistoryEntry& entry : store.remove(arguments.ids, "history remove"))
    std::printf("entry %lld of %s%s is removed\n", static_cast<long long>(entry.id),
                reporters::one_line(entry.started_at).c_str(), words_of(entry.label).c_str());
  return model::exit_done;
}

int list(const HistoryArguments& arguments, const std::string& file) {
  Store store(file, Store::Access::existing);
  const std::string branch = arguments.branch.value_or("");
  const auto entries =
      arguments.against.empty() ? store.list(branch) : entries_called(store, arguments.against);
  if (entries.empty() && !arguments.format.is_json()) {
    complain("%s has no entry%s", file.c_str(),
             branch.empty() ? "" : (" of branch " + in_quotes(branch)).c_str());
  } else {
    arguments.format.print(report_of(entries), [&] { return entries_to_json(entries); });
  }
  return model::exit_done;
}

CellHistory series_of(const HistoryArguments& arguments, Store& store, const std::string& cell) {
  SeriesOptions options;
  options.branch = arguments.branch.value_or("");
  options.every_environment = arguments.every_environment;
  options.last = arguments.last;
  return make_series(cell, arguments.metric, store.points(cell, arguments.metric), options);
}

[[noreturn]] void refuse_no_entry(const HistoryArguments& arguments, const std::string& of) {
  const std::string branch = arguments.branch.value_or("");
  throw InputError("history show", "no entry" + (branch.empty() ? "" : " of branch " + in_quotes(branch)) +
                                       " has the " + model::name_of(arguments.metric) + " of " + of);
}

// Lists the changed ones of `cells`.
int show_changes(const HistoryArguments& arguments, Store& store, const std::vector<std::string>& cells) {
  ChangedCells changed;
  changed.alpha = ChangePointOptions().alpha;
  for (const std::string& cell : cells) add_series(changed, series_of(arguments, store, cell));
  if (changed.searched + changed.too_short == 0)
    refuse_no_entry(arguments, arguments.cell.empty() ? "a cell" : in_quotes(arguments.cell));
  sort_changes(changed);
  arguments.format.print(report_of(changed), [&] { return changes_to_json(changed); });
  return model::exit_done;
}

int show(const HistoryArguments& arguments, const std::string& file) {
  Store store(file, Store::Access::existing);
  std::vector<std::string> cells = store.cells();
  if (!contains(cells, arguments.cell)) {
    const bool is_pattern = arguments.cell.find_first_of("*?[") != std::string::npos;
    if (!arguments.cell.empty() && !is_pattern)
      throw InputError("history show", in_quotes(arguments.cell) + " is not a cell of " + file +
                                           did_you_mean(arguments.cell, cells));
    // Without FNM_PATHNAME, "mlp/*" matches all cells of mlp.
    if (is_pattern)
      std::erase_if(cells, [&](const std::string& cell) {
        return fnmatch(arguments.cell.c_str(), cell.c_str(), 0) != 0;
      });
    if (cells.empty() && is_pattern)
      throw InputError("history show", in_quotes(arguments.cell) + " matches no cell of " + file +
                                           ": history show without a cell lists those with a change");
    return show_changes(arguments, store, cells);
  }
  const CellHistory series = series_of(arguments, store, arguments.cell);
  if (series.points.empty()) refuse_no_entry(arguments, in_quotes(arguments.cell));
  if (!arguments.format.is_table()) {
    arguments.format.print(report_of(series), [&] { return series_to_json(series); });
    return model::exit_done;
  }
  PlotOptions plot;
  plot.width = options::width_of(STDOUT_FILENO, plot.width);
  plot.unicode = !arguments.ascii && terminal_is_unicode();
  plot.colours = options::wants_colours(STDOUT_FILENO);
  print_history(std::cout, series, plot);
  std::cout << std::flush;
  return model::exit_done;
}

class HistoryCommand final : public options::Command {
 public:
  explicit HistoryCommand(options::Options& options)
      : add_(options.command("add", "add result documents", "history add FILE... [options]")),
        list_(options.command("list", "list the entries, oldest first", "history list [options]")),
        remove_(options.command("remove", "remove entries", "history remove ID... [options]")),
        show_(options.command("show", "list the cells that changed, or plot one and say where it changed",
                              "history show [CELL] [options]")) {
    for (options::Options* each : {&add_, &list_, &remove_, &show_}) {
      each->text("--history", asked_.file, "FILE",
                 "the history file (default: GRAPHBENCH_HISTORY, else under ~/.local)");
    }
    add_.words("FILE", asked_.documents, "result documents; either all of them are added or none");
    add_.text("--commit", commit_, "ID", "the measured commit (default: from CI or git)",
              options::Options::Empty::allowed);
    add_.text("--branch", branch_, "NAME", "the measured branch (default: from CI or git)",
              options::Options::Empty::allowed);
    add_.text("--label", asked_.label, "TEXT", "a name of your choice for --against",
              options::Options::Empty::allowed);
    add_.flag("--allow-date", asked_.any_date,
              "add documents that start later than tomorrow, or finish before they start");
    add_branch(list_);
    list_.text("--against", asked_.against, "NAME",
               "list only the entries from which compare --against NAME chooses; a NAME without entries is "
               "refused");
    asked_.format.add_to(list_);
    remove_.words("ID", ids_, "numbers of entries, as list shows them; either all are removed or none");
    show_.word("CELL", asked_.cell,
               "the id of a cell to plot: mlp/base/bf16/forward/b8/w3/whole; or a pattern of cells, such as "
               "\"mlp/*/whole\", of which those with a change are listed (default: all cells)");
    show_.text("--metric", metric_, "METRIC", "latency, submit, device or capture (default: latency)");
    add_branch(show_);
    show_.text("--last", last_, "N", "maximum number of entries (default: 200)");
    show_.flag("--every-environment", asked_.every_environment,
               "include entries of other machines, drivers, libraries and plans");
    show_.flag("--ascii", asked_.ascii, "plot without Unicode");
    asked_.format.add_to(show_);
  }

  void check() override {
    for (const options::Options* each : {&add_, &list_, &show_}) {
      if (each->given("--branch")) asked_.branch = branch_;
    }
    if (add_.parsed()) return check_add();
    if (remove_.parsed()) return check_remove();
    asked_.format.check();
    if (list_.parsed()) return check_list();
    if (!show_.parsed())
      throw InputError("history", "the command needs an action: give add, list, remove or show");
    check_show();
  }

  int run(const options::Invocation&) override {
    const std::string file = asked_.file.empty() ? default_file(process_environment()) : asked_.file;
    if (add_.parsed()) return add_to_history(asked_, file);
    if (remove_.parsed()) return remove(asked_, file);
    return list_.parsed() ? list(asked_, file) : show(asked_, file);
  }

 private:
  void add_branch(options::Options& options) {
    options.text("--branch", branch_, "NAME", "use only entries of this branch",
                 options::Options::Empty::allowed);
  }

  void check_add() {
    if (add_.given("--commit")) asked_.commit = commit_;
    if (asked_.documents.empty())
      throw InputError("history add", "the command needs a result document: give a file that --json wrote");
  }

  void check_remove() {
    if (ids_.empty())
      throw InputError("history remove",
                       "the command needs an entry: give its number, as history list shows it");
    constexpr std::int64_t id_max = std::numeric_limits<std::int64_t>::max();
    for (const std::string& id : ids_)
      asked_.ids.push_back(
          options::parse_within("history remove", id, {1, id_max}, " is not an entry: give "));
  }

  void check_list() {
    if (asked_.branch && !asked_.against.empty())
      throw InputError("--against", "the option cannot be combined with --branch: give one of the two");
  }

  void check_show() {
    asked_.metric = metric_of(metric_);
    asked_.last = options::parse_within("--last", last_, {1, 500}, " is not a number of entries: give ");
  }

  HistoryArguments asked_;
  std::vector<std::string> ids_;
  std::string commit_;
  std::string branch_;
  std::string metric_ = "latency";
  std::string last_ = "200";
  options::Options& add_;
  options::Options& list_;
  options::Options& remove_;
  options::Options& show_;
};

}  // namespace

std::unique_ptr<options::Command> make_history(options::Options& options) {
  return std::make_unique<HistoryCommand>(options);
}

}  // namespace graphbench::judge
