// Runs graphbench list, which prints devices, workloads, steps, presets, modes, dtypes, axes and metrics.
#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>

#include "graphs/base/text.hpp"
#include "harness/cli/document_numbers.hpp"
#include "harness/model/axes.hpp"
#include "harness/model/exit_codes.hpp"
#include "harness/model/metrics.hpp"
#include "harness/model/vocabulary.hpp"
#include "harness/options/command.hpp"
#include "harness/options/example_steps.hpp"
#include "harness/options/option_table.hpp"
#include "harness/options/output.hpp"
#include "harness/sweep/probe.hpp"

namespace graphbench::cli {
namespace {

using Json = nlohmann::ordered_json;

// A line of the table, and its entry in `--format json`: null if an earlier line already has this entry.
struct Line {
  std::string name;
  std::string text;
  Json json;
};
using Lines = std::vector<Line>;

struct Listing {
  std::string name;
  bool sweep::ProbeRequest::*asks;  // the question to the probe; null: needs no probe
  Lines (*lines)(const sweep::ProbeAnswer& answer);
};

Lines workloads(const sweep::ProbeAnswer& answer) {
  Lines lines;
  for (const abi::WorkloadInfo& info : answer.catalog.workloads) {
    Json options = Json::array();
    Lines more;
    for (const auto& [key, help, min, max] : info.options) {
      options.push_back({{"key", key}, {"help", help}, {"min", min}, {"max", max}});
      const std::string range = std::to_string(min) + ".." + std::to_string(max);
      more.push_back({"", "--set " + info.name + "." + key + "=" + range + "  " + help, nullptr});
    }
    lines.push_back(
        {info.name,
         info.help + (info.plugin == "builtin" ? "" : " [" + info.plugin + "]"),
         {{"name", info.name}, {"help", info.help}, {"plugin", info.plugin}, {"options", options}}});
    lines.insert(lines.end(), more.begin(), more.end());
  }
  return lines;
}

Lines devices(const sweep::ProbeAnswer& answer) {
  Lines lines;
  for (const DeviceStatus& device : answer.devices) {
    const std::string advice = device.advice.empty() ? "" : " (" + device.advice + ")";
    const std::string state = device.available ? "available: " : "unavailable: ";
    const std::string takes = "; " + join(device.dtypes);
    const model::DeviceKind& kind = model::device_kind(device.id.substr(0, device.id.find(':')));
    lines.push_back({device.id,
                     state + device.detail + (device.available ? takes : advice),
                     {{"id", device.id},
                      {"kind", kind.name},
                      {"available", device.available},
                      {"detail", device.detail},
                      {"advice", device.advice},
                      {"preset", kind.preset},
                      {"dtype", kind.data_type},
                      {"dtypes", device.dtypes}}});
  }
  return lines;
}

Lines modes(const sweep::ProbeAnswer&) {
  Lines lines;
  for (const model::Mode& mode : model::modes()) {
    lines.push_back(
        {mode.name,
         mode.help,
         {{"name", mode.name}, {"help", mode.help}, {"graph", mode.graph}, {"reference", mode.reference}}});
  }
  return lines;
}

Lines presets(const sweep::ProbeAnswer& answer) {
  Lines lines;
  for (const abi::WorkloadInfo& info : answer.catalog.workloads) {
    for (const abi::WorkloadPreset& preset : info.presets) {
      const std::string values = join(preset.values, ", ", [](const auto& each) {
        return each.first + "=" + std::to_string(each.second);
      });
      lines.push_back({info.name,
                       preset.name + " (" + values + ")",
                       {{"workload", info.name}, {"name", preset.name}, {"values", preset.values}}});
    }
  }
  return lines;
}

Lines steps(const sweep::ProbeAnswer&) {
  Lines lines;
  for (const options::ExampleStep& step : options::example_steps())
    lines.push_back({step.name, step.help, {{"name", step.name}, {"help", step.help}}});
  return lines;
}

Lines dtypes(const sweep::ProbeAnswer&) {
  Lines lines;
  for (const model::DataType& type : model::data_types()) {
    lines.push_back(
        {type.name, std::to_string(type.bytes) + " bytes", {{"name", type.name}, {"bytes", type.bytes}}});
  }
  return lines;
}

Lines axes(const sweep::ProbeAnswer&) {
  Lines lines;
  for (const model::Axis& axis : model::axes()) {
    lines.push_back({axis.name,
                     axis.help,
                     {{"name", axis.name},
                      {"help", axis.help},
                      {"choices", axis.choices},
                      {"default", axis.fallback.empty() ? Json(nullptr) : Json(axis.fallback)},
                      {"in_every_id", !axis.came_later()}}});
  }
  return lines;
}

Lines metrics(const sweep::ProbeAnswer&) {
  Lines lines;
  for (const model::MetricRow& row : model::metrics()) {
    const std::string path = model::path_of(row);
    Json json = {{"name", row.name}, {"path", path}, {"unit", row.unit}, {"help", row.help}};
    json["family"] = row.family.empty() ? Json(nullptr) : Json(row.family);
    json["compared_as"] = row.compared.empty() ? Json(nullptr) : Json(row.compared);
    json["column"] = row.column.empty() ? Json(nullptr) : Json(row.column);
    json["document"] = nullptr;
    lines.push_back({path, std::string(row.help), std::move(json)});
  }
  for (const DocumentNumber& number : document_numbers()) {
    const std::string text = number.document + (number.unit.empty() ? "" : ", in " + number.unit) +
                             (number.help.empty() ? "" : ": " + number.help);
    lines.push_back({number.path,
                     text,
                     {{"name", number.path.substr(number.path.rfind('.') + 1)},
                      {"path", number.path},
                      {"unit", number.unit},
                      {"help", number.help},
                      {"family", nullptr},
                      {"compared_as", nullptr},
                      {"column", nullptr},
                      {"document", number.document}}});
  }
  return lines;
}

const std::vector<Listing> listings = {
    {"workloads", &sweep::ProbeRequest::list_workloads, workloads},
    {"devices", &sweep::ProbeRequest::list_devices, devices},
    {"modes", nullptr, modes},
    {"presets", &sweep::ProbeRequest::list_workloads, presets},
    {"steps", nullptr, steps},
    {"dtypes", nullptr, dtypes},
    {"axes", nullptr, axes},
    {"metrics", nullptr, metrics},
};

void print_table(const Listing& listing, const Lines& lines, bool alone) {
  if (!alone) std::printf("%s\n", listing.name.c_str());
  std::size_t width = 12;
  for (const Line& line : lines) width = std::max(width, line.name.size());
  for (const Line& line : lines)
    std::printf("%s%-*s %s\n", alone ? "" : "  ", static_cast<int>(width), line.name.c_str(),
                line.text.c_str());
}

// Leaves out the numbers of documents, which are too many to stand among other lists.
void leave_numbers_out(Lines& lines) {
  const std::size_t count = std::erase_if(lines, [](const Line& line) {
    return line.json.is_object() && line.json.contains("document") && !line.json["document"].is_null();
  });
  if (count > 0) lines.push_back({"...", std::to_string(count) + " more: graphbench list metrics", nullptr});
}

class ListCommand final : public options::Command {
 public:
  explicit ListCommand(options::Options& options) : options_(options) {
    options.word("WHAT", what_, join(model::names_of(listings)) + " (default: all)",
                 model::names_of(listings));
    options.text("--format", format_, "FORMAT", "table or json (default: table)");
    options.sweep_options(options::options_for("list"));
  }

  void check() override {
    json_ = options::is_json(format_);
    for (const Listing& each : listings) {
      if (what_.empty() || what_ == each.name) asked_.push_back(&each);
    }
    if (!asked_.empty()) return;
    const std::vector<std::string> known = model::names_of(listings);
    throw InputError(
        "list", in_quotes(what_) + " cannot be listed: give " + join(known) + did_you_mean(what_, known));
  }

  int run(const options::Invocation&) override {
    const sweep::ProbeAnswer answer = ask();
    Json document = Json::object();
    for (const Listing* listing : asked_) {
      Lines lines = listing->lines(answer);
      if (!json_) {
        if (asked_.size() > 1) leave_numbers_out(lines);
        print_table(*listing, lines, asked_.size() == 1);
        continue;
      }
      Json& list = document[listing->name] = Json::array();
      for (const Line& line : lines) {
        if (!line.json.is_null()) list.push_back(line.json);
      }
    }
    if (json_) std::printf("%s\n", document.dump(2, ' ', false, Json::error_handler_t::replace).c_str());
    return model::exit_done;
  }

 private:
  sweep::ProbeAnswer ask() const {
    const options::SweepOptions options = options::check_options(options_.sweep());
    sweep::ProbeRequest request;
    request.plugins = options.plugins;
    for (const Listing* listing : asked_) {
      if (listing->asks != nullptr) request.*listing->asks = true;
    }
    if (!request.list_devices && !request.list_workloads) return {};
    process::ProcessSupervisor supervisor;
    return sweep::ask_probe(supervisor, {process::own_command(options::probe_role)}, request, options);
  }

  const options::Options& options_;
  std::string what_;
  std::string format_ = "table";
  bool json_ = false;
  std::vector<const Listing*> asked_;
};

}  // namespace

std::unique_ptr<options::Command> make_list(options::Options& options) {
  return std::make_unique<ListCommand>(options);
}

}  // namespace graphbench::cli
