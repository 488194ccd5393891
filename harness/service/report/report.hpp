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

// More cells than these have no table that is there without scripts.
inline constexpr std::size_t plain_cells_max = 500;

// A result gives findings, figures and cells; a second one, NEW, gives its own, and what changed. Instead, or
// with one result, a comparison; and any number of series. Throws InputError, which begins with the
// source, for other documents, and Error(unsupported) where `page` was not built in.
std::string make_report(const serve::Page& page, const std::vector<NamedText>& documents);

}  // namespace graphbench::report
