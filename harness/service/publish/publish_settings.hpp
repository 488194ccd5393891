// Checks the options of publishing: parses addresses, reads files, and requires the options that others need.
// Compares published sweeps with a baseline, as `graphbench compare` would compare the same documents.
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

namespace graphbench::publish {

// Where a baseline comes from, as the user says: `path` or `against`, or neither.
struct BaselineOptions {
  std::string path;     // a result document or a folder of them
  std::string against;  // a branch, a label or the beginning of a commit in the history
  std::string history;  // the history's file; empty: the default one
};

class Baseline {
 public:
  // Null without options. A document is read only here, because the sweep may overwrite the file of its own
  // baseline. The history is read for each sweep when it has ended. Throws InputError, which begins with the
  // option's name, for an unreadable file, a name that the history lacks, or two sources.
  static std::shared_ptr<const Baseline> open(const BaselineOptions& options);

  // Compares by the rules and defaults of `graphbench compare`. If the history has nothing comparable, the
  // headline says so, and "history" is the difference. Thread-safe.
  model::Comparison compare_with(codec::Document document) const;

  // Describes a comparison with it in one line for people.
  std::string said_of(const model::Comparison& comparison) const;

 private:
  using SideFor = std::function<std::shared_ptr<const compare::Side>(const compare::Side& now)>;
  Baseline(std::string name, SideFor side_for) : name_(std::move(name)), side_for_(std::move(side_for)) {}

  std::string name_;
  SideFor side_for_;
};

// Null if none is given. `where` names an option to a person, as "--tls-key" or "sweep.toml:3: tls-key".
// Throws InputError for files that cannot be used, and for options that lack another.
std::shared_ptr<net::TlsContext> check_tls(const config::TlsOptions& options,
                                           const std::function<std::string(const std::string&)>& where);

struct PublishSettings {
  std::optional<net::ListenAddress> listen;
  std::shared_ptr<net::TlsContext> tls;  // for `listen`; null: plain HTTP
  std::string textfile;                  // empty: none
  std::optional<net::Url> push;
  std::map<std::string, std::string> grouping;  // in addition to job and instance, or instead of them
  bool push_delete = false;
  double linger_seconds = 0;
  std::shared_ptr<const Baseline> baseline;  // null: none
};

// Throws InputError for options that cannot be used.
PublishSettings check_publishing(const config::SweepOptions& options);

}  // namespace graphbench::publish
