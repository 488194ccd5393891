// Reads one side of a comparison: a document, or a folder with one document per shard or launch.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/judge/compare/facts.hpp"
#include "harness/model/result.hpp"

namespace graphbench::compare {

struct Side {
  std::string source;
  std::int64_t documents = 0;
  // Facts of several documents are merged: the sorted distinct values joined by "+", the earliest started_at,
  // `complete` if all documents are. They do not depend on the order of the documents.
  DocumentFacts facts;
  std::vector<DocumentCell> cells;
};

// Reads the file, or the folder's *.json files in the order of their names. Throws InputError, which names
// the file and the fault, also if two names refer to one file.
Side read_side(const std::string& path);

// Both sides. They are read concurrently unless one is a pipe.
struct Sides {
  Side base;
  Side now;
};
Sides read_sides(const std::string& base, const std::string& now);

// Makes a side of a result that is in memory.
Side side_of(const model::Result& result, const std::string& source);

// Merges cells by id: appends their launches and keeps the worst state. Throws InputError if documents differ
// in device or software, if documents that share a cell differ in plan, or if one is a copy of another.
// `documents` is not empty.
Side merge(const std::string& source, std::vector<Document> documents);

}  // namespace graphbench::compare
