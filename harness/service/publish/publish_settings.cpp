// Checks the options of publishing. Each refusal names the option and says what to give instead.
#include "harness/service/publish/publish_settings.hpp"

#include <array>
#include <regex>
#include <string_view>
#include <utility>
#include <vector>

#include "graphs/base/text.hpp"
#include "harness/judge/compare/compare.hpp"
#include "harness/judge/history/baseline.hpp"
#include "harness/judge/history/defaults.hpp"

namespace graphbench::service {
namespace {

[[noreturn]] void refuse_tls_file(const options::TlsOptions& options, const TlsFileError& error,
                                  const std::function<std::string(const std::string&)>& where) {
  const bool of_key = error.file() == TlsFileError::File::key;
  const char* name = of_key ? "tls-key" : "tls-certificate";
  const std::string& path = of_key ? options.key : options.certificate;
  throw InputError(where(name), in_quotes(path) + ": " + error.what());
}

// The metrics' labels. A grouping key with such a name would replace the label, and series would coincide.
constexpr std::array<std::string_view, 18> taken_labels = {
    "workload", "preset", "dtype",  "pass", "batch", "warmup", "mode",   "device",
    "quantile", "status", "reason", "kind", "name",  "uuid",   "driver", "compute_capability",
    "runtime",  "version"};

ListenAddress listen_address(const options::SweepOptions& options) {
  const std::string where = options.where("prometheus-listen");
  const std::string& text = options.prometheus.listen;
  const std::optional<ListenAddress> address = parse_listen_address(text);
  if (!address) {
    throw InputError(where, in_quotes(text) + " is not ADDR:PORT: give e.g. 127.0.0.1:9464 or [::1]:9464");
  }
  if (!address->loopback && !options.prometheus.allow_remote) {
    throw InputError(
        where, in_quotes(text) +
                   " can be reached from other machines: give 127.0.0.1:" + std::to_string(address->port) +
                   ", or add --prometheus-allow-remote if every user of those machines may read the results");
  }
  return *address;
}

Url push_url(const options::SweepOptions& options) {
  const std::string& text = options.prometheus.push;
  const std::optional<Url> url = parse_url(text);
  if (url) return *url;
  const bool has_user = text.find('@') != std::string::npos;
  throw InputError(
      options.where("prometheus-push"),
      has_user ? "the URL has a user name or password, which the result document would store: put them into "
                 "GRAPHBENCH_PUSH_AUTHORIZATION"
               : in_quotes(text) + " is not a Pushgateway's address: give e.g. http://127.0.0.1:9091");
}

std::map<std::string, std::string> grouping_keys(const options::SweepOptions& options) {
  static const std::regex label("[A-Za-z_][A-Za-z0-9_]*");
  const std::string where = options.where("push-grouping");
  std::map<std::string, std::string> keys;
  for (const std::string& item : options.prometheus.grouping) {
    const std::size_t equals = item.find('=');
    if (equals == std::string::npos) {
      throw InputError(where, in_quotes(item) + " is not KEY=VALUE: give e.g. runner=h200");
    }
    const std::string key = item.substr(0, equals);
    if (!std::regex_match(key, label) || key.starts_with("__")) {
      throw InputError(
          where,
          in_quotes(key) +
              " is not a label's name: give letters, digits and _, without a digit or __ at the start");
    }
    if (contains(taken_labels, key)) {
      throw InputError(where, in_quotes(key) + " is already a label of the metrics: give another key");
    }
    if (!keys.emplace(key, item.substr(equals + 1)).second) {
      throw InputError(where, in_quotes(key) + " is given twice: give each key once");
    }
    if (key == "job" && keys.at(key).empty()) throw InputError(where, "job is empty: give it a name");
  }
  return keys;
}

using judge::Side;

void check_sources(const BaselineOptions& options) {
  if (!options.path.empty() && !options.against.empty()) {
    throw InputError("--against", "the option cannot be combined with --baseline: give one of the two");
  }
  if (!options.history.empty() && options.against.empty()) {
    throw InputError("--history", "the option does nothing without --against: give --against too");
  }
}

std::shared_ptr<const Side> read_baseline(const std::string& path) {
  try {
    return std::make_shared<const Side>(judge::read_side(path));
  } catch (const InputError& error) {
    throw InputError("--baseline", error.what());
  }
}

// Opens the history for each look-up, because other processes add to it.
judge::Store store_of(const std::string& file) {
  return {file, judge::Store::Access::existing};
}

model::Comparison nothing_compares(const std::string& why) {
  model::Comparison comparison;
  comparison.comparable = false;
  comparison.differences.push_back({"history", "", "", true, false});
  comparison.headline = why;
  return comparison;
}

}  // namespace

std::shared_ptr<TlsContext> check_tls(const options::TlsOptions& options,
                                      const std::function<std::string(const std::string&)>& where) {
  const auto lacks = [&](const char* name, const char* other) {
    throw InputError(where(name), std::string("the option does nothing without ") + other + ": give both");
  };
  if (options.certificate.empty()) {
    if (!options.key.empty()) lacks("tls-key", "--tls-certificate");
    return nullptr;
  }
  if (options.key.empty()) lacks("tls-certificate", "--tls-key");
  try {
    return load_tls({options.certificate, options.key});
  } catch (const TlsFileError& error) {
    refuse_tls_file(options, error, where);
  }
}

PublishSettings check_publishing(const options::SweepOptions& options) {
  const options::PrometheusOptions& given = options.prometheus;
  PublishSettings settings;
  settings.baseline = Baseline::open({given.baseline, given.against, given.history});
  if (!given.listen.empty()) settings.listen = listen_address(options);
  settings.tls = check_tls(given.tls, [&](const std::string& name) { return options.where(name); });
  if (!given.push.empty()) settings.push = push_url(options);
  settings.grouping = grouping_keys(options);
  settings.push_delete = given.push_delete;
  settings.linger_seconds = given.linger_seconds;
  settings.textfile = given.textfile;
  return settings;
}

std::shared_ptr<const Baseline> Baseline::open(const BaselineOptions& options) {
  check_sources(options);
  if (!options.path.empty()) {
    const SideFor always = [side = read_baseline(options.path)](const Side&) { return side; };
    return std::shared_ptr<const Baseline>(new Baseline(options.path, always));
  }
  if (options.against.empty()) return nullptr;
  const std::string name = options.against;
  const std::string file =
      options.history.empty() ? judge::default_file(judge::process_environment()) : options.history;
  judge::Store store = store_of(file);
  judge::entries_called(store, name);  // throws if there are no entries
  const SideFor latest = [name, file](const Side& now) {
    judge::Store opened = store_of(file);
    return std::make_shared<const Side>(judge::find_baseline(opened, {name, now.source, {}}, now));
  };
  return std::shared_ptr<const Baseline>(new Baseline(name + " from the history", latest));
}

model::Comparison Baseline::compare_with(const model::Result& result, const std::string& source) const {
  const Side now = judge::side_of(result, source);
  std::shared_ptr<const Side> base;
  try {
    base = side_for_(now);
  } catch (const InputError& error) {
    return nothing_compares(error.what());
  }
  return judge::compare(*base, now, {});
}

std::string Baseline::said_of(const model::Comparison& comparison) const {
  const std::string compared = "compared with the baseline " + name_ + ": ";
  if (comparison.comparable) return compared + comparison.headline;
  const std::vector<std::string> fields = judge::fields_in_the_way(comparison.differences);
  if (contains(fields, "history")) return compared + "no verdict is published: " + comparison.headline;
  return compared + "not comparable, so no verdict is published: the sides differ in " + join(fields);
}

}  // namespace graphbench::service
