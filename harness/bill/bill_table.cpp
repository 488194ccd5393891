// Makes the Report of bills, a sentence, accounts and sizes of each, and writes their metrics.
#include "harness/bill/bill_table.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "harness/bill/bill_fields.hpp"
#include "harness/bill/predict.hpp"
#include "harness/model/findings/groups.hpp"
#include "harness/sweep/report/series.hpp"
#include "reporters/format.hpp"

namespace graphbench::bill {
namespace {

using Parts = std::vector<std::pair<const char*, double>>;

Parts bytes_of(const Growth& of) {
  return {{"pool", of.pool_bytes},
          {"workspace", of.workspace_bytes},
          {"code", of.code_bytes},
          {"graphs", of.exec_bytes}};
}

Parts stage_seconds_of(const model::Setup& of) {
  return {{"prepare", of.prepare_seconds.value_or(0)},
          {"warmup", of.warmup_seconds},
          {"capture", of.capture_seconds},
          {"instantiate", of.instantiate_seconds},
          {"upload", of.upload_seconds},
          {"first_step", of.first_step_seconds}};
}

std::string bytes_text(double bytes) {
  return reporters::bytes_value(bytes).text;
}

// What is predicted, and measured where it was: one row per part.
reporters::Section parts_section(const Bill& bill, std::string subject, const char* unit,
                                 const Parts& predicted, const Parts& measured) {
  reporters::Value (*const value)(const std::optional<double>&) =
      std::string_view(unit) == "bytes" ? &reporters::bytes_value : &reporters::seconds_value;
  reporters::Section section{.subject = std::move(subject) + " of " + bill.id,
                             .columns = {{.name = "of", .align = reporters::Align::left},
                                         {.name = "predicted", .unit = unit},
                                         {.name = "measured", .unit = unit}}};
  for (std::size_t i = 0; i < predicted.size(); ++i)
    section.rows.push_back(
        {.values = {reporters::text_value(predicted[i].first), value(predicted[i].second),
                    bill.measured ? value(measured[i].second) : reporters::text_value("")}});
  return section;
}

void add_causes(reporters::Report& report, const Bill& bill) {
  const Prediction& told = *bill.prediction;
  const Measured measured = bill.measured.value_or(Measured{});
  report.sections.push_back(
      parts_section(bill, "memory", "bytes", bytes_of(told.growth), bytes_of(measured.growth)));
  reporters::Section& section = report.sections.emplace_back(
      parts_section(bill, "time", "seconds", stage_seconds_of(told.setup), stage_seconds_of(measured.setup)));
  const auto add = [&](std::string text) { section.sentences.push_back({std::move(text)}); };
  add(fmt::format(
      "predicted from {} captures: memory of {} to {}; by a line through the first two captures: {}",
      told.captures, bytes_text(told.bytes.low), bytes_text(told.bytes.high), bytes_text(told.line_bytes)));
  if (const auto& of = bill.measured)
    add(fmt::format(
        "measured {} and {}: the prediction of memory was off by {:+.1f} %, the line by {:+.1f} %",
        bytes_text(of->bytes), reporters::format_seconds(of->seconds), 100 * of->error,
        100 * of->line_error));
  if (const auto& of = bill.memory; of && of->used_bytes)
    add(fmt::format(
        "other: {} context, {} static; of the {} that the driver reports as used, {} is unexplained",
        reporters::format_bytes(of->context_bytes.value_or(0)), reporters::format_bytes(of->static_bytes),
        reporters::format_bytes(*of->used_bytes),
        bytes_text(static_cast<double>(of->unaccounted_bytes.value_or(0)))));
  for (const ReserveRuns& runs : bill.verified)
    add(fmt::format("with {} free memory: {} of {} runs failed{}", bytes_text(runs.free_bytes), runs.failed,
                    runs.runs,
                    runs.failed_at > 0 ? fmt::format(", at size {}: {}", runs.failed_at, runs.message) : ""));
}

reporters::Section sizes_section(const Bill& bill) {
  reporters::Section section{
      .subject = "sizes of " + bill.id,
      .columns = {{.name = "size"}, {.name = "mode", .align = reporters::Align::left}, {.name = "nodes"}}};
  for (const auto& [name, value] : bytes_of({})) section.columns.push_back({.name = name, .unit = "bytes"});
  for (const auto& [name, value] : stage_seconds_of({}))
    section.columns.push_back({.name = name, .unit = "seconds"});
  for (const Capture& each : bill.measured ? bill.measured->sizes : bill.prediction->sizes) {
    reporters::Row& row = section.rows.emplace_back(reporters::Row{
        .values = {reporters::count_value(each.size), reporters::text_value(each.mode),
                   each.captured ? reporters::count_value(each.nodes) : reporters::text_value("~")}});
    for (const auto& [name, value] : bytes_of(each.growth))
      row.values.push_back(reporters::bytes_value(value));
    for (const auto& [name, value] : stage_seconds_of(each.setup))
      row.values.push_back(reporters::seconds_value(value));
  }
  return section;
}

// By cycle and account: what captures took, and what came back when.
reporters::Section sleep_section(const Bill& bill) {
  reporters::Section section{.subject = "sleep of " + bill.id,
                             .columns = {{.name = "cycle"}, {.name = "of", .align = reporters::Align::left}}};
  for (const char* const name : {"took", "back with graphs", "back with pool", "kept"})
    section.columns.push_back({.name = name, .unit = "bytes"});
  std::int64_t number = 0;
  for (const Cycle& cycle : bill.sleep->cycles) {
    ++number;
    const auto add = [&](const char* name, double took, auto account) {
      reporters::Row& row = section.rows.emplace_back(
          reporters::Row{.values = {reporters::count_value(number), reporters::text_value(name)}});
      for (const std::optional<double>& each :
           {std::optional(took), account(cycle.destroyed), account(cycle.emptied), account(cycle.kept)})
        row.values.push_back(reporters::bytes_value(each));
    };
    using Account = std::optional<double>;
    add("pool", cycle.took.pool_bytes, [](const Returned& of) { return Account(of.pool_bytes); });
    add("workspace", cycle.took.workspace_bytes,
        [](const Returned& of) { return Account(of.workspace_bytes); });
    if (cycle.kept.driver_bytes)
      add("driver", cycle.took.code_bytes + cycle.took.exec_bytes,
          [](const Returned& of) { return of.driver_bytes; });
  }
  if (const Sleep& of = *bill.sleep; of.exec_bytes)
    section.sentences.push_back(
        {fmt::format("of driver, the execs of one cycle need {} ± {}", bytes_text(*of.exec_bytes),
                     bytes_text(of.exec_resolution_bytes))});
  return section;
}

// By capture, the last of which follows the last cycle.
reporters::Section wake_section(const Bill& bill) {
  reporters::Section section{.subject = "captures of " + bill.id, .columns = {{.name = "capture"}}};
  for (const auto& [name, value] : stage_seconds_of({}))
    section.columns.push_back({.name = name, .unit = "seconds"});
  section.columns.push_back({.name = "destroy", .unit = "seconds"});
  const auto add = [&](const model::Setup& setup, const std::optional<double>& destroyed) {
    reporters::Row& row = section.rows.emplace_back();
    row.values.push_back(reporters::count_value(std::ssize(section.rows)));
    for (const auto& [name, value] : stage_seconds_of(setup))
      row.values.push_back(reporters::seconds_value(value));
    row.values.push_back(reporters::seconds_value(destroyed));
  };
  for (const Cycle& cycle : bill.sleep->cycles) add(cycle.setup, cycle.destroy_seconds);
  add(bill.sleep->again, {});
  return section;
}

}  // namespace

void judge(const std::vector<Bill>& bills, sweep::Findings& found) {
  for (const Bill& bill : bills) {
    // Skipped too: a mode that the device or the step lacks has captured nothing.
    const bool failed = bill.status == model::CellStatus::failed || bill.status == model::CellStatus::skipped;
    if (failed)
      found.complaints.push_back("bill " + bill.id + " " + std::string(model::name_of(bill.status)) + ": " +
                                 bill.reason.value().message);
    const bool short_of = !bill.verified.empty() && bill.verified.front().failed > 0;
    if (short_of)
      found.complaints.push_back("bill " + bill.id +
                                 ": the reserve is too small: with only the reserve free, some runs failed");
    const bool differs = bill.sleep && bill.sleep->outputs.differ_at > 0;
    if (differs)
      found.complaints.push_back(fmt::format("bill {}: after {} of graphs, size {}: {}", bill.id,
                                             model::plural(std::ssize(bill.sleep->cycles), "cycle"),
                                             bill.sleep->outputs.differ_at, bill.sleep->outputs.message));
    if (failed || short_of || differs) found.exit_code = model::exit_cells_failed;
  }
}

reporters::Report report_of(const std::vector<Bill>& bills) {
  reporters::Report report;
  for (const Bill& bill : bills) {
    reporters::Section& section =
        report.sections.emplace_back(reporters::Section{.subject = "bill " + bill.id});
    if (!bill.prediction) {
      section.sentences.push_back(
          {bill.reason.value().message, reporters::Weight::normal, bill.reason.value().code});
      continue;
    }
    section.sentences.push_back({bill.sentence});
    if (bill.reason)
      section.sentences.push_back({bill.reason->message, reporters::Weight::regression, bill.reason->code});
    add_causes(report, bill);
    report.sections.push_back(sizes_section(bill));
    if (!bill.sleep) continue;
    report.sections.push_back(sleep_section(bill));
    report.sections.push_back(wake_section(bill));
  }
  return report;
}

std::vector<Bill> read_bills(std::string_view text, const std::string& source) {
  model::JsonWalk walk(source);
  std::vector<Bill> bills;
  walk.document(text, [&](std::string_view key, model::JsonWalk::Value value) {
    if (key == "bills") {
      model::JsonReader(walk).read(value, bills);
    } else {
      walk.skip(value);
    }
  });
  for (const Bill& bill : bills) {
    if (!bill.prediction && !bill.reason)
      throw InputError(source, "bill " + bill.id + " has neither a prediction nor a reason why not");
  }
  return bills;
}

namespace {

// Numbers by the value of the family's last label, predicted and, if the bill has them, measured.
std::vector<reporters::Series> told_and_measured(const Parts& predicted,
                                                 const std::optional<Parts>& measured) {
  std::vector<reporters::Series> series;
  for (const auto& [name, number] : predicted) series.push_back({{"predicted", name}, number});
  for (const auto& [name, number] : measured.value_or(Parts()))
    series.push_back({{"measured", name}, number});
  return series;
}

}  // namespace

const std::vector<reporters::Family<Bill>>& bill_families() {
  static const std::vector<reporters::Family<Bill>> all = {
      {reporters::gauge_row("graphbench_bill_bytes", "bytes", {"CELL", "bill", "how", "of"},
                            "Device memory that all captured sizes take, by cause."),
       [](const Bill& of) {
         return told_and_measured(bytes_of(of.prediction->growth),
                                  of.measured ? std::optional(bytes_of(of.measured->growth)) : std::nullopt);
       }},
      {reporters::gauge_row("graphbench_bill_seconds", "seconds", {"CELL", "bill", "how", "stage"},
                            "Time to set up all captured sizes, by stage."),
       [](const Bill& of) {
         return told_and_measured(
             stage_seconds_of(of.prediction->setup),
             of.measured ? std::optional(stage_seconds_of(of.measured->setup)) : std::nullopt);
       }},
      {reporters::gauge_row("graphbench_bill_reserve_bytes", "bytes", {"CELL", "bill"},
                            "Device memory that must be free before the first capture."),
       [](const Bill& of) {
         return std::vector<reporters::Series>{{{}, of.prediction->reserve_bytes}};
       }},
      {reporters::gauge_row(
           "graphbench_bill_error_ratio", "ratio", {"CELL", "bill", "by"},
           "Relative error of the predicted memory, by prediction method: predicted / measured - 1."),
       [](const Bill& of) {
         if (!of.measured) return std::vector<reporters::Series>();
         return std::vector<reporters::Series>{{{"captures"}, of.measured->error},
                                               {{"line"}, of.measured->line_error}};
       }}};
  return all;
}

std::string bills_text(const std::string& device, const std::vector<Bill>& bills) {
  reporters::FamilyLines lines;
  for (const Bill& bill : bills) {
    if (!bill.prediction) continue;
    reporters::Labels shared = sweep::labels_of({device, bill.cell});
    shared.push_back({"bill", bill.id.substr(bill.id.rfind('-') + 1)});
    reporters::add_lines(lines, bill_families(), shared, bill);
  }
  std::string text;
  reporters::append_families(text, bill_families(), {&lines});
  return text;
}

}  // namespace graphbench::bill
