// Prints where the time of each profiled step goes: its kernels and copies, the longest first.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "harness/model/axes.hpp"
#include "harness/sweep/report/result_report.hpp"

namespace graphbench::sweep {
namespace {

// Above this many cells, a console shows only the longest kernels of each.
constexpr std::ptrdiff_t cells_with_all_kernels = 12;
constexpr std::size_t kernels_of_many_cells = 3;

// "l0.fc, l0.norm and 14 more".
std::string ops_of(const std::vector<std::string>& ops) {
  constexpr std::size_t named = 2;
  const std::size_t rest = ops.size() - std::min(ops.size(), named);
  const std::string first = fmt::format("{}", fmt::join(ops.begin(), ops.end() - std::ptrdiff_t(rest), ", "));
  return rest == 0 ? first : fmt::format("{} and {} more", first, rest);
}

reporters::Section section_of(const model::CellResult& cell) {
  const model::Profile& profile = *cell.profile;
  reporters::Section section{.subject = "profile of " + model::id_of(cell.cell),
                             .columns = {{.name = "time", .unit = "seconds"},
                                         {.name = "share", .unit = "ratio"},
                                         {.name = "count"},
                                         {.name = "ops", .align = reporters::Align::left},
                                         {.name = "kernel", .align = reporters::Align::left}},
                             .folded = true,
                             .in_csv = false};
  for (const model::ProfileEntry& each : profile.top) {
    const auto share =
        profile.busy_seconds > 0 ? std::optional(each.seconds / profile.busy_seconds) : std::nullopt;
    section.rows.push_back(
        {.values = {reporters::seconds_value(each.seconds), reporters::percent_value(share),
                    reporters::count_value(each.count), reporters::text_value(ops_of(each.ops)),
                    reporters::text_value(each.name)}});
  }
  section.sentences.push_back({fmt::format(
      "{} kernels a step; the device is busy for {} (the shares are of this time) and idle for {} "
      "between them",
      profile.kernels, reporters::format_seconds(profile.busy_seconds),
      reporters::format_seconds(profile.gap_seconds))});
  return section;
}

}  // namespace

void add_profiles(reporters::Report& report, const model::Result& result) {
  const auto has_profile = [](const model::CellResult& cell) {
    return cell.profile && !cell.profile->top.empty() && cell.status == model::CellStatus::ok;
  };
  const bool many = std::ranges::count_if(result.cells, has_profile) > cells_with_all_kernels;
  for (const model::CellResult& cell : result.cells) {
    if (!has_profile(cell)) continue;
    reporters::Section& section = report.sections.emplace_back(section_of(cell));
    if (many) section.rows_max = kernels_of_many_cells;
  }
}

}  // namespace graphbench::sweep
