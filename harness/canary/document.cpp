// The document of a canary, and its report: a section of floors and one of probes.
#include "harness/canary/document.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "harness/canary/canary_fields.hpp"
#include "harness/model/codec/documents.hpp"
#include "harness/model/codec/json_walk.hpp"

namespace graphbench::canary {
namespace {

constexpr const char* schema = "graphbench.canary/1";

using reporters::Align;
using reporters::text_value;

std::string word_of(Answer answer) {
  return std::string(model::Names<Answer>::names[static_cast<std::size_t>(answer)]);
}

reporters::Value amount(const CanaryFloor& floor) {
  return floor.unit == "bytes" ? reporters::bytes_value(floor.median)
                               : reporters::seconds_value(floor.median);
}

reporters::Section floors_section(const Canary& canary) {
  reporters::Section section{.subject = "floors",
                             .columns = {{.name = "floor", .align = Align::left}, {.name = "median"}}};
  if (canary.against)
    section.columns.insert(section.columns.end(), {{.name = "change", .unit = "ratio"},
                                                   {.name = "at least", .unit = "ratio"},
                                                   {.name = "margin"},
                                                   {.name = "would have seen"}});
  for (const CanaryFloor& floor : canary.floors) {
    const auto row = std::ranges::find(floor_rows(), floor.name, &FloorRow::name);
    reporters::Row& made = section.rows.emplace_back();
    made.values = {text_value(std::string(row->label)), amount(floor)};
    if (!canary.against) continue;
    const auto add = [&](const auto& make, double Change::*member) {
      made.values.push_back(floor.change ? make((*floor.change).*member) : text_value("-"));
    };
    add(reporters::ratio_value, &Change::ratio);
    add(reporters::ratio_value, &Change::low);
    add(reporters::percent_value, &Change::margin);
    add(reporters::percent_value, &Change::visible);
    if (floor.change && floor.change->slower) made.weight = reporters::Weight::regression;
  }
  return section;
}

reporters::Section probes_section(const Canary& canary) {
  reporters::Section section{
      .subject = "probes",
      .columns = {{.name = "probe", .align = Align::left}, {.name = "answer", .align = Align::left}}};
  for (const Probe& probe : canary.probes) {
    std::string answer = word_of(probe.answer);
    if (probe.before && *probe.before != probe.answer)
      answer += fmt::format(", was {}", word_of(*probe.before));
    section.rows.push_back({.values = {text_value(probe.name), text_value(answer)}, .note = probe.reason});
  }
  return section;
}

}  // namespace

std::string to_json(const Canary& canary) {
  return model::document_of(schema, model::JsonWriter(model::Form::document).write(canary)) + "\n";
}

Canary read_canary(std::string_view text, const std::string& source) {
  model::JsonWalk walk(source);
  Canary canary;
  bool has_schema = false;
  walk.document(text, [&](std::string_view key, model::JsonWalk::Value value) {
    if (key != "schema") {
      model::JsonReader(walk).read_field(key, value, canary);
      return;
    }
    has_schema = true;
    const std::string name = walk.text(value);
    if (name != schema)
      walk.fail("the schema is " + in_quotes(name) + ": give a file that `graphbench canary --json` wrote");
  });
  if (!has_schema) walk.fail("the file has no \"schema\": give a file that `graphbench canary --json` wrote");
  if (canary.processes < 0) walk.fail(fmt::format("processes: {} is negative", canary.processes));
  std::set<std::string> names;
  for (const Probe& probe : canary.probes) {
    if (!names.insert(probe.name).second) walk.fail("probes: " + in_quotes(probe.name) + " appears twice");
  }
  for (const CanaryFloor& floor : canary.floors) {
    if (!names.insert(floor.name).second) walk.fail("floors: " + in_quotes(floor.name) + " appears twice");
    if (floor.values.size() > processes_max)
      walk.fail(fmt::format("floors: {} has {} values: a canary has at most {}", in_quotes(floor.name),
                            floor.values.size(), processes_max));
    const auto row = std::ranges::find(floor_rows(), floor.name, &FloorRow::name);
    if (row != floor_rows().end() && row->unit != floor.unit)
      walk.fail(fmt::format("floors: {} has the unit {}: it is in {}", in_quotes(floor.name),
                            in_quotes(floor.unit), row->unit));
    std::vector<double> values = floor.values;
    values.push_back(floor.median);
    const auto wrong =
        std::ranges::find_if(values, [](double value) { return !(value >= 1e-15 && value <= 1e15); });
    if (wrong != values.end())
      walk.fail(fmt::format("floors: {} has the value {}, which is not from 1e-15 to 1e15",
                            in_quotes(floor.name), *wrong));
  }
  return canary;
}

reporters::Report report_of(const Canary& canary) {
  const model::DeviceFacts& device = canary.environment.device;
  reporters::Report report{
      .name = "graphbench canary",
      .heading = "graphbench canary: " +
                 std::string(model::Names<Verdict>::names[static_cast<std::size_t>(canary.verdict)])};
  std::string head = fmt::format("device {}: {}, driver {}; {} processes", device.kind, device.name,
                                 device.driver.empty() ? "-" : device.driver, canary.processes);
  if (canary.against)
    head += fmt::format("; against {} processes of {}, driver {}", canary.against->processes,
                        canary.against->measured_at,
                        canary.against->driver.empty() ? "-" : canary.against->driver);
  report.head.push_back({std::move(head)});
  if (!canary.floors.empty()) report.sections.push_back(floors_section(canary));
  if (!canary.probes.empty()) report.sections.push_back(probes_section(canary));
  const bool bad = canary.verdict != Verdict::measured && canary.verdict != Verdict::same;
  report.closing.push_back({canary.sentence, bad ? reporters::Weight::regression : reporters::Weight::good});
  return report;
}

}  // namespace graphbench::canary
