// What `graphbench compare` does, on documents that are in memory already.
#include "harness/serve/compare_request.hpp"

#include <array>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string_view>
#include <utility>

#include "harness/compare/compare.hpp"
#include "harness/compare/foreign_documents.hpp"
#include "harness/compare/parse_document.hpp"
#include "harness/compare/read_side.hpp"
#include "harness/compare/settings.hpp"
#include "harness/config/input_error.hpp"
#include "reporters/comparison/faces.hpp"

namespace graphbench::serve {
namespace {

using config::InputError;
using nlohmann::json;
using DocumentOf = std::function<std::optional<std::string>(const std::string&)>;
using Setting = void (*)(const std::string&, model::ComparisonSettings&);

constexpr int nesting_max = 32;

constexpr std::array<std::pair<const char*, Setting>, 4> settings_by_name{{{"margin", compare::set_margins},
                                                                           {"floor", compare::set_floors},
                                                                           {"alpha", compare::set_alpha},
                                                                           {"allow", compare::set_allow}}};

json parsed(const std::string& body) {
  const auto bounded = [](int depth, json::parse_event_t, json&) {
    if (depth > nesting_max) throw InputError("", "the body nests too deep for anything that is compared");
    return true;
  };
  try {
    json document = json::parse(body, bounded);
    if (document.is_object()) return document;
  } catch (const json::exception&) {
    // Said below.
  }
  throw InputError("", R"(the body is not a JSON object: give e.g. {"base": "ID", "new": "ID"})");
}

compare::Side side_of(const json& request, const char* name, const DocumentOf& document_of) {
  const auto given = request.find(name);
  if (given == request.end() || (!given->is_string() && !given->is_object())) {
    throw InputError(name, "give the id of a sweep, or a result document");
  }
  std::string text;
  if (given->is_string()) {
    const auto id = given->get<std::string>();
    std::optional<std::string> document = document_of(id);
    if (!document) throw InputError(name, config::in_quotes(id) + " is no sweep that has results");
    text = std::move(*document);
  } else {
    text = given->dump(-1, ' ', false, json::error_handler_t::replace);
  }
  const std::size_t size = text.size();
  text.resize(size + compare::text_padding);
  std::vector<compare::Document> documents;
  documents.push_back(compare::parse_any_document(std::string_view(text).substr(0, size), name));
  return compare::merge(name, std::move(documents));
}

model::ComparisonSettings settings_of(const json& request) {
  model::ComparisonSettings settings;
  for (const auto& [key, value] : request.items()) {
    if (key == "base" || key == "new") continue;
    if (key == "strict") {
      if (!value.is_boolean()) throw InputError(key, "give true or false");
      settings.strict = value.get<bool>();
      continue;
    }
    const auto* const found = std::ranges::find_if(
        settings_by_name, [&name = key](const auto& each) { return each.first == name; });
    if (found == settings_by_name.end()) {
      throw InputError(key, "there is no such key: give base, new, margin, floor, alpha, allow or strict");
    }
    if (!value.is_string()) throw InputError(key, "give a string, as the command line takes it");
    found->second(value.get<std::string>(), settings);
  }
  return settings;
}

}  // namespace

std::string answer_comparison(const std::string& body, const DocumentOf& document_of) {
  const json request = parsed(body);
  const model::ComparisonSettings settings = settings_of(request);
  const compare::Side base = side_of(request, "base", document_of);
  const compare::Side now = side_of(request, "new", document_of);
  std::ostringstream out;
  reporters::print_comparison_json(out, compare::compare(base, now, settings), {});
  return std::move(out).str();
}

}  // namespace graphbench::serve
