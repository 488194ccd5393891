// A report: one HTML file, which is the service's page with the documents inside, and loads no other file.
#pragma once

#include <string>
#include <vector>

#include "harness/service/serve/page.hpp"

namespace graphbench::service {

struct NamedText {
  std::string source;
  std::string text;
};

// Readers without scripts get a table of cells only if the report has at most this many.
inline constexpr std::size_t plain_cells_max = 500;

// Makes a report from one result (findings, figures and cells), from two results (with the changes from the
// first to the second), or from a comparison, alone or with one result. Any number of series may be added.
// Throws InputError, which begins with the source, for other documents, and Error(unsupported) if `page` was
// not built in.
std::string make_report(const Page& page, const std::vector<NamedText>& documents);

}  // namespace graphbench::service
