// Runs graphbench show, which prints a result document as the sweep did, or as Markdown or CSV.
#include <unistd.h>

#include <iostream>

#include "graphs/base/text.hpp"
#include "harness/model/codec/documents.hpp"
#include "harness/model/codec/parse_document.hpp"
#include "harness/model/vocabulary.hpp"
#include "harness/options/command.hpp"
#include "harness/options/output.hpp"
#include "harness/sweep/report/table.hpp"

namespace graphbench::cli {
namespace {

void print_console(std::ostream& out, const model::Result& result, const reporters::Columns& columns) {
  reporters::TableOptions table;
  table.colours = wants_colours(STDOUT_FILENO);
  table.width = width_of(STDOUT_FILENO, table.width);
  table.columns = columns;
  reporters::print_table(out, result, table);
}

// Prints Markdown tables. The default columns are those of docs/figures.md.
void print_page(std::ostream& out, const model::Result& result, const reporters::Columns& columns) {
  static const reporters::Columns usual =
      model::metrics_named("--columns", {"submit", "latency", "gain", "even"});
  reporters::print_result_markdown(out, result, columns.empty() ? usual : columns);
}

struct ShowFormat {
  std::string name;
  void (*print)(std::ostream& out, const model::Result& result, const reporters::Columns& columns);
};
const std::vector<ShowFormat> show_formats = {
    {"table", print_console}, {"markdown", print_page}, {"csv", reporters::print_result_csv}};

class ShowCommand final : public Command {
 public:
  explicit ShowCommand(Options& options) {
    options.word("FILE", file_, "a result document that --sweep --json wrote");
    options.text("--format", format_, "FORMAT", join(model::names_of(show_formats)) + " (default: table)");
    options.text("--columns", columns_, "LIST",
                 "columns or metrics, by the names that \"graphbench list metrics\" prints, such as "
                 "submit,gain,memory.pool_bytes (default: the table's columns; for csv, each metric that "
                 "a cell has)");
  }

  void check() override {
    if (file_.empty()) throw InputError("show", "FILE is missing: graphbench show FILE");
    require_known("--format", format_, "format", model::names_of(show_formats));
    if (!columns_.empty()) named_ = model::metrics_named("--columns", split(columns_, ','));
  }

  int run(const Invocation&) override {
    const codec::PaddedText text = codec::read_text(file_);
    const model::Result result = codec::read_result(text.view(), file_);
    std::ranges::find(show_formats, format_, &ShowFormat::name)->print(std::cout, result, named_);
    std::cout.flush();
    return exit_done;
  }

 private:
  std::string file_;
  std::string format_ = "table";
  std::string columns_;
  reporters::Columns named_;
};

}  // namespace

std::unique_ptr<Command> make_show(Options& options) {
  return std::make_unique<ShowCommand>(options);
}

}  // namespace graphbench::cli
