// Reads tables of sizes: CSV with named columns, JSONL, and one size per line.
#include <time.h>

#include <algorithm>
#include <boost/tokenizer.hpp>
#include <cctype>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "graphs/base/text.hpp"
#include "harness/ladder/traffic_readers.hpp"
#include "harness/options/numbers.hpp"

namespace graphbench::ladder {
namespace {

using Words = std::vector<std::string>;

// Names as key_of() gives them, the best first.
const Words size_names = {"size", "sizes", "batchsize", "batch", "bs", "rows"};
const Words count_names = {"count", "counts", "steps", "frequency", "freq", "n"};
const Words count_names_without_time = {"numsteps", "occurrences", "hits", "total", "requests", "weight"};
const Words time_names = {"time",        "timestamp",        "ts",  "t", "seconds", "timeseconds", "arrival",
                          "arrivaltime", "arrivaltimestamp", "date"};
struct Unit {
  const char* name;
  double seconds;
  double since_1970;  // about the times of today are in this unit from here on
  Words columns;
};
const std::vector<Unit> units = {{"nanoseconds", 1e-9, 1e17, {"timens", "timestampns", "tsns", "ns"}},
                                 {"microseconds", 1e-6, 1e14, {"timeus", "timestampus", "tsus", "us"}},
                                 {"milliseconds", 1e-3, 1e11, {"timems", "timestampms", "tsms", "ms"}},
                                 {"seconds", 1, 0, {}}};
// The columns of requests, in traces of Mooncake, Azure and BurstGPT and in OpenAI's usage.
const Words output_names = {"outputlength",     "generatedtokens", "responsetokens",
                            "completiontokens", "outputtokens",    "outputlen"};
const Words input_names = {"inputlength",  "contexttokens", "requesttokens",
                           "prompttokens", "inputtokens",   "inputlen"};
// Mooncake's traces have hashes and milliseconds, Bailian's have hashes, chats and seconds.
constexpr const char* hashes = "hashids";
const Words chat_names = {"chatid", "turn"};

std::string key_of(std::string_view name) {
  std::string key;
  for (const unsigned char c : name) {
    if (std::isalnum(c) != 0) key += static_cast<char>(std::tolower(c));
  }
  return key;
}

Words keys_of(const Words& names) {
  Words keys;
  for (const std::string& name : names) keys.push_back(key_of(name));
  return keys;
}

// CSV's quotes are taken off.
Words cells_of(std::string_view text, char separator) {
  const boost::escaped_list_separator<char> rules("", std::string(1, separator), "\"");
  const boost::tokenizer cells(text.begin(), text.end(), rules);
  Words words;
  for (const std::string& cell : cells) words.emplace_back(trimmed(cell));
  return words;
}

char separator_of(std::string_view header) {
  return std::ranges::max(std::string_view(",;\t"), {},
                          [&](char c) { return std::ranges::count(header, c); });
}

bool has_one_of(const Words& keys, const Words& names) {
  return std::ranges::any_of(keys, [&](const std::string& key) { return contains(names, key); });
}

bool is_number(std::string_view text) {
  return options::parse_real(trimmed(text.substr(0, text.find('#')))).has_value();
}

// Seconds since 1970 of "2026-11-28T10:00:00.25Z" or "2026-11-28 10:00:00".
std::optional<double> seconds_of_date(const std::string& text) {
  tm parts{};
  const char* rest = strptime(text.c_str(), "%Y-%m-%d", &parts);
  if (rest == nullptr || (*rest != 'T' && *rest != ' ')) return std::nullopt;
  rest = strptime(rest + 1, "%H:%M:%S", &parts);
  if (rest == nullptr) return std::nullopt;
  const std::string_view left(rest);
  std::size_t digits = 0;
  if (left.starts_with('.')) digits = std::min(left.find_first_not_of("0123456789", 1), left.size());
  const std::optional<double> fraction =
      options::parse_real("0" + std::string(left.substr(0, digits)));  // "0.25"
  tm zone{};
  const char* end = rest + digits;
  if (*end != '\0') end = strptime(end, "%z", &zone);
  if (!fraction || end == nullptr || *end != '\0') return std::nullopt;
  return static_cast<double>(timegm(&parts) - zone.tm_gmtoff) + *fraction;
}

struct Row {
  Words keys, cells;
};

// A line of JSONL; empty for any other line.
Row row_of(std::string_view text) {
  Row row;
  const auto object = nlohmann::json::parse(text, nullptr, false);
  if (!object.is_object()) return row;
  for (const auto& [name, value] : object.items()) {
    row.keys.push_back(key_of(name));
    row.cells.push_back(text_of(value));
  }
  return row;
}

class TableReader final : public TrafficReader {
  void begin_file() override {
    keys_.clear();
    seen_.clear();
    others_.clear();
    distinct_ = true;
    unit_ = nullptr;
  }

  void end_file() override {
    if (!distinct_ || seen_.size() < 2 || count_ || time_) return;
    for (const auto& [name, other] : others_) {
      if (!other.numbers || other.ascending) continue;
      line = 1;
      refuse("each size comes once, and the column " + in_quotes(name) +
             " is not read: name it count if it says how often a size came, or leave it out");
    }
  }

  void take(std::string_view text) override {
    if (text.front() == '#') return;
    if (text.front() == '{') return take_json(text);
    const bool begins = keys_.empty();
    if (begins) {
      separator_ = separator_of(text);
      bare_ = is_number(text);
      const Words names = bare_ ? Words{"size"} : cells_of(text, separator_);
      choose(keys_of(names), text);
      if (!bare_) return;
    }
    if (bare_) text = trimmed(text.substr(0, text.find('#')));
    const Words cells = bare_ ? Words{std::string(text)} : cells_of(text, separator_);
    if (cells.size() != keys_.size())
      refuse(in_quotes(head_of(text, 80)) + " does not have " + std::to_string(keys_.size()) +
             " fields: give one for each column of the header");
    take_cells(cells);
  }

  void end() override {
    std::vector<Request>& requests = traffic.requests;
    std::ranges::stable_sort(requests, {}, &Request::arrival);
    if (requests_ && (requests.empty() || requests.front().arrival == requests.back().arrival))
      refuse(
          "no two requests with output tokens arrive at different times, so there is no rate: give more of "
          "them");
    for (const std::string& unit : said_) notes.push_back("times are read as " + unit);
    const bool timed = !traffic.arrivals.empty();
    if ((!traffic.trace.empty() && !traffic.histogram.empty()) ||
        (!requests.empty() && !(traffic.trace.empty() && traffic.histogram.empty())) ||
        (timed && traffic.arrivals.size() != traffic.trace.size()))
      refuse("not all lines have a count, a time or requests: give it in all, or in none");
  }

  void take_json(std::string_view text) {
    const Row row = row_of(text);
    if (row.keys.empty()) refuse(in_quotes(head_of(text, 80)) + " is not a JSON object in one line");
    choose(row.keys, text);
    take_cells(row.cells);
  }

  // The place of the first of `names` that is a column; absent if none is.
  std::optional<std::size_t> column(const Words& names) const {
    for (const std::string& name : names) {
      if (std::ranges::count(keys_, name) > 1)
        refuse("two columns are called " + in_quotes(name) + ": give it once");
      const auto found = std::ranges::find(keys_, name);
      if (found != keys_.end()) return found - keys_.begin();
    }
    return std::nullopt;
  }

  void choose(Words keys, std::string_view text) {
    keys_ = std::move(keys);
    const std::optional<std::size_t> size = column(size_names);
    const std::optional<std::size_t> tokens = column(output_names);
    time_ = column(time_names);
    const bool has_hashes = contains(keys_, hashes), has_chats = has_one_of(keys_, chat_names);
    named_ = nullptr;
    for (const Unit& unit : units) {
      if (!time_ && (time_ = column(unit.columns))) named_ = &unit;
    }
    if (time_ && has_hashes && !named_) {
      if (!has_chats) named_ = &units[2];
      said_.insert(has_chats ? "seconds" : "milliseconds");
    }
    requests_ = !size && (tokens || has_one_of(keys_, input_names));
    if (requests_ && !(tokens && time_))
      refuse(in_quotes(head_of(text, 80)) +
             " has requests without a time or without output tokens: name columns such as timestamp and "
             "output_tokens");
    if (!size && !tokens)
      refuse(in_quotes(head_of(text, 80)) + " names no column of sizes: name one size, batch_size or rows");
    size_ = requests_ ? *tokens : *size;
    count_ = requests_ ? std::nullopt : column(count_names);
    if (!requests_ && !count_ && !time_) count_ = column(count_names_without_time);
  }

  void take_cells(const Words& cells) {
    ++lines_taken;
    const std::int64_t rows =
        requests_ ? number(cells[size_], "number of tokens", size_max) : size(cells[size_]);
    if (requests_) {
      if (const double time = time_of(cells[*time_]); rows > 0) traffic.requests.push_back({time, rows});
      return;
    }
    if (count_) {
      // With times each line counts for itself.
      if (!time_ && !seen_.insert(rows).second)
        refuse("size " + std::to_string(rows) + " is given twice: give each size once");
      return add(rows, count(cells[*count_]));
    }
    if (time_) {
      take_time(cells[*time_], rows > 0);
    } else if (!bare_) {
      distinct_ = seen_.insert(rows).second && distinct_;
      for (std::size_t i = 0; distinct_ && i < cells.size(); ++i) {
        if (i != size_) others_[keys_[i]].take(cells[i]);
      }
    }
    if (rows > 0) {
      traffic.trace.push_back(rows);
    } else {
      ++idle;
    }
  }

  const Unit& unit_of(double time, const std::string& text) {
    if (named_ != nullptr) return *named_;
    const auto unit = std::ranges::find_if(units, [&](const Unit& each) { return time >= each.since_1970; });
    const Unit* const found = unit == units.end() ? &units.back() : &*unit;
    if (unit_ == nullptr) unit_ = found;
    if (unit_ != found)
      refuse(in_quotes(text) + " would be a time in " + found->name + ", and those before are in " +
             unit_->name + ": name the column time_ns, time_us or time_ms");
    if (found->since_1970 > 0) said_.insert(found->name);
    return *found;
  }

  double time_of(std::string text) {
    if (separator_ == ';') std::ranges::replace(text, ',', '.');
    std::optional<double> time = options::parse_real(text);
    time = time ? *time * unit_of(*time, text).seconds : seconds_of_date(text);
    if (!time || *time < 0)
      refuse(in_quotes(text) +
             " is not a time: give seconds from 0 up, or a date such as 2026-11-28T10:00:00Z");
    return *time;
  }

  void take_time(const std::string& text, bool kept) {
    const double time = time_of(text);
    if (time < last_time_)
      refuse("the time goes back to " + text + ": give steps in the order in which they arrive");
    last_time_ = time;
    if (kept) traffic.arrivals.push_back(time);
  }

  Words keys_;             // of the columns; empty before the first line of a file
  bool bare_ = false;      // one size per line, without a header
  bool requests_ = false;  // a line is a request, and its size_ the output tokens
  char separator_ = ',';
  std::size_t size_ = 0;
  std::optional<std::size_t> count_, time_;
  const Unit* named_ = nullptr;  // of time, by the names of columns
  const Unit* unit_ = nullptr;   // by the file's first time
  std::set<std::string> said_;   // units that users did not name
  double last_time_ = 0;
  std::set<std::int64_t> seen_;
  bool distinct_ = true;  // no size of the file came twice
  // Columns that are not read.
  struct Other {
    bool numbers = true, ascending = true;
    double last = NAN;

    // The number of a row is one more than the row's before.
    void take(const std::string& cell) {
      const std::optional<double> value = options::parse_real(cell.substr(0, cell.find('%')));
      numbers = numbers && value;
      ascending = ascending && value && (std::isnan(last) || *value == last + 1);
      last = value.value_or(0);
    }
  };
  std::map<std::string, Other> others_;
};

}  // namespace

bool is_table(std::string_view first_line) {
  if (is_number(first_line)) return true;
  const Words keys = first_line.starts_with('{') ? row_of(first_line).keys
                                                 : keys_of(cells_of(first_line, separator_of(first_line)));
  return has_one_of(keys, size_names) || has_one_of(keys, output_names) || has_one_of(keys, input_names);
}

std::unique_ptr<TrafficReader> table_reader() {
  return std::make_unique<TableReader>();
}

}  // namespace graphbench::ladder
