// The baseline that published sweeps are compared with when they have ended: a result, or the history's for
// each.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "harness/judge/compare/read_side.hpp"
#include "harness/model/comparison.hpp"

namespace graphbench::publish {

// Where a baseline comes from, as the user says: `path` or `against`, or neither.
struct BaselineOptions {
  std::string path;     // a result document or a folder of them
  std::string against;  // a branch, a label or the beginning of a commit in the history
  std::string history;  // the history's file; empty: the default one
};

class Baseline {
 public:
  // Null without options. A document is read only here, because the sweep that it is the baseline of may
  // write over the file; the history is read for each sweep when it has ended. Throws InputError, which
  // begins with the option's name, for a file that cannot be read, a name that nothing in the history has, or
  // two sources.
  static std::shared_ptr<const Baseline> open(const BaselineOptions& options);

  // Compares by the rules and defaults of `graphbench compare`. Where the history has nothing comparable, the
  // headline says so, and "history" is what differs. Thread-safe.
  model::Comparison compare_with(codec::Document document) const;

  // Describes a comparison with it in one line for people.
  std::string said_of(const model::Comparison& comparison) const;

 private:
  using SideFor = std::function<std::shared_ptr<const compare::Side>(const compare::Side& now)>;
  Baseline(std::string name, SideFor side_for) : name_(std::move(name)), side_for_(std::move(side_for)) {}

  std::string name_;
  SideFor side_for_;
};

}  // namespace graphbench::publish
