// Walks over a document. Checks the schema first, so that the error for another kind of file names the kind.
#include <simdjson.h>

#include <unordered_set>
#include <utility>

#include "graphs/base/text.hpp"
#include "harness/model/codec/check_cell.hpp"
#include "harness/model/codec/check_summaries.hpp"
#include "harness/model/codec/parse_document.hpp"
#include "harness/model/codec/result_fields.hpp"

namespace graphbench::model {
namespace {

constexpr std::string_view schema_read = "graphbench.result/1";
constexpr std::string_view bill_schema = "graphbench.bill/1";  // has "bills" in place of "cells"
static_assert(text_padding >= simdjson::SIMDJSON_PADDING);

// Refuses encodings that other programs produce. The parser would only report malformed strings.
void check_encoding(std::string_view text, const std::string& source) {
  const auto begins = [&](std::string_view bytes) { return text.starts_with(bytes); };
  if (begins("\xEF\xBB\xBF"))
    throw InputError(source,
                     "the file begins with a byte order mark: write the file as UTF-8 without the mark");
  if (begins("\xFF\xFE") || begins("\xFE\xFF"))
    throw InputError(source, "the file is UTF-16, not JSON: write the file as UTF-8");
  if (begins("\x1F\x8B") || begins("\x28\xB5\x2F\xFD"))
    throw InputError(source, "the file is compressed: decompress the file first");
}

class DocumentWalk {
 public:
  using Value = JsonWalk::Value;

  DocumentWalk(const std::string& source, const CellVisitor& visit) : walk_(source), visit_(visit) {
    head_.complete = true;
    head_.plan.method = 0;
    head_.plan.gains = 1;
    head_.plan.launches = 0;
  }

  Result read(std::string_view text) {
    try {
      json_ = open_json(parser_, text);
      check_schema();
      json_.rewind();
      walk_.each_field(json_, [this](std::string_view key, Value value) { read_field(key, value); });
    } catch (const simdjson::simdjson_error& error) {
      walk_.fail(error);
    }
    if (head_.plan.method == 0)
      walk_.fail("the plan has no \"method\", so the way of measuring is unknown: measure again");
    if (!has_cells_) walk_.fail("the document has no \"cells\"");
    summaries_.check(head_, says_complete_, walk_);
    return std::move(head_);
  }

 private:
  void check_schema() {
    if (json_.type() != simdjson::ondemand::json_type::object)
      walk_.fail("the file is JSON, but not a result document: give a file that --json wrote");
    std::string_view schema;
    const simdjson::error_code error = json_.find_field_unordered("schema").get_string().get(schema);
    if (error == simdjson::NO_SUCH_FIELD || error == simdjson::INCORRECT_TYPE)
      walk_.fail("the file has no \"schema\", so it is not a result document: give a file that --json wrote");
    if (error != simdjson::SUCCESS) throw simdjson::simdjson_error(error);
    if (schema == schema_read || schema == bill_schema) return;
    walk_.fail("the schema is " + in_quotes(head_of(schema, 60)) + "; this program reads \"" +
               std::string(schema_read) + "\"");
  }

  void read_field(std::string_view key, Value value) {
    if (key == "cells" || key == "ladders" || key == "bills") {
      has_cells_ |= key != "ladders";
      walk_.each_element(value, [&](Value cell) { read_cell(cell, key != "cells"); });
      return;
    }
    if (key == "plan" && walk_.is_null(value)) return;  // null is treated like a missing key
    JsonReader(walk_).read_field(key, value, head_);
    if (key == "plan") check_looks();
    if (key == "complete") says_complete_ = head_.complete;
  }

  void check_looks() const {
    if (!head_.plan.interleaved) return;
    constexpr std::size_t looks_max = 20;
    const std::vector<std::int64_t>& looks = head_.plan.interleaved->looks;
    std::int64_t before = 0;
    for (const std::int64_t look : looks) {
      if (look <= before || looks.size() > looks_max) {
        walk_.fail_below("interleaved.looks",
                         "looks must be at most 20 numbers of launches, each larger than the one before");
      }
      before = look;
    }
  }

  void read_cell(Value value, bool is_ladder) {
    ReadCell cell;
    cell.is_ladder = is_ladder;
    const char* const begin = value.raw_json_token().data();
    JsonWalk::Subject subject(walk_);
    walk_.each_field(value, [&](std::string_view key, Value field) {
      if (key == "id") {
        cell.id = walk_.text(field);
        if (cell.id.empty()) walk_.fail("\"\" is not the id of a cell");
        subject.is(cell.id);
      } else if (key == "launches") {
        if (!walk_.is_null(field)) read_launches(field, cell.result.launches);
      } else {
        JsonReader(walk_).read_field(key, field, cell.result);
      }
    });
    if (cell.id.empty()) walk_.fail("the cell has no \"id\"");
    if (cell.result.status == CellStatus::pending)
      walk_.fail("the cell has no \"status\" of ok, skipped or failed");
    checker_.check(cell.id, cell.result);
    if (!ids_.insert(cell.id).second)
      walk_.fail("cell " + in_quotes(cell.id) + " appears twice: ids must differ");
    summaries_.add(walk_.place(), cell.id, cell.result, is_ladder);
    const char* end = nullptr;  // after the cell and the spaces that follow it
    if (json_.current_location().get(end) != simdjson::SUCCESS)
      walk_.fail("the file is not JSON, or only a part of a document: the text is damaged or cut off here");
    cell.text = {begin, static_cast<std::size_t>(end - begin)};
    cell.text = cell.text.substr(0, cell.text.rfind('}') + 1);
    visit_(std::move(cell));
  }

  // A launch without an index gets its position in the list.
  void read_launches(Value list, std::vector<Launch>& launches) {
    walk_.each_element(list, [&](Value value) {
      Launch& launch = launches.emplace_back();
      launch.index = static_cast<std::int64_t>(launches.size()) - 1;
      walk_.each_field(value, [&](std::string_view key, Value field) {
        JsonReader(walk_).read_field(key, field, launch);
      });
    });
  }

  JsonWalk walk_;
  const CellVisitor& visit_;
  const CellChecker checker_{walk_};
  simdjson::ondemand::parser parser_;
  simdjson::ondemand::document json_;
  Result head_;
  SummaryChecker summaries_;
  std::unordered_set<std::string> ids_;
  bool has_cells_ = false;
  bool says_complete_ = false;
};

}  // namespace

Result walk_document(std::string_view text, const std::string& source, const CellVisitor& visit) {
  check_encoding(text, source);
  return DocumentWalk(source, visit).read(text);
}

}  // namespace graphbench::model
