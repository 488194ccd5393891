// Tests a result as Markdown and CSV: the contents of a row, and that names from a document stay plain text.
#include <gmock/gmock.h>

#include <algorithm>
#include <sstream>
#include <tuple>

#include "graphs/base/text.hpp"
#include "harness/sweep/report/result_report.hpp"
#include "tests/golden/sample_results.hpp"

namespace graphbench::sweep {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

model::Estimate estimate(double p50, double low, double high) {
  return {.p50 = p50, .ci95_low = low, .ci95_high = high, .between_launches = {}, .within_launch = {}};
}

std::string markdown(const model::Result& result, const std::vector<std::string>& columns) {
  std::ostringstream out;
  reporters::format_named("markdown")
      .print(out, report_of(result, model::metrics_named("--columns", columns)), {});
  return out.str();
}

std::vector<std::string> csv(const model::Result& result, const std::vector<std::string>& columns) {
  std::ostringstream out;
  reporters::format_named("csv").print(out, report_of(result, model::metrics_named("--columns", columns)),
                                       {});
  return split(out.str(), '\n');
}

TEST(ResultMarkdown, HasARowABatchAndTheModesSideBySide) {
  const model::Result result = samples::small_result();
  const std::string text = markdown(result, {"submit", "gain"});
  EXPECT_THAT(text, HasSubstr("|  | eager submit | whole submit | whole gain | piecewise submit | "
                              "piecewise gain |\n| --- | --- | --- | --- | --- | --- |\n"));
  for (const std::string& line : split(text, '\n')) {
    if (line.starts_with('|')) {
      EXPECT_EQ(std::ranges::count(line, '|'), 7) << line;
    }
  }
  EXPECT_THAT(text,
              StartsWith("- **mlp**: At batch 1 the best graphs gain &#126;2.40x over eager in one process"))
      << "conclusions come first, and a tilde strikes nothing through";
  EXPECT_THAT(text, HasSubstr("\n  - **cost**: ")) << "a line per label";
  EXPECT_THAT(text, HasSubstr("<details><summary>More conclusions</summary>\n\n- **mlp**: Piecewise"));
  EXPECT_THAT(text, HasSubstr("host&#95;op")) << "why a cell has no numbers";
}

TEST(ResultMarkdown, ShowsHalfOfAnInterval) {
  model::Result result = samples::small_result();
  result.cells.front().summary.submit_seconds = estimate(100e-6, 98e-6, 104e-6);
  EXPECT_THAT(markdown(result, {"submit"}), HasSubstr("100us ±3 % |"));
  for (const auto& [low, high, half] :
       {std::tuple(98.4e-6, 98.8e-6, "±0.2 %"), std::tuple(30e-6, 180e-6, "±75 %")}) {
    result.cells.front().summary.submit_seconds = estimate(100e-6, low, high);
    EXPECT_THAT(markdown(result, {"submit"}), HasSubstr(half));
  }
  result.cells.front().summary.submit_seconds->ci95_low.reset();
  EXPECT_THAT(markdown(result, {"submit"}), Not(HasSubstr("±")));
}

TEST(ResultMarkdown, NamesMarkNothingUp) {
  model::Result result = samples::small_result();
  for (model::CellResult& cell : result.cells) cell.cell.workload = "a|b<i>[x](y)";
  EXPECT_THAT(markdown(result, {"submit"}), AllOf(HasSubstr("a&#124;b&#60;i&#62;&#91;x&#93;(y) b"),
                                                  Not(HasSubstr("a|b")), Not(HasSubstr("<i>"))));
}

TEST(ResultMarkdown, RowsAreNamedByWhatDiffers) {
  model::Result result = samples::small_result();
  result.cells[1].cell.more_axes["io"] = "copy_in";
  EXPECT_THAT(markdown(result, {"submit"}), HasSubstr(" io=copy&#95;in |"));
}

TEST(ResultCsv, HasARowACellAndNumbersInTheirUnits) {
  model::Result result = samples::small_result();
  model::CellResult& first = result.cells.front();
  first.cell.workload = "a,\"b\"";
  first.summary.submit_seconds = estimate(100e-6, 98e-6, 104e-6);
  const std::vector<std::string> lines = csv(result, {"submit", "memory.pool_bytes"});
  ASSERT_EQ(lines.size(), result.cells.size() + 2) << "a heading, and nothing behind the last end of a line";
  EXPECT_EQ(lines[0],
            "id,workload,preset,dtype,pass,batch,warmup,mode,status,reason,launches[].submit_seconds,"
            "launches[].submit_seconds.ci95_low,launches[].submit_seconds.ci95_high,memory.pool_bytes");
  EXPECT_THAT(lines[1], AllOf(HasSubstr(",\"a,\"\"b\"\"\","), HasSubstr(",9.8e-05,0.000104,")));
  EXPECT_THAT(csv(result, {}).front(), HasSubstr("graph.nodes"));
  EXPECT_THAT(csv(result, {}).front(), Not(HasSubstr("launches[].sustained"))) << "no cell has it";
  EXPECT_THAT(lines, testing::Contains(HasSubstr(",skipped,host_op,,,,")));
}

TEST(ResultTable, HasTheColumnsThatWereAskedFor) {
  std::ostringstream out;
  const Columns columns = model::metrics_named("--columns", {"latency", "graph.nodes"});
  reporters::format_named("table").print(out, report_of(samples::small_result(), columns), {});
  EXPECT_THAT(out.str(),
              AllOf(HasSubstr("batch  W | latency | latency nodes |"),
                    HasSubstr("nodes: Number of nodes in the step's graphs."), Not(HasSubstr("submit:"))));
}

}  // namespace
}  // namespace graphbench::sweep
