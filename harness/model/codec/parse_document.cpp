// Reads the file of a document, after a check of its size. Parses a document, and keeps only the parts of
// each cell that a comparison needs.
#include "harness/model/codec/parse_document.hpp"

#include <simdjson.h>

#include <filesystem>
#include <set>
#include <system_error>
#include <utility>

#include "graphs/base/files.hpp"
#include "graphs/base/text.hpp"
#include "harness/model/codec/json_walk.hpp"

namespace graphbench::model {
namespace {

namespace ondemand = simdjson::ondemand;

Member member_of(std::string name, ondemand::value value) {
  Member member;
  member.name = std::move(name);
  switch (value.type()) {
    case ondemand::json_type::string:
      member.kind = Member::Kind::text;
      member.text = std::string(std::string_view(value.get_string()));
      break;
    case ondemand::json_type::boolean:
      member.kind = Member::Kind::truth;
      member.truth = value.get_bool();
      break;
    case ondemand::json_type::object: {
      ondemand::object object = value.get_object();
      member.kind = Member::Kind::object;
      member.raw = object.raw_json();
      break;
    }
    default:
      break;
  }
  return member;
}

}  // namespace

void cannot_read(const std::string& path, int error) {
  throw InputError(path, "the file cannot be read: " + std::generic_category().message(error));
}

PaddedText read_text(const std::string& path) {
  std::error_code error;  // ignored, because a pipe has no size
  if (const auto size = std::filesystem::file_size(path, error); !error && size > document_bytes_max) {
    throw InputError(path,
                     "the document is larger than " + std::to_string(document_bytes_max >> 20) +
                         " MiB, the limit for one document: split the document into a folder of documents");
  }
  WholeFile file = read_whole_file(path, document_bytes_max);
  if (!file.why_not.empty()) throw InputError(path, "the file " + file.why_not);
  return PaddedText(std::move(file.text));
}

void check_json(std::string_view text, const std::string& source) {
  JsonWalk walk(source);
  walk.document(text, [&](std::string_view, JsonWalk::Value value) { walk.skip(value); });
}

Document parse_document(std::string_view text, const std::string& source) {
  Document document;
  document.source = source;
  DeviceClocks clocks;
  const Result head = walk_document(text, source, [&](ReadCell&& cell) {
    document.cells.push_back(fold(std::move(cell.id), cell.result, clocks));
  });
  if (document.cells.empty())
    throw InputError(source, "\"cells\" is empty, so nothing can be compared: give a document with cells");
  document.facts = facts_of(head);
  document.facts.clocks = std::move(clocks);
  return document;
}

Document parse_copy(std::string text, const std::string& source) {
  return parse_document(PaddedText(std::move(text)).view(), source);
}

std::optional<std::vector<Member>> members_of(std::string_view text) {
  std::vector<Member> members;
  std::set<std::string> seen;
  try {
    ondemand::parser parser;
    ondemand::document json = open_json(parser, text);
    for (ondemand::field field : json.get_object()) {
      std::string name(std::string_view(field.unescaped_key()));
      if (!seen.insert(name).second) throw InputError(name, "the key is given twice: give the key once");
      members.push_back(member_of(std::move(name), field.value()));
    }
    const char* rest = nullptr;
    if (json.current_location().get(rest) == simdjson::SUCCESS) return std::nullopt;
  } catch (const simdjson::simdjson_error&) {
    return std::nullopt;
  }
  return members;
}

}  // namespace graphbench::model
