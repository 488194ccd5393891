// Checks the options of publishing. Compares published sweeps with a baseline like `graphbench compare`.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "harness/judge/compare/read_side.hpp"
#include "harness/model/comparison.hpp"
#include "harness/options/options.hpp"
#include "harness/service/net/addresses.hpp"
#include "harness/service/net/tls.hpp"

namespace graphbench::service {

struct BaselineOptions {
  std::string path;     // a result document or a folder of them
  std::string against;  // a branch, a label or the beginning of a commit in the history
  std::string history;  // the history's file; empty: the default file
};

class Baseline {
 public:
  // Null if neither `path` nor `against` is given. Reads the document of `path` now, because the sweep may
  // overwrite it, but reads the history after each sweep. Throws InputError, which begins with the option,
  // for an unreadable file, for an unknown name, and if both `path` and `against` are given.
  static std::shared_ptr<const Baseline> open(const BaselineOptions& options);

  // Compares by the rules and defaults of `graphbench compare`. If the history has no comparable entry, the
  // returned comparison's headline says so, and its only difference is "history". Thread-safe.
  model::Comparison compare_with(const model::Result& result, const std::string& source) const;

  // Describes a comparison with this baseline in one line.
  std::string said_of(const model::Comparison& comparison) const;

 private:
  using SideFor = std::function<std::shared_ptr<const judge::Side>(const judge::Side& now)>;
  Baseline(std::string name, SideFor side_for) : name_(std::move(name)), side_for_(std::move(side_for)) {}

  std::string name_;
  SideFor side_for_;
};

// Loads certificate and key; null if neither is given. `where` returns an option's name for messages:
// "--tls-key" or "sweep.toml:3: tls-key". Throws InputError for unusable files, and if only one is given.
std::shared_ptr<TlsContext> check_tls(const options::TlsOptions& options,
                                      const std::function<std::string(const std::string&)>& where);

struct PublishSettings {
  std::optional<ListenAddress> listen;
  std::shared_ptr<TlsContext> tls;  // for `listen`; null: plain HTTP
  std::string textfile;
  std::optional<Url> push;
  std::map<std::string, std::string> grouping;  // labels that are added, or replace job and instance
  bool push_delete = false;
  double linger_seconds = 0;
  std::shared_ptr<const Baseline> baseline;
};

// Throws InputError for options that cannot be used.
PublishSettings check_publishing(const options::SweepOptions& options);

}  // namespace graphbench::service
