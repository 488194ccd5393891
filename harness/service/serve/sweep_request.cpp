// JSON takes the way of TOML: each member becomes a line of it, so that both have the same rules.
#include "harness/service/serve/sweep_request.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "harness/config/option_table.hpp"
#include "harness/config/options.hpp"
#include "harness/config/suggest.hpp"
#include "harness/config/toml_file.hpp"
#include "harness/model/input_error.hpp"

namespace graphbench::serve {
namespace {

using nlohmann::json;

constexpr const char* request_name = "request";
const config::OptionSpec plugins_key = {"plugins", config::OptionKind::repeated, "", "", false};

// Depth is checked before anything recurses over the document.
bool is_flat(const json& value) {
  if (value.is_string() || value.is_boolean() || value.is_number()) return true;
  if (!value.is_array()) return false;
  for (const json& element : value) {
    if (!element.is_string() && !element.is_boolean() && !element.is_number()) return false;
  }
  return true;
}

std::string toml_of(const std::string& key, const json& value) {
  if (is_flat(value)) return value.dump();
  if (key != "set" || !value.is_object()) {
    throw InputError(key, "it will not do: give a string, a number, true, false, or an array of them");
  }
  std::string table;
  for (const auto& [name, number] : value.items()) {
    if (!number.is_number_integer()) throw InputError("set", in_quotes(name) + " wants a whole number");
    table += (table.empty() ? "{" : ", ") + json(name).dump() + " = " + number.dump();
  }
  return table.empty() ? "{}" : table + "}";
}

// nlohmann keeps the last of two members with one name; a person who wrote both meant something else.
json parse_json(const std::string& body) {
  std::vector<std::set<std::string>> seen;
  const auto watch = [&](int, json::parse_event_t event, json& parsed) {
    if (event == json::parse_event_t::object_start) seen.emplace_back();
    if (event == json::parse_event_t::object_end) seen.pop_back();
    if (event == json::parse_event_t::key && !seen.back().insert(parsed.get<std::string>()).second) {
      throw InputError(parsed.get<std::string>(), "it is given twice: give it once");
    }
    return true;
  };
  try {
    return json::parse(body, watch);
  } catch (const json::exception&) {
    throw InputError("", "the body is not JSON: give e.g. {\"workload\": [\"mlp\"], \"batch\": [1, 8]}");
  }
}

std::string toml_of(const json& document) {
  if (!document.is_object()) throw InputError("", "the body is not a JSON object: give e.g. {\"batch\": 8}");
  std::string toml;
  for (const auto& [key, value] : document.items()) {
    toml += json(key).dump() + " = " + toml_of(key, value) + "\n";
  }
  return toml;
}

// Lines of what we made of a JSON body are no lines of the person's.
std::string without_line(const std::string& message) {
  const std::string prefix = std::string(request_name) + ":";
  if (!message.starts_with(prefix)) return message;
  const std::size_t end = message.find(": ", prefix.size());
  return end == std::string::npos ? message : message.substr(end + 2);
}

void drop_lines(config::SweepOptions& options) {
  for (auto& [name, where] : options.places) where = without_line(where);
  for (config::SetOption& set : options.set) set.where = without_line(set.where);
}

config::RawOptions raw_of(const std::string& body, BodyFormat format) {
  const std::string toml = format == BodyFormat::toml ? body : toml_of(parse_json(body));
  config::RawOptions raw = config::parse_toml(toml, request_name, {plugins_key});
  for (const auto& [name, items] : raw) {
    if (items.empty() || name == plugins_key.name || !config::find_option(name)->local) continue;
    throw InputError(items.front().where, "a request may not give it: it is for the command line alone");
  }
  return raw;
}

std::vector<std::string> plugins_of(const std::vector<config::RawItem>& items,
                                    const std::vector<std::string>& known) {
  std::vector<std::string> plugins;
  for (const config::RawItem& item : items) {
    if (known.empty()) {
      throw InputError(item.where,
                       "this service has no plugins: start it with --plugin-folder DIR, with NAME.so in it");
    }
    if (std::ranges::find(known, item.text) == known.end()) {
      throw InputError(item.where, in_quotes(item.text) + " is no plugin of this service: give one of " +
                                       config::join(known) + ", without a folder or .so");
    }
    if (std::ranges::find(plugins, item.text) != plugins.end()) {
      throw InputError(item.where, in_quotes(item.text) + " is given twice: give it once");
    }
    plugins.push_back(item.text);
  }
  return plugins;
}

std::vector<std::string> arguments_of(const config::RawOptions& raw) {
  std::vector<std::string> arguments;
  for (const auto& [name, items] : raw) {
    const config::OptionKind kind = config::find_option(name)->kind;
    if (items.empty()) continue;
    if (kind == config::OptionKind::flag) {
      if (items.back().text == "true") arguments.push_back("--" + name);
    } else if (kind == config::OptionKind::words || kind == config::OptionKind::numbers) {
      std::string list;
      for (const config::RawItem& item : items) list += (list.empty() ? "" : ",") + item.text;
      arguments.push_back("--" + name + "=" + list);
    } else {
      for (const config::RawItem& item : items) arguments.push_back("--" + name + "=" + item.text);
    }
  }
  return arguments;
}

}  // namespace

SweepRequest parse_sweep_request(const std::string& body, BodyFormat format,
                                 const std::vector<std::string>& plugins) {
  try {
    config::RawOptions raw = raw_of(body, format);
    SweepRequest request;
    request.plugins = plugins_of(raw[plugins_key.name], plugins);
    raw.erase(plugins_key.name);
    request.options = config::check_options(raw);
    if (format == BodyFormat::json) drop_lines(request.options);
    for (const std::string& plugin : request.plugins) request.arguments.push_back("--plugin=" + plugin);
    const std::vector<std::string> others = arguments_of(raw);
    request.arguments.insert(request.arguments.end(), others.begin(), others.end());
    return request;
  } catch (const InputError& error) {
    if (format == BodyFormat::toml) throw;
    throw InputError("", without_line(error.what()));
  }
}

}  // namespace graphbench::serve
