// Reads one side of a comparison: a document, or a folder with one document per shard or launch.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/judge/compare/facts.hpp"
#include "harness/model/result.hpp"

namespace graphbench::judge {

struct Side {
  std::string source;
  std::int64_t documents = 0;
  // The facts of all documents, whatever their order: each fact's sorted distinct values joined by "+", and
  // the earliest started_at. `complete` is true if all documents are complete.
  DocumentFacts facts;
  std::vector<DocumentCell> cells;
};

// Reads the file, or the folder's *.json files in the order of their names. Throws InputError, which names
// the file and the fault. Two names for one file are a fault too.
Side read_side(const std::string& path);

// The result of read_sides(), which reads both sides concurrently unless one is a pipe.
struct Sides {
  Side base;
  Side now;
};
Sides read_sides(const std::string& base, const std::string& now);

Side side_of(const model::Result& result, const std::string& source);

// Merges cells by id: appends their launches and keeps the worst state. `documents` is not empty. Throws
// InputError if documents differ in device or software, share a cell but not the plan, or are copies.
Side merge(const std::string& source, std::vector<Document> documents);

}  // namespace graphbench::judge
