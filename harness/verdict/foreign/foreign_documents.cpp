// Recognises formats by the names at the top level of a document.
#include "harness/verdict/foreign/foreign_documents.hpp"

#include <simdjson.h>

#include <unordered_set>

#include "harness/codec/parse_document.hpp"
#include "harness/model/input_error.hpp"

namespace graphbench::compare {
namespace {

struct TopLevel {
  bool schema = false;
  bool context = false;
  bool devices = false;
  bool benchmarks = false;
};

// Reads as far as the text is valid; the format's own reader reports the damage.
TopLevel look_at(std::string_view text) {
  TopLevel found;
  try {
    simdjson::ondemand::parser parser;
    simdjson::ondemand::document json =
        parser.iterate(text.data(), text.size(), text.size() + simdjson::SIMDJSON_PADDING);
    for (simdjson::ondemand::field field : json.get_object()) {
      const std::string_view key = field.unescaped_key();
      found.schema = found.schema || key == "schema";
      found.context = found.context || key == "context";
      found.devices = found.devices || key == "devices";
      found.benchmarks = found.benchmarks || key == "benchmarks";
      if (found.schema) break;
    }
  } catch (const simdjson::simdjson_error&) {
    return found;
  }
  return found;
}

// Our own documents are large and begin with their schema: they are recognised without indexing the text.
bool begins_with_schema(std::string_view text) {
  constexpr std::string_view blanks = " \t\r\n";
  std::size_t at = text.find_first_not_of(blanks);
  if (at == std::string_view::npos || text[at] != '{') return false;
  at = text.find_first_not_of(blanks, at + 1);
  return at != std::string_view::npos && text.substr(at).starts_with("\"schema\"");
}

}  // namespace

DocumentFormat format_of(std::string_view text) {
  if (begins_with_schema(text)) return DocumentFormat::graphbench;
  const TopLevel found = look_at(text);
  if (found.schema || !found.benchmarks) return DocumentFormat::graphbench;
  if (found.context) return DocumentFormat::google_benchmark;
  return found.devices ? DocumentFormat::nvbench : DocumentFormat::graphbench;
}

Document parse_any_document(std::string_view text, const std::string& source) {
  switch (format_of(text)) {
    case DocumentFormat::google_benchmark:
      return parse_google_benchmark(text, source);
    case DocumentFormat::nvbench:
      return parse_nvbench(text, source);
    case DocumentFormat::graphbench:
      break;
  }
  return parse_document(text, source);
}

void check_cells(const codec::JsonWalk& walk, const Document& document) {
  if (document.cells.empty()) walk.fail("it holds no benchmark that ran: there is nothing to compare");
  std::unordered_set<std::string_view> seen;
  seen.reserve(document.cells.size());
  for (const DocumentCell& cell : document.cells) {
    if (!seen.insert(cell.id).second) {
      walk.fail("benchmark " + in_quotes(cell.id) + " is there twice: names must differ");
    }
  }
}

}  // namespace graphbench::compare
