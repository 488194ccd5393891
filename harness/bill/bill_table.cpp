// Prints each bill as a sentence, a table of accounts and a table of sizes, and writes its metrics.
#include "harness/bill/bill_table.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "harness/bill/predict.hpp"
#include "harness/sweep/report/series.hpp"
#include "reporters/format.hpp"

namespace graphbench::reporters {
namespace {

using bill::Bill;
using bill::Capture;

using Parts = std::vector<std::pair<const char*, double>>;

Parts bytes_of(const bill::Growth& of) {
  return {{"pool", of.pool_bytes},
          {"workspace", of.workspace_bytes},
          {"code", of.code_bytes},
          {"graphs", of.exec_bytes}};
}

Parts seconds_of(const model::Setup& of) {
  return {{"prepare", of.prepare_seconds.value_or(0)},
          {"warmup", of.warmup_seconds},
          {"capture", of.capture_seconds},
          {"instantiate", of.instantiate_seconds},
          {"upload", of.upload_seconds},
          {"first_step", of.first_step_seconds}};
}

std::string bytes_text(double bytes) {
  return bytes < 0 ? "-" + format_bytes(std::llround(-bytes)) : format_bytes(std::llround(bytes));
}

void print_causes(std::ostream& out, const Bill& bill) {
  const bill::Prediction& told = *bill.prediction;
  const auto print = [&](const char* title, const Parts& predicted, const Parts& measured, auto text) {
    out << fmt::format("  {:<12}{:>12}{:>12}\n", title, "predicted", bill.measured ? "measured" : "");
    for (std::size_t i = 0; i < predicted.size(); ++i)
      out << fmt::format("    {:<10}", predicted[i].first) << right(text(predicted[i].second), 12)
          << (bill.measured ? right(text(measured[i].second), 12) : "") << '\n';
  };
  const bill::Measured measured = bill.measured.value_or(bill::Measured{});
  print("memory", bytes_of(told.growth), bytes_of(measured.growth), bytes_text);
  print("time", seconds_of(told.setup), seconds_of(measured.setup), format_seconds);
  out << fmt::format("  predicted from {} captures: memory of {} to {}", told.captures,
                     bytes_text(told.bytes.low), bytes_text(told.bytes.high));
  out << fmt::format("; by a line through the first two captures: {}\n", bytes_text(told.line_bytes));
  if (const auto& of = bill.measured)
    out << fmt::format(
        "  measured {} and {}: the prediction of memory was off by {:+.1f} %, the line by {:+.1f} %\n",
        bytes_text(of->bytes), format_seconds(of->seconds), 100 * of->error, 100 * of->line_error);
  if (const auto& of = bill.memory; of && of->used_bytes)
    out << fmt::format(
        "  other    {} context, {} static; of the {} that the driver reports as used, {} is unexplained\n",
        format_bytes(of->context_bytes.value_or(0)), format_bytes(of->static_bytes),
        format_bytes(*of->used_bytes), bytes_text(static_cast<double>(of->unaccounted_bytes.value_or(0))));
  for (const bill::ReserveRuns& runs : bill.verified) {
    out << fmt::format("  with {} free memory: {} of {} runs failed", bytes_text(runs.free_bytes),
                       runs.failed, runs.runs);
    out << (runs.failed_at > 0 ? fmt::format(", at size {}: {}\n", runs.failed_at, one_line(runs.message))
                               : "\n");
  }
}

void print_sizes(std::ostream& out, const std::vector<Capture>& sizes, bool colours) {
  std::string head = right("size", 8) + right("mode", 12) + right("nodes", 7);
  for (const auto& [name, value] : bytes_of({})) head += right(name, 10);
  for (const auto& [name, value] : seconds_of({})) head += right(name, 12);
  out << paint(head, Colour::dim, colours) << '\n';
  for (const Capture& each : sizes) {
    out << fmt::format("{:>8}{:>12}{:>7}", each.size, each.mode,
                       each.captured ? std::to_string(each.nodes) : "~");
    for (const auto& [name, value] : bytes_of(each.growth)) out << right(bytes_text(value), 10);
    for (const auto& [name, value] : seconds_of(each.setup)) out << right(format_seconds(value), 12);
    out << '\n';
  }
}

}  // namespace

void print_bills(std::ostream& out, const std::vector<Bill>& bills, bool colours) {
  for (const Bill& bill : bills) {
    out << paint("bill " + one_line(bill.id), Colour::bold, colours) << '\n';
    if (!bill.prediction) {
      out << fmt::format("  {}: {}\n\n", one_line(bill.reason.value().code),
                         one_line(bill.reason.value().message));
      continue;
    }
    out << "  " << one_line(bill.sentence) << '\n';
    print_causes(out, bill);
    print_sizes(out, bill.measured ? bill.measured->sizes : bill.prediction->sizes, colours);
    out << '\n';
  }
}

namespace {

// Numbers by the value of the family's last label, predicted and, if the bill has them, measured.
std::vector<Series> told_and_measured(const Parts& predicted, const std::optional<Parts>& measured) {
  std::vector<Series> series;
  for (const auto& [name, number] : predicted) series.push_back({{"predicted", name}, number});
  for (const auto& [name, number] : measured.value_or(Parts()))
    series.push_back({{"measured", name}, number});
  return series;
}

}  // namespace

const std::vector<Family<Bill>>& bill_families() {
  static const std::vector<Family<Bill>> all = {
      {gauge_row("graphbench_bill_bytes", "bytes", {"CELL", "bill", "how", "of"},
                 "Device memory that all captured sizes take, by cause."),
       [](const Bill& of) {
         return told_and_measured(bytes_of(of.prediction->growth),
                                  of.measured ? std::optional(bytes_of(of.measured->growth)) : std::nullopt);
       }},
      {gauge_row("graphbench_bill_seconds", "seconds", {"CELL", "bill", "how", "stage"},
                 "Time to set up all captured sizes, by stage."),
       [](const Bill& of) {
         return told_and_measured(seconds_of(of.prediction->setup),
                                  of.measured ? std::optional(seconds_of(of.measured->setup)) : std::nullopt);
       }},
      {gauge_row("graphbench_bill_reserve_bytes", "bytes", {"CELL", "bill"},
                 "Device memory that must be free before the first capture."),
       [](const Bill& of) {
         return std::vector<Series>{{{}, of.prediction->reserve_bytes}};
       }},
      {gauge_row("graphbench_bill_error_ratio", "ratio", {"CELL", "bill", "by"},
                 "Relative error of the predicted memory, by prediction method: predicted / measured - 1."),
       [](const Bill& of) {
         if (!of.measured) return std::vector<Series>();
         return std::vector<Series>{{{"captures"}, of.measured->error}, {{"line"}, of.measured->line_error}};
       }}};
  return all;
}

std::string bills_text(const std::string& device, const std::vector<Bill>& bills) {
  FamilyLines lines;
  for (const Bill& bill : bills) {
    if (!bill.prediction) continue;
    Labels shared = labels_of({device, bill.cell});
    shared.push_back({"bill", bill.id.substr(bill.id.rfind('-') + 1)});
    add_lines(lines, bill_families(), shared, bill);
  }
  std::string text;
  append_families(text, bill_families(), std::views::single(lines));
  return text;
}

}  // namespace graphbench::reporters
