// Parses requests for sweeps. Converts JSON to the values of the TOML parser, so that both have equal rules.
#include "harness/service/serve/sweep_request.hpp"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>

#include "graphs/base/text.hpp"
#include "harness/options/document_options.hpp"
#include "harness/options/option_table.hpp"
#include "harness/options/options.hpp"

namespace graphbench::service {
namespace {

using nlohmann::json;
using options::DocumentValue;

constexpr const char* request_name = "request";
constexpr int depth_max = 4;
const options::OptionSpec plugins_key = {{.kind = options::OptionKind::repeated}, {}, "plugins"};

// Some clients write time_per_cell, because names in their languages have no dashes.
std::string key_of(const std::string& written) {
  std::string dashed = written;
  std::ranges::replace(dashed, '_', '-');
  return options::find_option(dashed) != nullptr ? dashed : written;
}

// Refuses repeated members: nlohmann keeps only the last. Refuses deep nesting, because value_of() recurses.
json parse_json(const std::string& body) {
  std::vector<std::set<std::string>> seen;
  const auto check = [&](int depth, json::parse_event_t event, json& parsed) {
    if (depth > depth_max)
      throw InputError(
          "", "the body is nested too deeply: give one object of options, e.g. {\"workload\": [\"mlp\"]}");
    if (event == json::parse_event_t::object_start) seen.emplace_back();
    if (event == json::parse_event_t::object_end) seen.pop_back();
    if (event != json::parse_event_t::key) return true;
    const std::string written = parsed.get<std::string>();
    const std::string key = seen.size() == 1 ? key_of(written) : written;
    if (!seen.back().insert(key).second) throw InputError(key, "the key is given twice: give it once");
    return true;
  };
  try {
    return json::parse(body, check);
  } catch (const json::exception&) {
    throw InputError("", "the body is not JSON: give e.g. {\"workload\": [\"mlp\"], \"batch\": [1, 8]}");
  }
}

DocumentValue value_of(const json& given) {
  switch (given.type()) {
    case json::value_t::string:
      return {"", "a string", given.get<std::string>()};
    case json::value_t::boolean:
      return {"", "a boolean", given.get<bool>()};
    case json::value_t::number_unsigned:
      if (given.get<std::uint64_t>() > std::numeric_limits<std::int64_t>::max())
        return {"", "a number above 2^63 - 1"};
      [[fallthrough]];
    case json::value_t::number_integer:
      return {"", "an integer", given.get<std::int64_t>()};
    case json::value_t::number_float:
      return {"", "a number with a fraction", given.get<double>()};
    case json::value_t::array: {
      DocumentValue::Array elements;
      for (const json& element : given) elements.push_back(value_of(element));
      return {"", "an array", std::move(elements)};
    }
    case json::value_t::object: {
      DocumentValue::Table members;
      for (const auto& [key, value] : given.items()) members.emplace_back(key, value_of(value));
      return {"", "an object", std::move(members)};
    }
    default:
      return {"", "null"};
  }
}

options::RawOptions raw_of_json(const std::string& body) {
  const json document = parse_json(body);
  if (!document.is_object()) throw InputError("", "the body is not a JSON object: give e.g. {\"batch\": 8}");
  DocumentValue::Table options;
  for (const auto& [key, value] : document.items()) options.emplace_back(key_of(key), value_of(value));
  return options::options_of(options, {plugins_key});
}

options::RawOptions raw_of(const std::string& body, BodyFormat format) {
  options::RawOptions raw =
      format == BodyFormat::json ? raw_of_json(body) : options::parse_toml(body, request_name, {plugins_key});
  for (const auto& [name, items] : raw) {
    if (items.empty() || name == plugins_key.name || !options::find_option(name)->local) continue;
    throw InputError(items.front().where,
                     "a request may not give this option: it is only for the command line");
  }
  return raw;
}

std::vector<std::string> plugins_of(const std::vector<options::RawItem>& items,
                                    const std::vector<std::string>& known) {
  std::vector<std::string> plugins;
  for (const options::RawItem& item : items) {
    if (known.empty()) {
      throw InputError(
          item.where,
          "this service has no plugins: start the service with --plugin-folder DIR, with NAME.so in DIR");
    }
    if (!contains(known, item.text)) {
      throw InputError(item.where, in_quotes(item.text) + " is not a plugin of this service: give one of " +
                                       join(known) + ", without a folder or .so");
    }
    if (contains(plugins, item.text)) {
      throw InputError(item.where, in_quotes(item.text) + " is given twice: give it once");
    }
    plugins.push_back(item.text);
  }
  return plugins;
}

constexpr const char* step_advice = ": give FILE:FUNCTION, such as llama:build";

bool is_identifier(const std::string& text) {
  const auto is_letter = [](char c) { return c == '_' || std::isalpha(static_cast<unsigned char>(c)) != 0; };
  return !text.empty() && text.size() <= 64 && is_letter(text.front()) &&
         std::ranges::all_of(text, [&](char c) { return is_letter(c) || (c >= '0' && c <= '9'); });
}

// Replaces the workload "llama:build" by what the command line calls it, --torch.
void take_step(options::RawOptions& raw, const std::map<std::string, std::string>& steps, bool has_plugins) {
  const auto named = raw.find("workload");
  if (named == raw.end()) return;
  const auto step = std::ranges::find_if(
      named->second, [](const options::RawItem& item) { return item.text.find(':') != std::string::npos; });
  if (step == named->second.end()) return;
  const std::string quoted = in_quotes(step->text);
  if (steps.empty())
    throw InputError(step->where, quoted +
                                      " names a step, and this service has none: start the service with "
                                      "--torch-folder DIR, with NAME.py in DIR");
  if (named->second.size() > 1 || step->text.find(',') != std::string::npos || has_plugins)
    throw InputError(
        step->where,
        quoted + " names a step, which a sweep runs alone: give no other workload and no plugins");
  const std::size_t colon = step->text.find(':');
  const std::string function = step->text.substr(colon + 1);
  const auto file = steps.find(step->text.substr(0, colon));
  if (file == steps.end()) {
    std::vector<std::string> known;
    for (const auto& [name, path] : steps) known.push_back(name);
    throw InputError(step->where, quoted + " is of no file of this service's steps: give one of " +
                                      join(known) + ", without a folder or .py, and a function");
  }
  if (!is_identifier(function))
    throw InputError(step->where, quoted + " does not name a function" + step_advice);
  raw["torch"] = {{file->second + ":" + function, step->where}};
  raw.erase("workload");
}

std::vector<std::string> command_line_of(const options::RawOptions& raw) {
  std::vector<std::string> arguments;
  for (const auto& [name, items] : raw) {
    const options::OptionKind kind = options::find_option(name)->kind;
    if (items.empty()) continue;
    if (kind == options::OptionKind::flag) {
      if (items.back().text == "true") arguments.push_back("--" + name);
    } else if (kind == options::OptionKind::words || kind == options::OptionKind::numbers) {
      arguments.push_back("--" + name + "=" + join(items, ",", &options::RawItem::text));
    } else {
      for (const options::RawItem& item : items) arguments.push_back("--" + name + "=" + item.text);
    }
  }
  return arguments;
}

}  // namespace

std::vector<std::string> AskedSweep::named() const {
  std::vector<std::string> arguments;
  for (const std::string& plugin : plugins) arguments.push_back("--plugin=" + plugin);
  arguments.insert(arguments.end(), options.begin(), options.end());
  return arguments;
}

std::vector<std::string> AskedSweep::arguments(
    const std::function<std::string(CodeKind kind, const std::string& name)>& file_of) const {
  std::vector<std::string> arguments;
  for (const std::string& plugin : plugins)
    arguments.push_back("--plugin=" + file_of(CodeKind::plugin, plugin));
  for (const std::string& option : options) {
    constexpr std::string_view workload = "--workload=";
    const std::size_t colon = option.find(':');
    if (!option.starts_with(workload) || colon == std::string::npos) {
      arguments.push_back(option);
      continue;
    }
    const std::string name = option.substr(workload.size(), colon - workload.size());
    arguments.push_back("--torch=" + file_of(CodeKind::step, name) + option.substr(colon));
  }
  return arguments;
}

SweepRequest parse_sweep_request(const std::string& body, BodyFormat format,
                                 const std::vector<std::string>& plugins,
                                 const std::map<std::string, std::string>& steps) {
  options::RawOptions raw = raw_of(body, format);
  SweepRequest request;
  request.asked.plugins = plugins_of(raw[plugins_key.name], plugins);
  raw.erase(plugins_key.name);
  request.asked.options = command_line_of(raw);
  take_step(raw, steps, !request.asked.plugins.empty());
  request.options = options::check_options(raw);
  return request;
}

}  // namespace graphbench::service
