// graphbench history: results kept over time.
#include <langinfo.h>
#include <unistd.h>

#include <clocale>
#include <cstdio>
#include <iostream>
#include <string_view>

#include "harness/cli/commands.hpp"
#include "harness/cli/history_arguments.hpp"
#include "harness/cli/streams.hpp"
#include "harness/config/suggest.hpp"
#include "harness/history/baseline.hpp"
#include "harness/history/labels.hpp"
#include "harness/history/location.hpp"
#include "harness/history/read_entry.hpp"
#include "harness/history/series.hpp"
#include "harness/history/store.hpp"
#include "harness/model/input_error.hpp"
#include "reporters/console/history_list.hpp"
#include "reporters/console/history_plot.hpp"
#include "harness/codec/documents.hpp"

namespace graphbench::cli {
namespace {

using history::Store;

// Asked of the environment, without setting this process's locale: numbers are written in C's.
bool terminal_is_unicode() {
  const locale_t locale = newlocale(LC_CTYPE_MASK, "", static_cast<locale_t>(nullptr));
  if (locale == static_cast<locale_t>(nullptr)) return false;
  const bool unicode = std::string_view(nl_langinfo_l(CODESET, locale)) == "UTF-8";
  freelocale(locale);
  return unicode;
}

struct Named {
  model::HistoryLabel label;
  std::string source;  // " (from ...)", or empty
};

// What the person says wins, word by word.
Named name_of(const HistoryArguments& arguments) {
  Named named;
  named.label.label = arguments.label;
  std::optional<history::FoundLabel> found;
  if (!arguments.commit || !arguments.branch) {
    found = history::label_from_ci(history::process_environment());
    if (!found) found = history::label_from_git();
  }
  named.label.commit = arguments.commit.value_or(found ? found->commit : "");
  named.label.branch = arguments.branch.value_or(found ? found->branch : "");
  if (found) named.source = " (from " + found->source + ")";
  return named;
}

std::string words_of(const model::HistoryLabel& label) {
  std::string words;
  if (!label.branch.empty()) words += ", branch " + in_quotes(label.branch);
  if (!label.commit.empty()) words += ", commit " + in_quotes(label.commit);
  if (!label.label.empty()) words += ", label " + in_quotes(label.label);
  return words;
}

int add(const HistoryArguments& arguments, const std::string& file) {
  const Named named = name_of(arguments);
  // All are read before the first is kept.
  std::vector<history::NewEntry> entries;
  for (const std::string& path : arguments.documents)
    entries.push_back(history::read_entry(path, named.label));
  if (arguments.file.empty()) history::make_folder_of(file);
  Store store(file, Store::Access::create);
  const std::vector<history::Added> added = store.add(entries);
  for (std::size_t i = 0; i < added.size(); ++i) {
    if (added[i].was_there) {
      std::printf("%s is entry %lld already: nothing changed\n", arguments.documents[i].c_str(),
                  static_cast<long long>(added[i].id));
      continue;
    }
    std::printf("%s is entry %lld%s%s\n", arguments.documents[i].c_str(), static_cast<long long>(added[i].id),
                words_of(named.label).c_str(), named.source.c_str());
  }
  return exit_done;
}

int list(const HistoryArguments& arguments, const std::string& file) {
  Store store(file, Store::Access::existing);
  const auto entries = arguments.against.empty() ? store.list({arguments.branch.value_or(""), "", ""})
                                                 : history::entries_called(store, arguments.against);
  if (arguments.json) {
    std::cout << codec::to_json(entries);
  } else if (entries.empty()) {
    std::fprintf(stderr, "graphbench: %s holds no such entry\n", file.c_str());
  } else {
    reporters::print_entries(std::cout, entries, wants_colours(STDOUT_FILENO));
  }
  std::cout << std::flush;
  return exit_done;
}

int show(const HistoryArguments& arguments, const std::string& file) {
  Store store(file, Store::Access::existing);
  if (!store.knows_cell(arguments.cell)) {
    throw InputError("history show", in_quotes(arguments.cell) + " is no cell of " + file +
                                         config::did_you_mean(arguments.cell, store.cells()));
  }
  history::SeriesOptions options;
  options.branch = arguments.branch.value_or("");
  options.every_environment = arguments.every_environment;
  options.last = arguments.last;
  const model::CellHistory series = history::make_series(
      arguments.cell, arguments.metric, store.points(arguments.cell, arguments.metric), options);
  if (series.points.empty()) {
    throw InputError("history show",
                     "no entry" + (options.branch.empty() ? "" : " of branch " + in_quotes(options.branch)) +
                         " has the " + model::name_of(arguments.metric) + " of " + in_quotes(arguments.cell));
  }
  if (arguments.json) {
    std::cout << codec::to_json(series) << std::flush;
    return exit_done;
  }
  reporters::PlotOptions plot;
  plot.width = width_of(STDOUT_FILENO, plot.width);
  plot.unicode = !arguments.ascii && terminal_is_unicode();
  plot.colours = wants_colours(STDOUT_FILENO);
  reporters::print_history(std::cout, series, plot);
  std::cout << std::flush;
  return exit_done;
}

}  // namespace

int history_command(const HistoryArguments& arguments) {
  const std::string file =
      arguments.file.empty() ? history::default_file(history::process_environment()) : arguments.file;
  switch (arguments.action) {
    case HistoryAction::add:
      return add(arguments, file);
    case HistoryAction::list:
      return list(arguments, file);
    case HistoryAction::show:
      break;
  }
  return show(arguments, file);
}

}  // namespace graphbench::cli
