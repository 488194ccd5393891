// The body of POST /v1/compare: two sweeps by id, or two documents, and how to compare them.
#pragma once

#include <functional>
#include <optional>
#include <string>

namespace graphbench::serve {

// `document_of` returns an ended sweep's result document, or nothing. Returns a document
// graphbench.comparison/1. Throws InputError for a body, id or document that cannot be used. Reads no file.
std::string answer_comparison(
    std::string body, const std::function<std::optional<std::string>(const std::string&)>& document_of);

}  // namespace graphbench::serve
