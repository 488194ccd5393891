// What `selfcheck` and `history` found, as documents. They are written only.
#include <utility>

#include "harness/codec/documents.hpp"
#include "harness/codec/json_writer.hpp"

namespace graphbench::codec {

template <typename T>
struct MetricName {
  std::optional<Json> write(const T& value) const { return Json(name_of(value.metric)); }
};

template <>
struct Description<model::AlarmCount> {
  using T = model::AlarmCount;
  static constexpr auto fields = std::tuple(field("comparisons", &T::comparisons),
                                            field("slower", &T::slower), field("faster", &T::faster));
};

template <>
struct Description<model::MetricCheck> {
  using T = model::MetricCheck;
  static constexpr auto fields = std::tuple(
      CustomField<MetricName<T>>{"metric", {}}, field("cells", &T::cells), field("tests", &T::tests),
      field("slower", &T::slower), field("faster", &T::faster), field("same", &T::same),
      field("inconclusive", &T::inconclusive), field("margin", &T::margin),
      group("pair_spread", field("median", &T::spread_median), field("worst", &T::spread_worst)),
      group("detectable", field("median", &T::detectable_median), field("worst", &T::detectable_worst),
            text_field("worst_cell", &T::worst_cell)),
      group("launches_needed", field("median", &T::launches_median), field("worst", &T::launches_worst)));
};

struct Alpha {
  std::optional<Json> write(const model::SelfCheck& check) const {
    return JsonWriter(Form::document).write(check.settings.alpha);
  }
};

template <>
struct Description<model::SelfCheck> {
  using T = model::SelfCheck;
  static constexpr auto fields = std::tuple(
      group("tool", field("version", &T::tool_version), field("commit", &T::tool_commit)),
      field("started_at", &T::started_at), field("finished_at", &T::finished_at),
      field("device", &T::device_name), field("fingerprint", &T::fingerprint), field("plan", &T::plan_hash),
      field("rounds", &T::rounds), field("rounds_asked", &T::rounds_asked), field("launches", &T::launches),
      field("cells", &T::cells), field("cells_failed", &T::cells_failed), CustomField<Alpha>{"alpha", {}},
      group("alarms", field("measured", &T::measured), field("renamed", &T::renamed),
            field("slower_rate_max", &T::slower_rate_max)),
      field("metrics", &T::metrics));
};

template <>
struct Description<model::HistoryLabel> {
  using T = model::HistoryLabel;
  static constexpr auto fields = std::tuple(text_field("commit", &T::commit),
                                            text_field("branch", &T::branch), text_field("label", &T::label));
};

template <>
struct Description<model::HistoryEntry> {
  using T = model::HistoryEntry;
  static constexpr auto fields =
      std::tuple(field("id", &T::id), field("started_at", &T::started_at), inlined(&T::label),
                 text_field("device", &T::device), text_field("fingerprint", &T::fingerprint),
                 text_field("plan", &T::plan_hash), text_field("tool", &T::tool_version),
                 field("complete", &T::complete), field("cells", &T::cells), field("launches", &T::launches));
};

template <>
struct Description<model::HistoryPoint> {
  using T = model::HistoryPoint;
  static constexpr auto fields = std::tuple(
      field("entry", &T::entry), field("median_seconds", &T::median), field("lowest_seconds", &T::lowest),
      field("highest_seconds", &T::highest), field("launches", &T::launches));
};

// Each change names the entry that it begins with.
struct Changes {
  std::optional<Json> write(const model::CellHistory& history) const {
    const JsonWriter writer(Form::document);
    Json changes = Json::array();
    for (const model::ChangePoint& change : history.changes) {
      changes.push_back({{"index", change.index},
                         {"entry", history.points[static_cast<std::size_t>(change.index)].entry.id},
                         {"ratio", writer.write(change.ratio)},
                         {"p", writer.write(change.p)}});
    }
    return changes;
  }
};

template <>
struct Description<model::CellHistory> {
  using T = model::CellHistory;
  static constexpr auto fields =
      std::tuple(field("cell", &T::cell), CustomField<MetricName<T>>{"metric", {}},
                 field("points_min", &T::points_min), field("left_out", &T::left_out),
                 field("older", &T::older), field("points", &T::points), CustomField<Changes>{"changes", {}});
};

namespace {

std::string document(const char* schema, Json content) {
  Json json = {{"schema", schema}};
  json.update(std::move(content));
  return dump(json, 2) + "\n";
}

}  // namespace

std::string to_json(const model::SelfCheck& check) {
  return document("graphbench.selfcheck/1", JsonWriter(Form::document).write(check));
}

std::string to_json(const std::vector<model::HistoryEntry>& entries) {
  return document("graphbench.history/1", {{"entries", JsonWriter(Form::document).write(entries)}});
}

std::string to_json(const model::CellHistory& history) {
  return document("graphbench.series/1", JsonWriter(Form::document).write(history));
}

}  // namespace graphbench::codec
