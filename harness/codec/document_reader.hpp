// Reads a result document field by field, whole or in parts. Internal to harness/codec.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "harness/codec/document.hpp"
#include "harness/codec/json_walk.hpp"
#include "harness/codec/read_cells.hpp"
#include "harness/codec/read_facts.hpp"

namespace graphbench::codec {

// Texts are followed by text_padding readable bytes. Throws InputError, as parse_document() does.
class DocumentReader {
 public:
  explicit DocumentReader(const std::string& source) : walk_(source) { document_.source = source; }
  DocumentReader(const DocumentReader&) = delete;
  DocumentReader& operator=(const DocumentReader&) = delete;

  // One document; what its cells must be together is take()'s to check.
  void read(std::string_view text);
  // Some cells of a document, written as {"cells":[...]}, so that they lie as deep as in it.
  void read_cells(std::string_view text);
  // Where in the text of read() the list of cells begins.
  std::size_t cells_at() const { return cells_at_; }
  // All that was read, in that order.
  Document take();

 private:
  using Value = JsonWalk::Value;

  void check_schema(simdjson::ondemand::document& json);
  void read_fields(simdjson::ondemand::document& json, std::string_view text);
  void read_field(std::string_view key, Value value, const char* begin);
  void check_cells() const;

  JsonWalk walk_;
  Document document_;
  FactsReader facts_{walk_, document_.facts};
  CellsReader cells_{walk_, facts_, document_.cells};
  simdjson::ondemand::parser parser_;
  std::size_t cells_at_ = 0;
  bool has_cells_ = false;
};

}  // namespace graphbench::codec
