// What was found first, then the slowest of each kind, then what could have been found.
#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "reporters/console/format.hpp"
#include "reporters/console/tables.hpp"

namespace graphbench::reporters {
namespace {

using model::Fleet;

constexpr std::size_t rows_max = 10;  // of those that are no outliers

std::string number(const std::optional<double>& value, const char* format) {
  return value ? fmt::format(fmt::runtime(format), *value) : "-";
}

std::string count_of(std::int64_t count, const char* what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

std::string drift(const std::optional<double>& ratio) {
  return ratio ? fmt::format("{:+.2f} %", 100 * (*ratio - 1)) : "-";
}

void print_findings(std::ostream& out, const Fleet& fleet, bool colours) {
  const std::int64_t outliers = fleet.outliers();
  if (outliers == 0) {
    out << paint("no GPU and no node is slower than the others", Colour::green, colours) << '\n';
    return;
  }
  out << paint(count_of(outliers, "outlier") + ", slower than the others:", Colour::red, colours) << '\n';
  for (const model::FleetNode& node : fleet.nodes) {
    const std::string name = one_line(node.hostname);
    if (node.gpus > 1 && node.gpus_slow == node.gpus) {
      out << fmt::format(
          "  node {}: all its {} GPUs are slow: look at what they share, as power and cooling\n", name,
          node.gpus);
    }
    if (!node.unit.outlier) continue;
    out << fmt::format("  node {}: slow to submit ({:.3f}x), so its CPU side; ", name, *node.unit.factor)
        << (node.gpus_slow == 0 ? "its GPUs are not\n"
                                : fmt::format("{} slow too\n", count_of(node.gpus_slow, "GPU")));
  }
  for (const model::FleetGpu& gpu : fleet.gpus) {
    if (gpu.unit.outlier)
      out << fmt::format("  GPU {} on {}: {:.3f}x\n", one_line(gpu.uuid), one_line(gpu.node),
                         *gpu.unit.factor);
  }
}

// Rows of outliers, and of some others.
template <typename Unit>
std::size_t rows_of(const std::vector<Unit>& units) {
  const auto outliers = std::ranges::count_if(units, [](const Unit& each) { return each.unit.outlier; });
  return std::min(units.size(), std::max(rows_max, static_cast<std::size_t>(outliers)));
}

void print_rest(std::ostream& out, std::size_t left_out) {
  if (left_out > 0) out << fmt::format("and {} more\n", left_out);
}

void print_gpus(std::ostream& out, const Fleet& fleet, bool colours) {
  const std::size_t rows = rows_of(fleet.gpus);
  out << paint(left("GPU", 41) + left("node", 20) + " device        p    drift  documents  failed cells",
               Colour::bold, colours)
      << '\n';
  for (std::size_t i = 0; i < rows; ++i) {
    const model::FleetGpu& gpu = fleet.gpus[i];
    const std::string line =
        fmt::format("{}{} {:>6} {:>8} {:>8} {:>10} {:>13}", left(one_line(gpu.uuid), 41),
                    left(one_line(gpu.node), 20), number(gpu.unit.factor, "{:.3f}x"),
                    number(gpu.unit.p, "{:.2g}"), drift(gpu.drift), gpu.documents.size(), gpu.cells_failed);
    out << (gpu.unit.outlier ? paint(line, Colour::red, colours) : line) << '\n';
  }
  print_rest(out, fleet.gpus.size() - rows);
}

void print_nodes(std::ostream& out, const Fleet& fleet, bool colours) {
  const std::size_t rows = rows_of(fleet.nodes);
  out << paint(left("node", 41) + " submit        p  GPUs  slow GPUs", Colour::bold, colours) << '\n';
  for (std::size_t i = 0; i < rows; ++i) {
    const model::FleetNode& node = fleet.nodes[i];
    const std::string line = fmt::format("{} {:>6} {:>8} {:>5} {:>10}", left(one_line(node.hostname), 41),
                                         number(node.unit.factor, "{:.3f}x"), number(node.unit.p, "{:.2g}"),
                                         node.gpus, node.gpus_slow);
    out << (node.unit.outlier ? paint(line, Colour::red, colours) : line) << '\n';
  }
  print_rest(out, fleet.nodes.size() - rows);
}

void print_cells(std::ostream& out, const Fleet& fleet, bool colours) {
  const std::size_t rows = std::min(fleet.cells.size(), rows_max);
  out << paint(left("cell", 41) + " device   range  submit   range", Colour::bold, colours) << '\n';
  const auto spread = [](const std::optional<model::FleetSpread>& of) {
    return of ? fmt::format("{:>7} {:>6.3f}x", percent_text(of->deviation), of->range)
              : fmt::format("{:>7} {:>7}", "-", "-");
  };
  for (std::size_t i = 0; i < rows; ++i) {
    const model::FleetCell& cell = fleet.cells[i];
    out << left(one_line(cell.id), 41) << spread(cell.device) << ' ' << spread(cell.submit)
        << (cell.host_bound ? "  host-bound" : "") << '\n';
  }
  print_rest(out, fleet.cells.size() - rows);
}

void print_test(std::ostream& out, const model::FleetTest& test, const char* what) {
  if (!test.spread) {
    out << fmt::format("{}s compared: {}, too few to find a slow one: three are needed\n", what, test.tested);
    return;
  }
  out << fmt::format(
      "{}s differ by {} (standard deviation); above {:.3f}x one is an outlier; one that becomes "
      "{} slower is found in nine cases of ten\n",
      what, percent_text(test.spread), *test.threshold, percent_text(test.detectable));
}

}  // namespace

void print_fleet(std::ostream& out, const Fleet& fleet, bool colours) {
  out << paint(fmt::format("fleet: {} ({}) on {}, {} of {}",
                           count_of(static_cast<std::int64_t>(fleet.gpus.size()), "GPU"),
                           one_line(fleet.device_name),
                           count_of(static_cast<std::int64_t>(fleet.nodes.size()), "node"),
                           count_of(fleet.documents, "document"),
                           count_of(static_cast<std::int64_t>(fleet.cells.size()), "cell")),
               Colour::bold, colours)
      << "\n\n";
  print_findings(out, fleet, colours);
  out << '\n';
  print_gpus(out, fleet, colours);
  out << '\n';
  print_nodes(out, fleet, colours);
  out << '\n';
  print_cells(out, fleet, colours);
  out << '\n';
  print_test(out, fleet.gpu_test, "GPU");
  print_test(out, fleet.node_test, "node");
  out << fmt::format("of fleets without a slow GPU or node at most {} have an outlier\n",
                     percent_text(fleet.alpha));
  for (const Fleet::Difference& each : fleet.differences)
    out << fmt::format("{} differs from the first document's in {}\n", each.field,
                       count_of(each.documents, "other"));
}

}  // namespace graphbench::reporters
