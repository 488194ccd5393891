// Runs graphbench show, which prints a result document as the sweep did, or in another format.
#include "graphs/base/text.hpp"
#include "harness/model/codec/documents.hpp"
#include "harness/model/codec/parse_document.hpp"
#include "harness/options/command.hpp"
#include "harness/sweep/report/print_report.hpp"
#include "harness/sweep/report/result_report.hpp"

namespace graphbench::cli {
namespace {

class ShowCommand final : public options::Command {
 public:
  explicit ShowCommand(options::Options& options) : format_(options) {
    options.word("FILE", file_, "a result document that --sweep --json wrote");
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
    const model::Result result = model::read_result(text.view(), file_);
    format_.print(sweep::report_of(result, named_), [&] { return std::string(text.view()); });
    return model::exit_done;
  }

 private:
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
