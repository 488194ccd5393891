// Strict about what is read, indifferent to the rest.
#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

#include "harness/codec/document_reader.hpp"
#include "harness/codec/result_fields.hpp"
#include "harness/model/axes.hpp"
#include "harness/model/input_error.hpp"

namespace graphbench::codec {
namespace {

// In ascending order. The p50 is not one of them: it is the mean of its placements' (model::Launch), and
// where one of these is much slower than the others, the p90 of all samples may be less.
constexpr std::array<std::string_view, 5> ranks = {"min", "p90", "p99", "p999", "max"};

// The id without parts that name no axis of this version: a later one's, or which ladder it is.
std::string known_part(std::string_view id) {
  const auto& axes = model::axes();
  auto first = std::ranges::count_if(axes, [](const model::Axis& axis) { return !axis.came_later(); });
  std::string known;
  for (std::size_t begin = 0; begin < id.size(); --first) {
    const std::size_t end = std::min(id.find('/', begin), id.size());
    const std::string_view part = id.substr(begin, end - begin);
    const auto names_it = [&](const model::Axis& axis) {
      return axis.came_later() && part.starts_with(axis.name + "=");
    };
    if (first > 0 || std::ranges::any_of(axes, names_it)) known.append(known.empty() ? "" : "/").append(part);
    begin = end + 1;
  }
  return known;
}

}  // namespace

CellsReader::CellsReader(JsonWalk& walk, FactsReader& facts, std::vector<DocumentCell>& cells)
    : walk_(walk),
      facts_(facts),
      cells_(cells),
      launch_keys_(keys_in(model::MetricSection::launch)),
      setup_keys_(keys_in(model::MetricSection::setup)),
      sustained_keys_(keys_in(model::MetricSection::sustained)) {
  LaunchTimes::check_room();
}

void LaunchTimes::check_room() {
  const std::size_t compared = model::compared_metrics().size();
  if (compared <= metrics_max) return;
  throw std::logic_error("compare metrics: the table of metrics has " + std::to_string(compared) +
                         " that are compared, and LaunchTimes room for " + std::to_string(metrics_max) +
                         ": raise LaunchTimes::metrics_max in harness/codec/document.hpp");
}

std::vector<CellsReader::Key> CellsReader::keys_in(model::MetricSection section) {
  std::vector<Key> keys;
  const auto& compared = model::compared_metrics();
  for (const model::MetricRow* row : model::metrics_in(section)) {
    const auto place = std::ranges::find(compared, row) - compared.begin();
    const bool is_compared = row->compared.order > 0;
    keys.push_back({row->name, is_compared ? static_cast<int>(place) : -1, model::is_distribution(*row)});
  }
  return keys;
}

const CellsReader::Key* CellsReader::find(const std::vector<Key>& keys, std::string_view name) {
  for (const Key& key : keys) {
    if (key.name == name) return &key;
  }
  return nullptr;
}

void CellsReader::store(const Key& key, double seconds, LaunchTimes& times) {
  if (key.compared >= 0) times[static_cast<model::Metric>(key.compared)] = seconds;
}

void CellsReader::read_cells(Value list) {
  walk_.elements(list, [&](Value cell) { read_cell(cell); });
}

void CellsReader::read_cell(Value value) {
  DocumentCell cell;
  read_fields(value, cell);
  if (cell.state == CellState::ok) check_measured(cell);
  cells_.push_back(std::move(cell));
}

void CellsReader::read_fields(Value value, DocumentCell& cell) {
  bool has_status = false;
  bool identical = true;
  bool says_axes = false;
  model::Cell said;
  JsonWalk::Subject subject(walk_);
  walk_.fields(value, [&](std::string_view key, Value field) {
    if (key == "id") {
      cell.id = walk_.text(field);
      if (cell.id.empty()) walk_.fail("\"\" is not the id of a cell");
      subject.is(cell.id);
    } else if (key == "status") {
      cell.state = read_state(field);
      has_status = true;
    } else if (key == "reason") {
      cell.reason = read_reason(field);
    } else if (key == "launches") {
      if (!walk_.is_null(field)) read_launches(field, cell);
    } else if (key == "graph" && walk_.is_object(field)) {
      read_counts(field, model::MetricSection::graph, cell);
    } else if (key == "memory" && walk_.is_object(field)) {
      read_counts(field, model::MetricSection::memory, cell);
    } else if (key == "paths" && !walk_.is_null(field)) {
      cell.paths = read_paths(field);
    } else if (key == "summary" && walk_.is_object(field)) {
      check_summary(field);
    } else if (key == "check" && walk_.is_object(field)) {
      walk_.fields(field, [&](std::string_view name, Value truth) {
        if (name != "identical") return walk_.skip(truth);
        identical = walk_.truth(truth);
      });
    } else if (JsonReader(walk_).read_field(key, field, said)) {
      says_axes = true;
    }
  });
  if (cell.id.empty()) walk_.fail("the cell has no \"id\"");
  if (!has_status) walk_.fail("it has no \"status\"");
  if (cell.state == CellState::ok && !identical)
    walk_.fail("it is ok, but its check says that outputs are not identical");
  if (const std::string id = model::id_of(said); says_axes && cell.id != id && known_part(cell.id) != id)
    walk_.fail("its id is not what its fields say: " + in_quotes(id));
}

void CellsReader::check_measured(const DocumentCell& cell) {
  for (const LaunchTimes& launch : cell.launches) {
    if (std::ranges::any_of(launch.seconds, [](double seconds) { return seconds > 0; })) return;
  }
  const std::string name = "cell " + in_quotes(cell.id) + " is ok, but ";
  if (cell.launches.empty()) walk_.fail(name + "has no launches: there must be one at least");
  walk_.fail(name + "no launch of it holds a time");
}

CellState CellsReader::read_state(Value value) {
  const std::string text = walk_.text(value);
  if (text == "ok") return CellState::ok;
  if (text == "skipped") return CellState::skipped;
  if (text == "failed") return CellState::failed;
  walk_.fail(in_quotes(text) + " is not a status: ok, skipped and failed are");
}

std::string CellsReader::read_reason(Value value) {
  if (walk_.is_null(value)) return "";
  std::string code;
  std::string message;
  walk_.fields(value, [&](std::string_view key, Value field) {
    if (key == "code") {
      code = walk_.text_or_empty(field);
    } else if (key == "message") {
      message = walk_.text_or_empty(field);
    } else {
      walk_.skip(field);
    }
  });
  return code.empty() || message.empty() ? code + message : code + ": " + message;
}

LaunchTimes CellsReader::read_launch(Value value, std::int64_t place, std::vector<std::int64_t>& indices) {
  LaunchTimes times;
  times.index = place;
  walk_.fields(value, [&](std::string_view key, Value field) {
    if (key == "index") {
      times.index = walk_.count(field);
      indices.push_back(times.index);
    } else if (key == "setup") {
      read_setup(field, times);
    } else if (const Key* metric = find(launch_keys_, key); metric != nullptr) {
      if (metric->distribution) {
        store(*metric, read_summary(field), times);
      } else {
        walk_.no_less_than_zero(field);
        if (metric->compared >= 0 && !walk_.is_null(field)) store(*metric, walk_.number(field), times);
      }
    } else if (key == "sustained" && walk_.is_object(field)) {
      read_sustained(field, times);
    } else if (key == "machine" && walk_.is_object(field)) {
      facts_.read_clocks(field, throttled_);
    } else {
      walk_.skip(field);
    }
  });
  return times;
}

void CellsReader::read_launches(Value value, DocumentCell& cell) {
  std::vector<std::int64_t> indices;        // that the document says
  cell.launches.reserve(launches_before_);  // most cells have as many as the one before
  indices.reserve(launches_before_);
  walk_.elements(value, [&](Value launch) {
    cell.launches.push_back(read_launch(launch, static_cast<std::int64_t>(cell.launches.size()), indices));
  });
  launches_before_ = cell.launches.size();
  cell.throttled = reasons_text(throttled_);
  throttled_.clear();
  std::ranges::sort(indices);
  const auto repeated = std::ranges::adjacent_find(indices);
  if (repeated == indices.end()) return;
  walk_.fail("index " + std::to_string(*repeated) + " is there twice: a launch counts once");
}

double CellsReader::read_summary(Value value) {
  if (walk_.is_null(value)) return 0;
  double p50 = 0;
  std::array<double, ranks.size()> seconds;
  seconds.fill(-1);  // absent
  walk_.fields(value, [&](std::string_view key, Value field) {
    if (key == "p50") {
      p50 = walk_.positive_seconds(field);
    } else if (const auto rank = std::ranges::find(ranks, key); rank != ranks.end()) {
      if (!walk_.is_null(field))
        seconds.at(static_cast<std::size_t>(rank - ranks.begin())) = walk_.seconds_or_none(field);
    } else if (key == "mean" || key == "stddev") {
      walk_.check_seconds(field);
    } else if (key == "count") {
      if (!walk_.is_null(field) && walk_.count(field) == 0) walk_.fail("0 samples have no median");
    } else {
      walk_.skip(field);
    }
  });
  if (p50 <= 0) walk_.fail("it has no \"p50\"");
  const auto refuse = [&](std::string_view greater, std::string_view less) {
    walk_.fail("it contradicts itself: " + std::string(greater) + " is greater than " + std::string(less));
  };
  std::size_t below = 0;
  for (std::size_t i = 1; i < ranks.size(); ++i) {
    if (seconds[i] < 0) continue;
    if (seconds[i] < seconds[below]) refuse(ranks[below], ranks[i]);
    below = i;
  }
  constexpr double rounding = 1e-9;  // of a mean
  if (seconds.front() > p50 * (1 + rounding)) refuse("min", "p50");
  if (seconds.back() >= 0 && p50 > seconds.back() * (1 + rounding)) refuse("p50", "max");
  return p50;
}

void CellsReader::check_summary(Value value) {
  walk_.fields(value, [&](std::string_view key, Value field) {
    if (!key.ends_with("_seconds") || !walk_.is_object(field)) return walk_.skip(field);
    walk_.fields(field, [&](std::string_view name, Value number) {
      if (name != "p50") return walk_.skip(number);
      if (!walk_.is_null(number)) walk_.positive_seconds(number);
    });
  });
}

void CellsReader::read_setup(Value value, LaunchTimes& times) {
  if (walk_.is_null(value)) return;
  walk_.fields(value, [&](std::string_view key, Value field) {
    if (!key.ends_with("_seconds")) return walk_.skip(field);
    const double seconds = walk_.seconds_or_none(field);
    if (const Key* metric = find(setup_keys_, key); metric != nullptr) store(*metric, seconds, times);
  });
  times.add_setup();
}

void CellsReader::read_counts(Value value, model::MetricSection section, DocumentCell& cell) {
  const auto& counted = model::counted_metrics();
  walk_.fields(value, [&](std::string_view key, Value field) {
    const auto found = std::ranges::find_if(counted, [&](const model::MetricRow* row) {
      return row->name == key && section_of(*row) == section;
    });
    if (found == counted.end() || walk_.is_null(field)) return walk_.skip(field);
    cell.counts.at(static_cast<std::size_t>(found - counted.begin())) = walk_.count(field);
  });
}

std::string CellsReader::read_paths(Value value) {
  std::vector<model::OpPath> paths;
  walk_.elements(value, [&](Value element) {
    model::OpPath& path = paths.emplace_back();
    walk_.fields(element, [&](std::string_view key, Value field) {
      if (key == "path") {
        path.path = walk_.text(field);
      } else if (key == "ops") {
        path.ops = walk_.count(field);
      } else {
        walk_.skip(field);
      }
    });
  });
  return paths_text(paths);
}

// Where the load never became steady, its times are null.
void CellsReader::read_sustained(Value value, LaunchTimes& times) {
  walk_.fields(value, [&](std::string_view key, Value field) {
    const Key* metric = find(sustained_keys_, key);
    if (metric == nullptr || metric->compared < 0) return walk_.skip(field);
    store(*metric, read_summary(field), times);
  });
}

}  // namespace graphbench::codec
