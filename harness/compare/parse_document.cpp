// One pass over the text, field by field; the schema is looked for first, so that a foreign file is
// called foreign and not damaged.
#include "harness/compare/parse_document.hpp"

#include <algorithm>
#include <unordered_set>
#include <utility>
#include <vector>

#include "harness/compare/json_walk.hpp"
#include "harness/compare/read_facts.hpp"
#include "harness/config/input_error.hpp"

namespace graphbench::compare {
namespace {

using Value = JsonWalk::Value;

constexpr std::string_view schema_read = "graphbench.result/1";
static_assert(text_padding >= simdjson::SIMDJSON_PADDING);

class DocumentReader {
 public:
  explicit DocumentReader(const std::string& source) : walk_(source) { document_.source = source; }

  Document read(std::string_view text) {
    try {
      simdjson::ondemand::parser parser;
      simdjson::ondemand::document json =
          parser.iterate(text.data(), text.size(), text.size() + simdjson::SIMDJSON_PADDING);
      check_schema(json);
      json.rewind();
      walk_.fields(json, [&](std::string_view key, Value value) { read_field(key, value); });
      const char* rest = nullptr;
      if (json.current_location().get(rest) == simdjson::SUCCESS) {
        walk_.fail("it is not JSON: something follows the document");
      }
    } catch (const simdjson::simdjson_error& error) {
      walk_.fail(error);
    }
    check_cells();
    return std::move(document_);
  }

 private:
  void check_schema(simdjson::ondemand::document& json) {
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
    walk_.fail("its schema is " + config::in_quotes(schema.substr(0, 60)) + "; what can be read is \"" +
               std::string(schema_read) + "\"");
  }

  void read_field(std::string_view key, Value value) {
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
      walk_.elements(value, [&](Value cell) { read_cell(cell); });
    } else {
      walk_.skip(value);
    }
  }

  void read_cell(Value value) {
    DocumentCell cell;
    bool has_status = false;
    walk_.fields(value, [&](std::string_view key, Value field) {
      if (key == "id") {
        cell.id = walk_.text(field);
        if (cell.id.empty()) walk_.fail("\"\" is not the id of a cell");
      } else if (key == "status") {
        cell.state = read_state(field);
        has_status = true;
      } else if (key == "reason") {
        cell.reason = read_reason(field);
      } else if (key == "launches") {
        if (!walk_.is_null(field)) read_launches(field, cell);
      } else {
        walk_.skip(field);
      }
    });
    if (cell.id.empty()) walk_.fail("the cell has no \"id\"");
    if (!has_status) walk_.fail("cell " + config::in_quotes(cell.id) + " has no \"status\"");
    if (cell.state == CellState::ok) check_measured(cell);
    document_.cells.push_back(std::move(cell));
  }

  void check_measured(const DocumentCell& cell) {
    const std::string name = "cell " + config::in_quotes(cell.id) + " is ok, but ";
    if (cell.launches.empty()) walk_.fail(name + "has no launches: there must be one at least");
    for (const LaunchTimes& launch : cell.launches) {
      if (launch.latency > 0 || launch.submit > 0 || launch.device > 0 || launch.capture > 0) return;
    }
    walk_.fail(name + "no launch of it holds a time");
  }

  CellState read_state(Value value) {
    const std::string text = walk_.text(value);
    if (text == "ok") return CellState::ok;
    if (text == "skipped") return CellState::skipped;
    if (text == "failed") return CellState::failed;
    walk_.fail(config::in_quotes(text) + " is not a status: ok, skipped and failed are");
  }

  std::string read_reason(Value value) {
    if (walk_.is_null(value)) return "";
    std::string code;
    std::string message;
    walk_.fields(value, [&](std::string_view key, Value field) {
      if (key == "code") {
        code = walk_.text_or_empty(field);
      } else if (key == "message") {
        message = walk_.text_or_empty(field);
      } else {
        walk_.skip(field);
      }
    });
    return code.empty() || message.empty() ? code + message : code + ": " + message;
  }

  void read_launches(Value value, DocumentCell& cell) {
    std::vector<std::int64_t> indices;  // that the document says
    walk_.elements(value, [&](Value launch) {
      LaunchTimes times;
      times.index = static_cast<std::int64_t>(cell.launches.size());
      walk_.fields(launch, [&](std::string_view key, Value field) {
        if (key == "index") {
          times.index = walk_.count(field);
          indices.push_back(times.index);
        } else if (key == "latency_seconds") {
          times.latency = read_summary(field);
        } else if (key == "submit_seconds") {
          times.submit = read_summary(field);
        } else if (key == "device_seconds") {
          times.device = read_summary(field);
        } else if (key == "setup") {
          times.capture = read_setup(field);
        } else if (key == "machine" && walk_.is_object(field)) {
          facts_.read_clocks(field);
        } else {
          walk_.skip(field);
        }
      });
      cell.launches.push_back(times);
    });
    std::ranges::sort(indices);
    const auto repeated = std::ranges::adjacent_find(indices);
    if (repeated == indices.end()) return;
    walk_.fail("index " + std::to_string(*repeated) + " is there twice: a launch counts once");
  }

  // The p50, after a look at everything that is a time; 0 for null.
  double read_summary(Value value) {
    if (walk_.is_null(value)) return 0;
    double p50 = 0;
    walk_.fields(value, [&](std::string_view key, Value field) {
      if (key == "p50") {
        p50 = walk_.positive_seconds(field);
      } else if (is_time(key)) {
        if (!walk_.is_null(field)) walk_.seconds_or_none(field);
      } else {
        walk_.skip(field);
      }
    });
    if (p50 <= 0) walk_.fail("it has no \"p50\"");
    return p50;
  }

  static bool is_time(std::string_view key) {
    return key == "min" || key == "max" || key == "mean" || key == "stddev" || key == "p90" || key == "p99";
  }

  double read_setup(Value value) {
    if (walk_.is_null(value)) return 0;
    double capture = 0;
    walk_.fields(value, [&](std::string_view key, Value field) {
      if (!key.ends_with("_seconds")) return walk_.skip(field);
      if (walk_.is_null(field)) return;
      const double seconds = walk_.seconds_or_none(field);
      if (key == "capture_seconds") capture = seconds;
    });
    return capture;
  }

  void check_cells() {
    if (!has_cells_) walk_.fail("it has no \"cells\": there is nothing to compare");
    if (document_.cells.empty()) walk_.fail("\"cells\" is empty: there is nothing to compare");
    std::unordered_set<std::string_view> seen;
    seen.reserve(document_.cells.size());
    for (const DocumentCell& cell : document_.cells) {
      if (!seen.insert(cell.id).second) {
        walk_.fail("cell " + config::in_quotes(cell.id) + " is there twice: ids must differ");
      }
    }
    auto& fields = document_.facts.fields;
    document_.facts.tool_version = fields["tool.version"];
    document_.facts.tool_commit = fields["tool.commit"];
  }

  JsonWalk walk_;
  Document document_;
  FactsReader facts_{walk_, document_.facts};
  bool has_cells_ = false;
};

}  // namespace

Document parse_document(std::string_view text, const std::string& source) {
  return DocumentReader(source).read(text);
}

}  // namespace graphbench::compare
