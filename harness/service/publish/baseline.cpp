// Compares published sweeps with a baseline, as `graphbench compare` would compare the same documents.
#include "harness/service/publish/baseline.hpp"

#include <utility>
#include <vector>

#include "graphs/base/text.hpp"
#include "harness/judge/compare/compare.hpp"
#include "harness/judge/history/baseline.hpp"
#include "harness/judge/history/defaults.hpp"

namespace graphbench::publish {
namespace {

using compare::Side;

void check_sources(const BaselineOptions& options) {
  if (!options.path.empty() && !options.against.empty()) {
    throw InputError("--against", "it cannot be combined with --baseline: give one of them");
  }
  if (!options.history.empty() && options.against.empty()) {
    throw InputError("--history", "it does nothing without --against: give that too");
  }
}

std::shared_ptr<const Side> read(const std::string& path) {
  try {
    return std::make_shared<const Side>(compare::read_side(path));
  } catch (const InputError& error) {
    throw InputError("--baseline", error.what());
  }
}

// Opens the history for each question, because others add to it in between.
history::Store store_of(const std::string& file) {
  return {file, history::Store::Access::existing};
}

model::Comparison nothing_compares(const std::string& why) {
  model::Comparison comparison;
  comparison.comparable = false;
  comparison.differences.push_back({"history", "", "", true, false});
  comparison.headline = why;
  return comparison;
}

}  // namespace

std::shared_ptr<const Baseline> Baseline::open(const BaselineOptions& options) {
  check_sources(options);
  if (!options.path.empty()) {
    const SideFor always = [side = read(options.path)](const Side&) { return side; };
    return std::shared_ptr<const Baseline>(new Baseline(options.path, always));
  }
  if (options.against.empty()) return nullptr;
  const std::string name = options.against;
  const std::string file =
      options.history.empty() ? history::default_file(history::process_environment()) : options.history;
  history::Store store = store_of(file);
  history::entries_called(store, name);  // throws where there are none
  const SideFor latest = [name, file](const Side& now) {
    history::Store opened = store_of(file);
    return std::make_shared<const Side>(history::find_baseline(opened, {name, now.source, {}}, now));
  };
  return std::shared_ptr<const Baseline>(new Baseline(name + " of the history", latest));
}

model::Comparison Baseline::compare_with(codec::Document document) const {
  const std::string source = document.source;
  std::vector<codec::Document> documents;
  documents.push_back(std::move(document));
  const Side now = compare::merge(source, std::move(documents));
  std::shared_ptr<const Side> base;
  try {
    base = side_for_(now);
  } catch (const InputError& error) {
    return nothing_compares(error.what());
  }
  return compare::compare(*base, now, {});
}

std::string Baseline::said_of(const model::Comparison& comparison) const {
  const std::string beside = "beside the baseline " + name_ + ": ";
  if (comparison.comparable) return beside + comparison.headline;
  std::string fields;
  for (const model::Difference& difference : comparison.differences) {
    if (difference.field == "history") return beside + "no verdict is published: " + comparison.headline;
    if (difference.blocking && !difference.allowed) fields += (fields.empty() ? "" : ", ") + difference.field;
  }
  return beside + "not comparable, and no verdict is published: another " + fields;
}

}  // namespace graphbench::publish
