// Answers POST /v1/compare: compares like `graphbench compare`, but with documents in memory.
#include <algorithm>
#include <array>
#include <map>
#include <sstream>
#include <string_view>
#include <utility>

#include "graphs/base/text.hpp"
#include "harness/judge/compare/compare.hpp"
#include "harness/judge/compare/read_side.hpp"
#include "harness/judge/compare/settings.hpp"
#include "harness/judge/report/formats.hpp"
#include "harness/model/codec/parse_document.hpp"
#include "harness/service/report/numbers_json.hpp"
#include "harness/service/serve/json_response.hpp"
#include "harness/service/serve/sweep_request.hpp"
#include "harness/service/serve/sweep_store.hpp"

namespace graphbench::service {
namespace {

using model::Member;
using Kind = Member::Kind;
using DocumentOf = std::function<std::optional<std::string>(const std::string&)>;
using Setting = void (*)(const std::string&, model::ComparisonSettings&);

constexpr std::array<std::pair<const char*, Setting>, 4> settings_by_name{{{"margin", judge::set_margins},
                                                                           {"floor", judge::set_floors},
                                                                           {"alpha", judge::set_alpha},
                                                                           {"allow", judge::set_allow}}};

// The members of the body's JSON object, by name, as views into the body.
using Members = std::map<std::string, Member>;

Members members_in(std::string_view body) {
  std::optional<std::vector<Member>> members = model::members_of(body);
  if (!members) {
    throw InputError("", R"(the body is not a JSON object: give e.g. {"base": "ID", "new": "ID"})");
  }
  Members by_name;
  for (Member& member : *members) by_name[member.name] = std::move(member);
  return by_name;
}

model::Document parse_stored(const std::string& id, std::string text) {
  try {
    return model::parse_copy(std::move(text), "results");
  } catch (const InputError& error) {
    throw DamagedDocument(id, error.what());
  }
}

judge::Side side_of(const Members& request, const char* name, const DocumentOf& document_of) {
  const auto given = request.find(name);
  const Kind kind = given == request.end() ? Kind::other : given->second.kind;
  if (kind != Kind::text && kind != Kind::object) {
    throw InputError(name,
                     "the value is missing, or neither a string nor an object: give the id of a sweep, or a "
                     "result document");
  }
  std::vector<model::Document> documents;
  if (kind == Kind::object) {
    documents.push_back(model::parse_document(given->second.raw, name));
  } else {
    const std::string& id = given->second.text;
    std::optional<std::string> text = document_of(id);
    if (!text) throw InputError(name, "no sweep that has ended with results has the id " + in_quotes(id));
    documents.push_back(parse_stored(id, std::move(*text)));
  }
  return judge::merge(name, std::move(documents));
}

bool truth_of(const Members& request, const std::string& key) {
  const auto given = request.find(key);
  if (given == request.end()) return false;
  if (given->second.kind != Kind::truth) throw InputError(key, "the value must be true or false");
  return given->second.truth;
}

model::ComparisonSettings settings_of(const Members& request) {
  model::ComparisonSettings settings;
  for (const auto& [key, value] : request) {
    if (key == "base" || key == "new" || key == "report") continue;
    if (key == "strict") {
      settings.strict = truth_of(request, "strict");
      continue;
    }
    const auto* const found = std::ranges::find_if(
        settings_by_name, [&name = key](const auto& each) { return each.first == name; });
    if (found == settings_by_name.end()) {
      throw InputError(
          key, "this key does not exist: give base, new, margin, floor, alpha, allow, strict or report");
    }
    if (value.kind != Kind::text)
      throw InputError(key, "the value must be a string: write it as on the command line");
    found->second(value.text, settings);
  }
  return settings;
}

}  // namespace

std::string answer_comparison(std::string body, const DocumentOf& document_of) {
  const model::PaddedText text(std::move(body));
  const Members request = members_in(text.view());
  const model::ComparisonSettings settings = settings_of(request);
  const judge::Side base = side_of(request, "base", document_of);
  const judge::Side now = side_of(request, "new", document_of);
  const bool with_report = truth_of(request, "report");
  const model::Comparison comparison = judge::compare(base, now, settings);
  std::ostringstream out;
  judge::print_comparison_json(out, comparison);
  std::string document = std::move(out).str();
  if (!with_report) return document;
  document.resize(document.find_last_of('}'));
  return document + ", \"report\": " + text_of(json_of(judge::report_of(comparison))) + "}\n";
}

}  // namespace graphbench::service
