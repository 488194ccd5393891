// One side of a comparison from disk: a document, or a folder of them (one a shard or launch) merged.
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
  // Several documents: every value of a fact once, sorted, joined by "+"; started_at the earliest, complete
  // where all are. Does not depend on the order of the documents.
  DocumentFacts facts;
  std::vector<DocumentCell> cells;
};

// Reads the file, or the *.json files of the folder in the order of their names; two names of one file
// are refused. Throws InputError naming the file and what is wrong with it.
Side read_side(const std::string& path);

// Both sides, at once unless one is a pipe.
struct Sides {
  Side base;
  Side now;
};
Sides read_sides(const std::string& base, const std::string& now);

// A result that is in memory, as the one document of a side.
Side side_of(const model::Result& result, const std::string& source);

// Merges cells by id: launches one after the other, the worst state wins. Documents of one side must
// come from one device and one software, cells that several of them hold from one plan, and no launch
// may be there twice; throws InputError otherwise. `documents` is not empty.
Side merge(const std::string& source, std::vector<Document> documents);

}  // namespace graphbench::compare
