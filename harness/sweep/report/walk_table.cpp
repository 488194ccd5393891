// Prints the walks of --shape-trace below the table of cells.
#include "harness/model/axes.hpp"
#include "harness/model/statistics/quantiles.hpp"
#include "harness/sweep/report/table.hpp"
#include "reporters/format.hpp"

namespace graphbench::reporters {
namespace {

constexpr std::size_t rows_max = 20;

std::string row_of(const std::string& step, const std::string& batch, const std::string& program,
                   const std::string& outcome, const std::string& time) {
  return right(step, 6) + right(batch, 7) + "  " + left(program, 12) + left(outcome, 15) + right(time, 8) +
         "  ";
}

void print_walk(std::ostream& out, const model::CellResult& cell, const TableOptions& options) {
  const model::ShapeWalk& walk = *cell.shape_walk;
  out << paint("shapes of " + one_line(model::id_of(cell.cell)), Colour::bold, options.colours) << '\n'
      << paint(row_of("step", "batch", "program", "outcome", "time") + "why", Colour::dim, options.colours)
      << '\n';
  std::vector<double> hits;
  std::size_t made = 0;
  for (const model::TracedStep& step : walk.traces) {
    if (step.reason.empty()) {
      hits.push_back(step.seconds);
    } else if (made++ < rows_max) {
      out << row_of(std::to_string(step.id), std::to_string(step.batch), step.signature, step.outcome,
                    format_seconds(step.seconds))
          << one_line(step.reason) << '\n';
    }
  }
  if (made > rows_max)
    out << "  and " << made - rows_max << " more steps that needed a new program or recording\n";
  out << "  " << hits.size() << " of " << walk.traces.size() << " steps needed no new program or recording";
  if (!hits.empty()) out << ", and took " << format_seconds(statistics::median(hits));
  out << "; " << walk.programs << (walk.programs == 1 ? " program is" : " programs are") << " kept\n";
}

}  // namespace

void print_walks(std::ostream& out, const model::Result& result, const TableOptions& options) {
  for (const model::CellResult& cell : result.cells) {
    if (cell.shape_walk && cell.status == model::CellStatus::ok) print_walk(out, cell, options);
  }
}

}  // namespace graphbench::reporters
