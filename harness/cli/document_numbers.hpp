// The numbers of all documents that graphbench writes.
#pragma once

#include <string>
#include <vector>

namespace graphbench::cli {

struct DocumentNumber {
  std::string document;  // the schema's name: "graphbench.bill/1"
  std::string path;      // in the document: "bills[].prediction.bytes.expected"
  std::string unit;      // "seconds", "bytes", ...; empty: a count, ratio or share
  std::string help;      // empty: the path says what it is
};

// By document, in the order of the document. Lacks the metrics of cells, which model::metrics() has.
std::vector<DocumentNumber> document_numbers();

}  // namespace graphbench::cli
