// Chooses results for the few annotations that GitHub shows, and escapes text for the runner's parser.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include "harness/judge/report/formats.hpp"
#include "harness/judge/report/words.hpp"

namespace graphbench::reporters {
namespace {

using model::Comparison;
using model::Verdict;

constexpr std::size_t message_length_max = 1000;

struct Annotation {
  std::string title;
  std::string message;
};

// Escapes what the runner interprets: "%", and in a property ":" and ",". printable() removes line breaks.
std::string escaped(std::string_view text, bool property) {
  std::string line;
  for (const char c : printable(text, message_length_max)) {
    if (c == '%') {
      line += "%25";
    } else if (property && c == ':') {
      line += "%3A";
    } else if (property && c == ',') {
      line += "%2C";
    } else {
      line += c;
    }
  }
  return line;
}

std::string command(std::string_view kind, const Annotation& annotation) {
  return fmt::format("::{} title={}::{}\n", kind, escaped(annotation.title, true),
                     escaped(annotation.message, false));
}

void add_rows(std::vector<Annotation>& to, const Comparison& comparison, Verdict verdict) {
  for (const Finding& row : findings(comparison, verdict)) {
    std::string message = printable(row.cell->id, name_length_max) + ": " + metric_text(*row.metric);
    if (!row.metric->why.empty()) message += ": " + row.metric->why;
    to.push_back({"graphbench: " + name_of(verdict), std::move(message)});
  }
}

Annotation less_steady(const model::MeanComparison& mean) {
  return {std::string("graphbench: ") + model::less_steady_word, less_steady_text(mean)};
}

std::vector<Annotation> errors_of(const Comparison& comparison) {
  std::vector<Annotation> errors;
  if (!comparison.comparable) {
    for (const model::Difference& difference : comparison.differences) {
      if (difference.blocking && !difference.allowed) {
        errors.push_back({"graphbench: not comparable", difference_text(difference)});
      }
    }
  }
  for (const model::CellComparison& cell : comparison.cells) {
    if (!cell.regression) continue;
    errors.push_back({cell.lost.empty() ? "graphbench: cell lost" : "graphbench: metric lost",
                      printable(cell.id, name_length_max) + ": " + coverage_text(cell)});
  }
  for (const model::MeanComparison& mean : comparison.means) {
    if (mean.metric.verdict == Verdict::slower) errors.push_back({"graphbench: slower", mean_text(mean)});
  }
  add_rows(errors, comparison, Verdict::slower);
  if (!comparison.settings.strict) return errors;
  for (const model::CellComparison& cell : comparison.cells) {
    if (cell.changed.empty()) continue;
    errors.push_back(
        {"graphbench: changed", printable(cell.id, name_length_max) + ": " + changes_text(cell)});
  }
  for (const model::MeanComparison& mean : comparison.means) {
    if (mean.less_steady) errors.push_back(less_steady(mean));
  }
  add_rows(errors, comparison, Verdict::inconclusive);
  return errors;
}

std::vector<Annotation> warnings_of(const Comparison& comparison) {
  std::vector<Annotation> warnings;
  for (const model::ComparisonSide* side : {&comparison.base, &comparison.now}) {
    if (!side->complete)
      warnings.push_back({"graphbench: interrupted sweep", side->source + " is not complete"});
  }
  for (const std::string& odd : odd_launch_texts(comparison))
    warnings.push_back({"graphbench: launch far from the others", odd});
  for (const model::MeanComparison& mean : comparison.means) {
    if (mean.less_steady && !comparison.settings.strict) warnings.push_back(less_steady(mean));
  }
  for (const model::Difference& difference : comparison.differences) {
    if ((difference.blocking && !difference.allowed) || is_choice(difference)) continue;
    warnings.push_back({"graphbench: environments differ", difference_text(difference)});
  }
  if (const std::string choices = choices_text(comparison); !choices.empty())
    warnings.push_back({"graphbench: environments differ", choices});
  return warnings;
}

std::size_t write(std::ostream& out, std::string_view kind, const std::vector<Annotation>& annotations) {
  const std::size_t shown = std::min(annotations.size(), annotations_max);
  for (std::size_t i = 0; i < shown; ++i) out << command(kind, annotations[i]);
  return annotations.size() - shown;
}

// Text for the notice. Inconclusive metrics are not warnings, because in a run with few launches they would
// fill all annotations_max warnings.
std::string inconclusive_text(const Comparison& comparison) {
  const model::ComparisonCounts& counts = comparison.counts;
  if (comparison.settings.strict || counts.inconclusive == 0 || comparison.verdict == Verdict::inconclusive)
    return "";
  const std::int64_t metrics = counts.same + counts.faster + counts.slower + counts.inconclusive;
  return fmt::format("; {} of {} metrics inconclusive", counts.inconclusive, metrics);
}

}  // namespace

void print_comparison_github(std::ostream& out, const Comparison& comparison, const FormatOptions&) {
  const std::size_t errors_left = write(out, "error", errors_of(comparison));
  const std::size_t warnings_left = write(out, "warning", warnings_of(comparison));
  Annotation summary;
  summary.title = "graphbench: " + (comparison.comparable ? name_of(comparison.verdict) : "not comparable");
  summary.message = printable(comparison.headline) + inconclusive_text(comparison);
  const std::string detectable = detectable_text(comparison);
  if (!detectable.empty()) summary.message += "; these launches " + detectable;
  if (const std::string found = means_found_text(comparison); !found.empty()) summary.message += "; " + found;
  if (errors_left > 0) summary.message += fmt::format("; {} more errors are not shown", errors_left);
  if (warnings_left > 0) summary.message += fmt::format("; {} more warnings are not shown", warnings_left);
  out << command("notice", summary);
}

}  // namespace graphbench::reporters
