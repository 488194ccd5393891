// libFuzzer target: any one or two texts, which a line break before "{" divides, are the documents of a
// report, or are refused with one line. A report's documents are JSON, and no text of theirs leaves its
// element.
#include "harness/service/report/report.hpp"

#include <nlohmann/json.hpp>

#include "tests/fuzz/target.hpp"

namespace graphbench::fuzz {
namespace {

constexpr service::Page page = {"<body><noscript></noscript><!--POLICY--><!--DOCUMENTS-->",
                                "script-src 'self'"};
constexpr std::string_view begins = "<script type=\"application/json\" id=\"documents\">";
constexpr std::string_view ends = "</script>";

std::string_view behind(std::string_view text, std::string_view mark) {
  const std::size_t at = text.find(mark);
  expect(at != std::string_view::npos);
  return text.substr(at + mark.size());
}

void hold_page(std::string_view html) {
  const std::string_view documents = behind(html, begins);
  const std::string_view rest = behind(documents, ends);
  expect(rest.find('<') == rest.find("<!--") && rest.find(ends) == std::string_view::npos);
  expect(nlohmann::json::accept(documents.substr(0, documents.find(ends))));
}

}  // namespace

void hold(std::string_view bytes) {
  std::vector<service::NamedText> documents;
  const std::size_t at = bytes.find("\n{");
  documents.push_back({"fuzz", std::string(bytes.substr(0, at))});
  if (at != std::string_view::npos) documents.push_back({"fuzz", std::string(bytes.substr(at + 1))});
  try {
    hold_page(service::make_report(page, documents));
  } catch (const InputError& error) {
    expect(std::string_view(error.what()).starts_with("fuzz") && is_one_line(error.what()));
  }
}

}  // namespace graphbench::fuzz
