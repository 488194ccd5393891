// Prints the worst results first: lost cells, then slower, faster and inconclusive metrics. Cuts long lists.
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "graphs/base/text.hpp"
#include "harness/judge/report/formats.hpp"
#include "harness/judge/report/words.hpp"
#include "reporters/format.hpp"

namespace graphbench::reporters {
namespace {

using model::Comparison;
using model::Coverage;
using model::MetricComparison;
using model::Verdict;

constexpr std::size_t slower_rows_max = 40;
constexpr std::size_t other_rows_max = 12;
constexpr int metric_width = 9;
constexpr int time_width = 8;
constexpr int ratio_width = 9;
constexpr int interval_width = 18;
constexpr int q_width = 9;
constexpr int finds_width = 8;
constexpr int warmups_width = 9;
constexpr int cells_width = 6;

Colour colour_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::slower:
      return Colour::red;
    case Verdict::faster:
      return Colour::green;
    case Verdict::inconclusive:
      return Colour::yellow;
    case Verdict::same:
      break;
  }
  return Colour::dim;
}

class Table {
 public:
  Table(std::ostream& out, const Comparison& comparison, bool colours)
      : out_(out), comparison_(comparison), colours_(colours) {}

  void print() {
    print_headline();
    print_sides();
    if (comparison_.comparable) {
      print_coverage();
      print_verdict(Verdict::slower, slower_rows_max);
      print_verdict(Verdict::faster, other_rows_max);
      print_verdict(Verdict::inconclusive, other_rows_max);
      print_same();
      print_means();
      print_said("changed", &changes_text);
      print_said("throttled differently", &throttle_text);
    }
    print_end();
  }

 private:
  void print_headline() {
    const bool passes = passed(comparison_);
    const Colour colour = !passes ? Colour::red : colour_of(comparison_.verdict);
    out_ << paint(printable(comparison_.headline), colour == Colour::dim ? Colour::bold : colour, colours_)
         << "\n\n";
  }

  void print_sides() {
    if (const std::string incomplete = incomplete_text(comparison_); !incomplete.empty())
      out_ << paint(incomplete + ": the cells that the interrupted sweep did not measure are missing",
                    Colour::yellow, colours_)
           << '\n';
    out_ << "BASE  " << side_text(comparison_.base) << "\nNEW   " << side_text(comparison_.now) << '\n';
    for (const model::Difference& difference : comparison_.differences) {
      if (is_choice(difference)) continue;
      const bool in_the_way = difference.blocking && !difference.allowed;
      const std::string text = "differs: " + difference_text(difference);
      out_ << "  " << (in_the_way ? paint(text, Colour::red, colours_) : text) << '\n';
    }
    if (const std::string choices = choices_text(comparison_); !choices.empty())
      out_ << "  " << choices << '\n';
    out_ << '\n';
  }

  void print_coverage() {
    std::vector<const model::CellComparison*> lost;
    std::vector<const model::CellComparison*> lacking;
    std::vector<const model::CellComparison*> others;
    std::vector<const model::CellComparison*> gained;
    for (const model::CellComparison& cell : comparison_.cells) {
      if (!has_gaps(cell)) continue;
      if (cell.coverage == Coverage::compared) {
        (cell.regression ? lacking : gained).push_back(&cell);
      } else {
        (cell.regression ? lost : others).push_back(&cell);
      }
    }
    print_cells("lost", lost, slower_rows_max, Colour::red);
    print_cells("metrics lost", lacking, slower_rows_max, Colour::red);
    print_cells("new metrics", gained, other_rows_max, Colour::bold);
    print_cells("not compared", others, other_rows_max, Colour::bold);
  }

  void print_cells(const char* title, const std::vector<const model::CellComparison*>& cells,
                   std::size_t rows_max, Colour colour,
                   std::string (*text)(const model::CellComparison&) = &coverage_text) {
    if (cells.empty()) return;
    out_ << paint(fmt::format("{}: {} cell{}", title, cells.size(), cells.size() == 1 ? "" : "s"), colour,
                  colours_)
         << '\n';
    for (std::size_t i = 0; i < std::min(cells.size(), rows_max); ++i) {
      out_ << "  " << printable(cells[i]->id, name_length_max) << "  " << text(*cells[i]) << '\n';
    }
    print_rest(cells.size(), rows_max);
    out_ << '\n';
  }

  // Prints the cells for which `text` returns a text. These texts report facts that no test judges.
  void print_said(const char* title, std::string (*text)(const model::CellComparison&)) {
    std::vector<const model::CellComparison*> cells;
    for (const model::CellComparison& cell : comparison_.cells) {
      if (!text(cell).empty()) cells.push_back(&cell);
    }
    print_cells(title, cells, other_rows_max, Colour::bold, text);
  }

  void print_rest(std::size_t count, std::size_t rows_max) {
    if (count <= rows_max) return;
    out_ << "  "
         << paint(fmt::format("and {} more; --format json shows all", count - rows_max), Colour::dim,
                  colours_)
         << '\n';
  }

  void print_verdict(Verdict verdict, std::size_t rows_max) {
    const std::vector<Finding> all = findings(comparison_, verdict);
    if (all.empty()) return;
    const std::vector<Finding> found = folded(comparison_, all);
    out_ << paint(name_of(verdict) + ": " + count_text(all.size(), found), colour_of(verdict), colours_)
         << '\n';
    const std::size_t rows = std::min(found.size(), rows_max);
    int id_width = 4;
    bool families = false;
    for (std::size_t i = 0; i < rows; ++i) {
      id_width = std::max(id_width, static_cast<int>(std::min<std::size_t>(found[i].cell->id.size(), 56)));
      families = families || found[i].members > 1;
    }
    print_head(id_width, families);
    for (std::size_t i = 0; i < rows; ++i) print_row(found[i], id_width, families);
    print_whys(found, rows);
    print_rest(found.size(), rows_max);
    out_ << '\n';
  }

  // Each row shows the worst member of a family. The column "warmups" counts the members with this verdict.
  void print_head(int id_width, bool families) {
    out_ << paint("  " + left("cell", id_width + 2) + left("metric", metric_width) +
                      right("BASE", time_width) + right("NEW", time_width) + right("ratio", ratio_width) +
                      right("95 % interval", interval_width) + right("q", q_width) +
                      right("finds", finds_width) + (families ? right("warmups", warmups_width) : ""),
                  Colour::dim, colours_)
         << '\n';
  }

  void print_row(const Finding& finding, int id_width, bool families) {
    const MetricComparison& metric = *finding.metric;
    out_ << "  " << left(printable(finding.cell->id, name_length_max), id_width) << "  "
         << left(name_of(metric.metric), metric_width)
         << right(format_seconds(metric.base_seconds), time_width)
         << right(format_seconds(metric.new_seconds), time_width)
         << paint(right(ratio_text(metric.ratio), ratio_width), colour_of(metric.verdict), colours_)
         << right(interval_text(metric), interval_width) << right(q_text(metric.q), q_width)
         << right(finds_text(metric), finds_width)
         << (families ? right(fmt::format("{} of {}", finding.alike, finding.members), warmups_width) : "")
         << '\n';
    if (metric.metric != model::Metric::setup || metric.verdict == Verdict::inconclusive) return;
    out_ << "    " << paint("listed: " + join(listed_texts(*finding.cell), "; "), Colour::dim, colours_)
         << '\n';
  }

  // Prints the reason once if all rows have the same reason, as with one launch per side. Prints nothing if
  // the reasons differ.
  void print_whys(const std::vector<Finding>& found, std::size_t rows) {
    std::vector<std::string> whys;
    for (std::size_t i = 0; i < rows; ++i) {
      const std::string& why = found[i].metric->why;
      if (!why.empty() && !contains(whys, why)) whys.push_back(why);
    }
    if (whys.size() != 1) return;
    out_ << "  " << paint(whys.front(), Colour::dim, colours_) << '\n';
  }

  void print_same() {
    const model::ComparisonCounts& counts = comparison_.counts;
    if (counts.same == 0) return;
    out_ << paint(
                fmt::format("same: {} metric{} within the margin", counts.same, counts.same == 1 ? "" : "s"),
                Colour::dim, colours_)
         << "\n\n";
  }

  // Prints every mean, because each row also gives the smallest change that its test would find.
  void print_means() {
    if (comparison_.means.empty()) return;
    std::size_t mode_width = 4;
    for (const model::MeanComparison& mean : comparison_.means)
      mode_width = std::max(mode_width, mean.mode.size());
    const int width = static_cast<int>(mode_width) + 2;
    out_ << paint("means over the cells of a mode", Colour::bold, colours_) << '\n';
    out_ << paint("  " + left("mode", width) + left("metric", metric_width) + right("cells", cells_width) +
                      right("BASE", time_width) + right("NEW", time_width) + right("ratio", ratio_width) +
                      right("95 % interval", interval_width) + right("q", q_width) +
                      right("finds", finds_width) + "  verdict",
                  Colour::dim, colours_)
         << '\n';
    for (const model::MeanComparison& mean : comparison_.means) {
      const MetricComparison& metric = mean.metric;
      out_ << "  " << left(printable(mean.mode, name_length_max), width)
           << left(name_of(metric.metric), metric_width) << right(std::to_string(mean.cells), cells_width)
           << right(format_seconds(metric.base_seconds), time_width)
           << right(format_seconds(metric.new_seconds), time_width)
           << right(ratio_text(metric.ratio), ratio_width) << right(interval_text(metric), interval_width)
           << right(q_text(metric.q), q_width) << right(finds_text(metric), finds_width) << "  "
           << paint(verdict_text(mean), colour_of(metric.verdict), colours_) << '\n';
    }
    for (const model::MeanComparison& mean : comparison_.means) {
      if (mean.less_steady)
        print_notice(std::string(model::less_steady_word) + ": " + less_steady_text(mean));
    }
    for (const std::string& odd : odd_launch_texts(comparison_)) print_notice("odd: " + odd);
    out_ << '\n';
  }

  void print_notice(const std::string& text) {
    out_ << "  " << paint(printable(text), Colour::yellow, colours_) << '\n';
  }

  void print_end() {
    if (comparison_.comparable) {
      out_ << settings_text(comparison_.settings) << '\n';
      const std::string detectable = detectable_text(comparison_);
      if (!detectable.empty()) out_ << "these launches " << detectable << '\n';
    }
    for (const std::string& line : advice(comparison_)) out_ << line << '\n';
    const std::string power = power_text(comparison_);
    if (!power.empty()) out_ << power << '\n';
  }

  std::ostream& out_;
  const Comparison& comparison_;
  bool colours_;
};

}  // namespace

void print_comparison_table(std::ostream& out, const Comparison& comparison, const FormatOptions& options) {
  Table(out, comparison, options.colours).print();
}

}  // namespace graphbench::reporters
