// One pass over the text, field by field; the schema is looked for first, so that a foreign file is called
// foreign and not damaged.
#include "harness/codec/parse_document.hpp"

#include <simdjson.h>

#include <iterator>
#include <set>
#include <unordered_set>
#include <utility>

#include "harness/codec/document_reader.hpp"
#include "harness/model/input_error.hpp"

namespace graphbench::codec {
namespace {

constexpr std::string_view schema_read = "graphbench.result/1";
static_assert(text_padding >= simdjson::SIMDJSON_PADDING);

// What other programs make of a JSON file, where a parser would speak of malformed strings.
void check_encoding(std::string_view text, const std::string& source) {
  const auto begins = [&](std::string_view bytes) { return text.starts_with(bytes); };
  if (begins("\xEF\xBB\xBF"))
    throw InputError(source, "it begins with a byte order mark: write it as UTF-8 without one");
  if (begins("\xFF\xFE") || begins("\xFE\xFF"))
    throw InputError(source, "it is UTF-16, not JSON: write it as UTF-8");
  if (begins("\x1F\x8B") || begins("\x28\xB5\x2F\xFD"))
    throw InputError(source, "it is compressed: unpack it first");
}

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

void DocumentReader::read(std::string_view text) {
  try {
    simdjson::ondemand::document json =
        parser_.iterate(text.data(), text.size(), text.size() + simdjson::SIMDJSON_PADDING);
    check_schema(json);
    json.rewind();
    read_fields(json, text);
  } catch (const simdjson::simdjson_error& error) {
    walk_.fail(error);
  }
  if (!document_.facts.fields.contains("method"))
    walk_.fail("its plan has no \"method\", so it is not known how it was measured: measure it again");
}

void DocumentReader::read_cells(std::string_view text) {
  try {
    simdjson::ondemand::document json =
        parser_.iterate(text.data(), text.size(), text.size() + simdjson::SIMDJSON_PADDING);
    read_fields(json, text);
  } catch (const simdjson::simdjson_error& error) {
    walk_.fail(error);
  }
}

void DocumentReader::take_cells_of(DocumentReader& other) {
  Document from = std::exchange(other.document_, {});
  document_.cells.insert(document_.cells.end(), std::make_move_iterator(from.cells.begin()),
                         std::make_move_iterator(from.cells.end()));
  document_.facts.clocks.add(from.facts.clocks);
  has_cells_ |= other.has_cells_;
}

void DocumentReader::read_fields(simdjson::ondemand::document& json, std::string_view text) {
  walk_.fields(json, [&](std::string_view key, Value value) { read_field(key, value, text.data()); });
  const char* rest = nullptr;
  if (json.current_location().get(rest) == simdjson::SUCCESS) {
    walk_.fail("it is not JSON: something follows the document");
  }
}

void DocumentReader::check_schema(simdjson::ondemand::document& json) {
  if (json.type() != simdjson::ondemand::json_type::object) {
    walk_.fail("it is JSON, but not a result document: give what --json wrote");
  }
  std::string_view schema;
  const simdjson::error_code error = json.find_field_unordered("schema").get_string().get(schema);
  if (error == simdjson::NO_SUCH_FIELD || error == simdjson::INCORRECT_TYPE) {
    walk_.fail("it has no \"schema\", so it is not a result document: give what --json wrote");
  }
  if (error != simdjson::SUCCESS) throw simdjson::simdjson_error(error);
  if (schema == schema_read) return;
  walk_.fail("its schema is " + in_quotes(head_of(schema, 60)) + "; what can be read is \"" +
             std::string(schema_read) + "\"");
}

void DocumentReader::read_field(std::string_view key, Value value, const char* begin) {
  DocumentFacts& facts = document_.facts;
  if (key == "tool") {
    facts_.read_tool(value);
  } else if (key == "started_at") {
    facts.started_at = walk_.text_or_empty(value);
  } else if (key == "complete") {
    facts.complete = walk_.truth(value);
  } else if (key == "environment") {
    facts_.read_environment(value);
  } else if (key == "plan") {
    facts_.read_plan(value);
  } else if (key == "cells") {
    has_cells_ = true;
    cells_at_ = static_cast<std::size_t>(value.raw_json_token().data() - begin);
    cells_.read_cells(value);
  } else if (key == "ladders") {
    cells_.read_cells(value);  // what is compared of a ladder stands where a cell has it
  } else {
    walk_.skip(value);
  }
}

void DocumentReader::check_cells() const {
  if (!has_cells_) walk_.fail("it has no \"cells\": there is nothing to compare");
  if (document_.cells.empty()) walk_.fail("\"cells\" is empty: there is nothing to compare");
  std::unordered_set<std::string_view> seen;
  seen.reserve(document_.cells.size());
  for (const DocumentCell& cell : document_.cells) {
    if (!seen.insert(cell.id).second) {
      walk_.fail("cell " + in_quotes(cell.id) + " is there twice: ids must differ");
    }
  }
}

Document DocumentReader::take() {
  check_cells();
  auto& fields = document_.facts.fields;
  document_.facts.tool_version = fields["tool.version"];
  document_.facts.tool_commit = fields["tool.commit"];
  return std::move(document_);
}

Document parse_document(std::string_view text, const std::string& source) {
  check_encoding(text, source);
  DocumentReader reader(source);
  reader.read(text);
  return reader.take();
}

Document parse_copy(std::string text, const std::string& source) {
  const std::size_t size = text.size();
  text.resize(size + text_padding);
  return parse_document(std::string_view(text).substr(0, size), source);
}

std::optional<std::vector<Member>> members_of(std::string_view text) {
  std::vector<Member> members;
  std::set<std::string> seen;
  try {
    ondemand::parser parser;
    ondemand::document json =
        parser.iterate(text.data(), text.size(), text.size() + simdjson::SIMDJSON_PADDING);
    for (ondemand::field field : json.get_object()) {
      std::string name(std::string_view(field.unescaped_key()));
      if (!seen.insert(name).second) throw InputError(name, "it is given twice: give it once");
      members.push_back(member_of(std::move(name), field.value()));
    }
    const char* rest = nullptr;
    if (json.current_location().get(rest) == simdjson::SUCCESS) return std::nullopt;
  } catch (const simdjson::simdjson_error&) {
    return std::nullopt;
  }
  return members;
}

}  // namespace graphbench::codec
