// False alarms first: they decide whether the rest is worth reading.
#include <fmt/format.h>

#include <string>
#include <vector>

#include "reporters/console/format.hpp"
#include "reporters/console/tables.hpp"

namespace graphbench::reporters {
namespace {

constexpr int columns[] = {8, 6, 8, 8, 8, 8, 10, 10, 9, 9};

std::string launches(const std::optional<std::int64_t>& value, bool measured) {
  if (!measured) return "-";
  return value ? fmt::format("{}", *value) : "> 1000";
}

std::string row(const std::vector<std::string>& cells) {
  std::string line = left(cells.front(), columns[0]);
  for (std::size_t i = 1; i < cells.size(); ++i) {
    line.push_back(' ');
    line.append(right(cells[i], columns[i]));
  }
  return line;
}

void print_alarms(std::ostream& out, const model::SelfCheck& check, bool colours) {
  const model::AlarmCount& measured = check.measured;
  const bool alarmed = measured.slower + measured.faster > 0;
  out << paint(fmt::format("{} of {} comparisons said slower, {} said faster", measured.slower,
                           measured.comparisons, measured.faster),
               alarmed ? Colour::red : Colour::green, colours)
      << fmt::format(" (at most {:.2g} % would say slower, with 95 % confidence)\n",
                     check.slower_rate_max * 100);
  if (check.renamed.comparisons == 0) return;
  out << fmt::format(
      "{} of {} said slower, {} said faster, of the same launches with sides exchanged in some pairs\n",
      check.renamed.slower, check.renamed.comparisons, check.renamed.faster);
}

void print_metrics(std::ostream& out, const model::SelfCheck& check, bool colours) {
  out << fmt::format("{:>33}{:>18}{:>22}{:>21}\n", "", "spread of a pair", "smallest change found",
                     "launches needed");
  out << paint(row({"metric", "cells", "same", "unclear", "median", "worst", "median", "worst", "median",
                    "worst"}),
               Colour::bold, colours)
      << '\n';
  for (const model::MetricCheck& metric : check.metrics) {
    const bool measured = metric.spread_median.has_value();
    out << row({name_of(metric.metric), fmt::format("{}", metric.cells), fmt::format("{}", metric.same),
                fmt::format("{}", metric.inconclusive), percent_text(metric.spread_median),
                percent_text(metric.spread_worst), percent_text(metric.detectable_median),
                percent_text(metric.detectable_worst), launches(metric.launches_median, measured),
                launches(metric.launches_worst, measured)})
        << '\n';
  }
}

void print_worst(std::ostream& out, const model::SelfCheck& check) {
  for (const model::MetricCheck& metric : check.metrics) {
    if (metric.worst_cell.empty()) continue;
    out << fmt::format("worst {}: {}\n", name_of(metric.metric), one_line(metric.worst_cell));
  }
}

}  // namespace

void print_self_check(std::ostream& out, const model::SelfCheck& check, bool colours) {
  out << paint(fmt::format("selfcheck: {} cells on {}, {} rounds of {} launches a side", check.cells,
                           one_line(check.device_name), check.rounds, check.launches),
               Colour::bold, colours)
      << "\n\n";
  print_alarms(out, check, colours);
  out << '\n';
  print_metrics(out, check, colours);
  out << '\n';
  print_worst(out, check);
  if (check.metrics.empty()) return;
  out << "launches needed: with so many a side, a change of twice the margin (";
  std::string margins;
  for (const model::MetricCheck& metric : check.metrics) {
    margins += fmt::format("{}{} {:.3g} %", margins.empty() ? "" : ", ", name_of(metric.metric),
                           metric.margin * 100);
  }
  out << margins << ", or the floor where that is more) is found in 4 of 5 comparisons\n";
  if (check.cells_failed > 0)
    out << fmt::format("cells that failed and are not in these figures: {}\n", check.cells_failed);
}

}  // namespace graphbench::reporters
