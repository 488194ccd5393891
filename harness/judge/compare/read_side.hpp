// Reads one side of a comparison: a document, or a folder of them (one per shard or launch), which it merges.
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
  // Several documents have each value of a fact once, sorted, joined by "+", the earliest started_at, and are
  // complete where all are. The facts do not depend on the order of the documents.
  DocumentFacts facts;
  std::vector<DocumentCell> cells;
};

// Reads the file, or the *.json files of the folder in the order of their names; two names of one file
// are refused. Throws InputError, which names the file and what is wrong with it.
Side read_side(const std::string& path);

// Both sides, which are read at once unless one is a pipe.
struct Sides {
  Side base;
  Side now;
};
Sides read_sides(const std::string& base, const std::string& now);

// Makes a side of a result that is in memory.
Side side_of(const model::Result& result, const std::string& source);

// Merges cells by id: launches one after the other, the worst state wins. Documents of one side must come
// from one device and one software, cells that several of them hold from one plan, and each launch may occur
// once; throws InputError otherwise. `documents` is not empty.
Side merge(const std::string& source, std::vector<Document> documents);

}  // namespace graphbench::compare
