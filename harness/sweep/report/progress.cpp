// Describes a plan and an earlier result in words, and draws progress lines.
#include "harness/sweep/report/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <iostream>
#include <string>

#include "graphs/base/text.hpp"
#include "harness/model/findings/groups.hpp"
#include "harness/options/output.hpp"
#include "reporters/format.hpp"

namespace graphbench::sweep {
namespace {

constexpr double redraw_seconds = 0.1;
constexpr double line_seconds = 1.0;

std::string counts_of(const model::Progress& progress) {
  const std::string total = fmt::format("{}", progress.cells_total);
  const std::int64_t percent =
      progress.cells_total > 0 ? 100 * progress.cells_done / progress.cells_total : 0;
  return fmt::format("[{:>{}}/{}] {:>3}%", progress.cells_done, total.size(), total, percent);
}

std::string times_of(const model::Progress& progress) {
  std::string times = reporters::format_duration(progress.elapsed_seconds);
  if (progress.eta_seconds) times += ", " + reporters::format_duration(*progress.eta_seconds) + " left";
  return times;
}

std::string failures_of(const model::Progress& progress) {
  return progress.failures > 0 ? fmt::format(", {} failed", progress.failures) : std::string();
}

std::string activity_of(const model::Progress& progress) {
  std::string activity = reporters::one_line(progress.worker);
  if (progress.batch > 0) activity += fmt::format(" b{}", progress.batch);
  if (!progress.phase.empty()) activity += " " + reporters::one_line(progress.phase);
  return activity;
}

}  // namespace

// Writes one unit, because more digits would suggest that the estimate is exact.
std::string about(double seconds) {
  if (seconds < 90) return model::plural(std::lround(std::max(1.0, seconds)), "second");
  if (seconds < 90 * 60) return model::plural(std::lround(seconds / 60), "minute");
  return model::plural(std::lround(seconds / 3600), "hour");
}

std::string plan_in_words(std::int64_t cells, std::int64_t processes) {
  return model::plural(cells, "cell") + ", " + model::plural(processes, "process");
}

std::string result_in_words(const model::Result& head, std::int64_t cells) {
  return "the result of " + reporters::one_line(head.started_at) + " (" + model::plural(cells, "cell") +
         " of " + reporters::one_line(join(head.plan.axes.workload)) + " on " +
         reporters::one_line(head.environment.device.name) + (head.complete ? "" : ", interrupted") + ")";
}

ProgressPrinter::ProgressPrinter(std::ostream& out, bool terminal, bool colours, int width)
    : out_(out), terminal_(terminal), colours_(colours), width_(width) {}

ProgressPrinter::ProgressPrinter(bool quiet)
    : ProgressPrinter(std::cerr, options::is_terminal(STDERR_FILENO), options::wants_colours(STDERR_FILENO),
                      options::width_of(STDERR_FILENO, 100)) {
  quiet_ = quiet;
}

void ProgressPrinter::update(const model::Progress& progress) {
  if (quiet_) return;
  const bool moved = progress.tasks_done != tasks_shown_;
  last_ = progress;
  if (terminal_) {
    pending_ = true;
    if (progress.elapsed_seconds - shown_at_seconds_ >= redraw_seconds) draw(progress);
    return;
  }
  pending_ = moved;
  if (moved && progress.elapsed_seconds - shown_at_seconds_ >= line_seconds) print_line(progress);
}

void ProgressPrinter::finish() {
  if (terminal_) {
    if (pending_) draw(last_);
    if (drawn_) out_ << '\n' << std::flush;
  } else if (pending_) {
    print_line(last_);
  }
  drawn_ = false;
  pending_ = false;
  shown_at_seconds_ = -1e9;
  tasks_shown_ = 0;
}

void ProgressPrinter::draw(const model::Progress& progress) {
  const std::string counts = counts_of(progress);
  const std::string times = times_of(progress);
  const std::string failures = failures_of(progress);
  // On a narrow terminal, shortens the worker's name and phase: counts and remaining time matter more.
  const auto taken = static_cast<int>(counts.size() + times.size() + failures.size()) + 4;
  const std::string activity = reporters::left(activity_of(progress), width_ - taken);
  out_ << "\r\033[K" << reporters::paint(counts, reporters::Colour::bold, colours_) << "  "
       << reporters::paint(activity, reporters::Colour::dim, colours_) << "  " << times
       << reporters::paint(failures, reporters::Colour::red, colours_) << std::flush;
  drawn_ = true;
  pending_ = false;
  shown_at_seconds_ = progress.elapsed_seconds;
}

void ProgressPrinter::print_line(const model::Progress& progress) {
  out_ << counts_of(progress) << "  "
       << fmt::format("worker {}/{}", progress.tasks_done, progress.tasks_total) << "  "
       << reporters::one_line(progress.worker) << "  " << times_of(progress)
       << reporters::paint(failures_of(progress), reporters::Colour::red, colours_) << std::endl;
  pending_ = false;
  shown_at_seconds_ = progress.elapsed_seconds;
  tasks_shown_ = progress.tasks_done;
}

}  // namespace graphbench::sweep
