// NEW takes the way of a file: its text is parsed, so that what is published is what compare would say.
#include "harness/publish/baseline.hpp"

#include <string_view>
#include <utility>
#include <vector>

#include "harness/compare/compare.hpp"
#include "harness/compare/parse_document.hpp"
#include "harness/config/input_error.hpp"

namespace graphbench::publish {
namespace {

compare::Side read(const std::string& path, const std::string& where) {
  try {
    return compare::read_side(path);
  } catch (const config::InputError& error) {
    throw config::InputError(where, error.what());
  }
}

}  // namespace

Baseline::Baseline(const std::string& path, const std::string& where) : side_(read(path, where)) {}

model::Comparison Baseline::compare_with(std::string document, const std::string& source) const {
  const std::size_t size = document.size();
  document.resize(size + compare::text_padding);
  std::vector<compare::Document> documents;
  documents.push_back(compare::parse_document(std::string_view(document).substr(0, size), source));
  return compare::compare(side_, compare::merge(source, std::move(documents)), {});
}

std::string Baseline::said_of(const model::Comparison& comparison) const {
  const std::string beside = "beside the baseline " + path() + ": ";
  if (comparison.comparable) return beside + comparison.headline;
  std::string fields;
  for (const model::Difference& difference : comparison.differences) {
    if (difference.blocking && !difference.allowed) fields += (fields.empty() ? "" : ", ") + difference.field;
  }
  return beside + "not comparable, and no verdict is published: another " + fields;
}

}  // namespace graphbench::publish
