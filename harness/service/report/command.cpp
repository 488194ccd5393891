// Runs graphbench report, which writes documents as one web page.
#include "harness/options/command.hpp"

#include <cstdio>

#include "graphs/base/error.hpp"
#include "graphs/base/text.hpp"
#include "harness/model/codec/parse_document.hpp"
#include "harness/options/output.hpp"
#include "harness/service/report/report.hpp"

namespace graphbench::service {
namespace {

class ReportCommand final : public options::Command {
 public:
  explicit ReportCommand(options::Options& options) {
    options.words(
        "DOC", paths_,
        "one result, or two (BASE and NEW), which --sweep --json wrote, or one comparison, which compare "
        "--format json wrote; and any number of series, which history show --format json wrote");
    options.text("-o,--output", output_, "FILE",
                 "write the report to FILE; - for stdout (default: report.html)");
  }

  void check() override {
    if (paths_.empty()) throw InputError("report", "DOC is missing: graphbench report DOC... -o report.html");
  }

  int run(const options::Invocation&) override {
    for (const std::string& path : paths_) {
      if (options::same_file(path, output_))
        throw InputError("-o", in_quotes(output_) + " is one of the documents: give another file");
    }
    options::check_output_file("-o", output_, options::Stdout::allowed);
    std::vector<NamedText> documents;
    for (const std::string& path : paths_)
      documents.push_back({path, std::string(model::read_text(path).view())});
    options::write_document(output_, service::make_report(built_in_page, documents), "-o: ");
    return model::exit_done;
  }

 private:
  std::vector<std::string> paths_;
  std::string output_ = "report.html";
};

}  // namespace

std::unique_ptr<options::Command> make_report(options::Options& options) {
  return std::make_unique<ReportCommand>(options);
}

}  // namespace graphbench::service
