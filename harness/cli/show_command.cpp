// Runs graphbench show, which prints a document as the sweep, ladder or bill did, or in another format.
#include "graphs/base/text.hpp"
#include "harness/bill/bill_table.hpp"
#include "harness/ladder/ladder_table.hpp"
#include "harness/model/codec/documents.hpp"
#include "harness/model/codec/parse_document.hpp"
#include "harness/model/findings/findings.hpp"
#include "harness/options/command.hpp"
#include "harness/sweep/report/print_report.hpp"
#include "harness/sweep/report/result_report.hpp"

namespace graphbench::cli {
namespace {

class ShowCommand final : public options::Command {
 public:
  explicit ShowCommand(options::Options& options) : format_(options) {
    options.word("FILE", file_, "a document that --json of a sweep, ladder or bill wrote");
    options.text("--columns", columns_, "LIST",
                 "columns or metrics, by the names that \"graphbench list metrics\" prints, such as "
                 "submit,gain,memory.pool_bytes (default: the table's columns; for csv, each metric that "
                 "a cell has)");
  }

  void check() override {
    if (file_.empty()) throw InputError("show", "FILE is missing: graphbench show FILE");
    format_.check();
    if (!columns_.empty()) named_ = model::metrics_named("--columns", split(columns_, ','));
  }

  int run(const options::Invocation&) override {
    const model::PaddedText text = model::read_text(file_);
    model::Result result = model::read_result(text.view(), file_);
    format_.print(report_of(text.view(), result), [&] { return std::string(text.view()); });
    return model::exit_done;
  }

 private:
  // Ladders and bills have no cells.
  reporters::Report report_of(std::string_view text, model::Result& result) const {
    const std::vector<bill::Bill> bills = bill::read_bills(text, file_);
    const ladder::LadderFindings found = ladder::read_findings(text, file_);
    const bool has_ladders = !found.ladders.empty() || !found.suggestions.empty() || !found.closed.empty();
    if (bills.empty() && !has_ladders) return sweep::report_of(result, named_);
    if (!named_.empty())
      throw InputError("--columns", "the option would change nothing: " + in_quotes(file_) + " has no cells");
    reporters::Report report = has_ladders ? ladder::report_of(found) : bill::report_of(bills);
    report.started_at = result.started_at;
    report.head.push_back({sweep::device_text(result)});
    if (!bills.empty()) result.trust_elsewhere = model::trust_in(result.environment).text;
    sweep::add_notes(report, result);
    return report;
  }

  std::string file_;
  sweep::ReportFormat format_;
  std::string columns_;
  sweep::Columns named_;
};

}  // namespace

std::unique_ptr<options::Command> make_show(options::Options& options) {
  return std::make_unique<ShowCommand>(options);
}

}  // namespace graphbench::cli
