// Rows of the table of metrics: what preparing had of the cache.
#include "harness/model/metric_rows.hpp"

namespace graphbench::model {
namespace {

MetricRow row(std::string_view name, MetricKind kind, std::string_view unit, MetricValue value,
              MetricPlace family, std::string_view help) {
  return {.name = name,
          .kind = kind,
          .unit = unit,
          .help = help,
          .value = value,
          .on_request = true,
          .family = family};
}

}  // namespace

std::vector<MetricRow> cache_metric_rows() {
  using enum MetricKind;
  return {
      row("hits", count, "entries", &CacheUse::hits, {50, "graphbench_cache_hits"},
          "Entries of the cache that preparing the cell found."),
      row("misses", count, "entries", &CacheUse::misses, {51, "graphbench_cache_misses"},
          "Entries of the cache that preparing the cell made, because none was found."),
      row("refused", count, "files", &CacheUse::refused, {52, "graphbench_cache_refused"},
          "Files of the cache that could not be used: damaged, newer, about something else."),
      row("bytes", bytes, "bytes", &CacheUse::bytes, {53, "graphbench_cache_bytes"},
          "Bytes of the entries that preparing the cell found and made."),
      row("seconds_saved", time, "seconds", &CacheUse::seconds_saved, {54, "graphbench_cache_seconds_saved"},
          "What making the entries found took, less the time waited for another process's."),
  };
}

}  // namespace graphbench::model
