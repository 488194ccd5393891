// A report: the service's page with documents inside of it, one HTML file that asks for nothing from
// anywhere.
#pragma once

#include <string>
#include <vector>

#include "harness/service/serve/page.hpp"

namespace graphbench::report {

struct NamedText {
  std::string source;  // where it is from, for messages
  std::string text;
};

// A report of more cells has no table of them for readers without scripts.
inline constexpr std::size_t plain_cells_max = 500;

// Makes a report of one result (findings, figures and cells), or of two, where the second is NEW and the
// report also has the changes; or of a comparison, alone or with one result; and of any number of series.
// Throws InputError, which begins with the source, for other documents, and Error(unsupported) if `page` was
// not built in.
std::string make_report(const serve::Page& page, const std::vector<NamedText>& documents);

}  // namespace graphbench::report
