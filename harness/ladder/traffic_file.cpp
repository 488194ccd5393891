// Finds the format of traffic files and reads them line by line. Each error names the file and the line.
#include <algorithm>
#include <cmath>
#include <deque>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "graphs/base/files.hpp"
#include "graphs/base/text.hpp"
#include "harness/ladder/traffic_readers.hpp"
#include "harness/options/numbers.hpp"

namespace graphbench::ladder {

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

std::string text_of(const nlohmann::json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

void TrafficReader::refuse(const std::string& why) const {
  throw InputError(path + ":" + std::to_string(std::max<std::int64_t>(line, 1)), why);
}

std::int64_t TrafficReader::number(std::string_view text, const char* noun, std::int64_t most) const {
  const std::optional<double> value = options::parse_real(text);
  const std::string found = in_quotes(head_of(text, 80));
  if (!value || *value < 0 || *value != std::floor(*value))
    refuse(found + " is not a " + noun + ": give a whole number from 0 up");
  if (*value > static_cast<double>(most))
    refuse(found + " is too large for a " + noun + ": give at most " + std::to_string(most));
  return static_cast<std::int64_t>(*value);
}

// The limit keeps sums of counts exact in a double.
std::int64_t TrafficReader::count(std::string_view text) const {
  return number(text, "count", 1'000'000'000'000);
}

void TrafficReader::add(std::int64_t size, std::int64_t count) {
  if (size == 0) {
    idle += count;
  } else if (count > 0) {
    traffic.histogram[size] += static_cast<double>(count);
  }
}

std::string traffic_forms(std::string_view separator) {
  std::string text;
  for (const TrafficFormat& format : traffic_formats()) {
    if (format.engine.empty()) {
      text = format.name + text;
    } else if (!format.flag.empty()) {
      text.append(separator).append(format.engine + "'s " + format.name + " (" + format.flag + ")");
    }
  }
  return text;
}

namespace {

// A line without what a logger put around it.
struct Line {
  std::size_t file = 0;
  std::int64_t number = 0;
  std::string_view text = {};
  bool first = false;  // of its file, but for blank lines and comments
};

bool has_marks(std::string_view text, const TrafficFormat& format) {
  return !format.marks.empty() && std::ranges::all_of(format.marks, [&](const std::string& mark) {
    return text.find(mark) != std::string_view::npos;
  });
}

// The message in a line of docker, journald or Loki, which is a JSON object, also behind the prefix of
// Kubernetes or compose; absent for any other line.
std::optional<std::string> message_of(std::string_view text) {
  const std::size_t at = text.find("{\"");
  if (at == std::string_view::npos || !text.ends_with('}')) return std::nullopt;
  const auto object = nlohmann::json::parse(text.substr(at), nullptr, false);
  for (const char* const key : {"log", "message", "msg", "line", "MESSAGE"}) {
    if (!object.is_object() || !object.contains(key) || !object[key].is_string()) continue;
    std::string message = object[key].get<std::string>();
    const bool is_log = std::ranges::any_of(
        traffic_formats(), [&](const TrafficFormat& format) { return has_marks(message, format); });
    if (at == 0 && !is_log && is_table(text)) continue;
    return message;
  }
  return std::nullopt;
}

std::string_view next_line(std::string_view& left) {
  const std::size_t end = std::min(left.find('\n'), left.size());
  const std::string_view line = trimmed(left.substr(0, end));
  left.remove_prefix(std::min(end + 1, left.size()));
  return line;
}

// The place of Kubernetes' tag in "TIME stdout F text": F ends a line, P is a part of one. 0: no tag.
std::size_t tag_at(std::string_view line) {
  const std::size_t at = std::min(line.find(' '), line.size());
  const std::string_view rest = line.substr(at);
  const bool is_tagged = rest.starts_with(" stdout ") || rest.starts_with(" stderr ");
  return is_tagged && (rest.substr(8).starts_with("P ") || rest.substr(8).starts_with("F ")) ? at + 8 : 0;
}

// Colours are ESC, "[", parameters and a letter.
std::string without_colours(std::string_view text) {
  std::string plain;
  for (std::size_t at = text.find("\x1b["); at != std::string_view::npos; at = text.find("\x1b[")) {
    plain += text.substr(0, at);
    const std::size_t end = text.find_first_not_of("0123456789;?", at + 2);
    text.remove_prefix(std::min(end, text.size() - 1) + 1);
  }
  return plain += text;
}

class TrafficFiles {
 public:
  explicit TrafficFiles(const std::vector<TrafficFile>& files) : files_(files) {
    for (std::size_t i = 0; i < files.size(); ++i) add_lines(i);
  }

  Traffic read() {
    const TrafficFormat& format = format_of();
    const std::unique_ptr<TrafficReader> reader = format.reader();
    std::size_t next = 0;
    for (std::size_t file = 0; file < files_.size(); ++file) {
      reader->path = files_[file].path;
      reader->line = 1;
      reader->begin_file();
      const std::int64_t before = reader->lines_taken;
      for (; next < lines_.size() && lines_[next].file == file; ++next) {
        reader->line = lines_[next].number;
        if (format.every_line || is_marked(lines_[next], format)) reader->take(lines_[next].text);
      }
      reader->end_file();
      if (reader->lines_taken > before) continue;
      reader->line = 1;
      reader->refuse("the file has no step of " + name_of(format) +
                     ": give a file with some, or leave it out");
    }
    reader->end();
    Traffic traffic = std::move(reader->traffic);
    traffic.of_tokens = format.of_tokens;
    if (traffic.trace.empty() && traffic.histogram.empty() && traffic.requests.empty())
      reader->refuse("the file has no step but idle ones: give a file with some");
    traffic.counted = !traffic.histogram.empty();
    traffic.note = note_of(format, *reader);
    return traffic;
  }

 private:
  [[noreturn]] void refuse(const Line& line, const std::string& why) const {
    throw InputError(files_[line.file].path + ":" + std::to_string(line.number), why);
  }

  void add_lines(std::size_t file) {
    std::string_view left = files_[file].content;
    if (left.starts_with("\x1f\x8b"))
      throw InputError(files_[file].path, "the file is compressed: give <(gunzip -c FILE)");
    if (left.starts_with("\xff\xfe") || left.starts_with("\xfe\xff"))
      throw InputError(files_[file].path, "the file is in UTF-16: save it in UTF-8");
    if (left.starts_with("\xef\xbb\xbf")) left.remove_prefix(3);
    first_ = true;
    std::map<std::string_view, std::string> begun;  // by stream: what Kubernetes cut, and tagged with P
    for (std::int64_t number = 1; !left.empty(); ++number) {
      const std::string_view line = next_line(left);
      const std::size_t tag = tag_at(line);
      std::string& text = begun[line.substr(0, tag).substr(tag - std::min<std::size_t>(tag, 7))];
      const bool goes_on = tag > 0 && line[tag] == 'P';
      if (goes_on || !text.empty()) text += text.empty() ? line : line.substr(tag + 2);
      if (goes_on) continue;
      add_line(file, number, text.empty() ? line : unwrapped_.emplace_back(std::exchange(text, {})));
    }
    for (const auto& [stream, text] : begun) {
      if (!text.empty()) add_line(file, 1, unwrapped_.emplace_back(text));
    }
  }

  // A logger's message may have several lines, as a table does, and another logger's line in it.
  void add_line(std::size_t file, std::int64_t number, std::string_view text) {
    if (std::optional<std::string> message = message_of(text)) {
      std::string_view left = unwrapped_.emplace_back(*std::move(message));
      while (!left.empty()) add_line(file, number, next_line(left));
      return;
    }
    if (text.find("\x1b[") != std::string_view::npos)
      text = trimmed(unwrapped_.emplace_back(without_colours(text)));
    if (text.empty() || (first_ && text.starts_with("sep=") && text.size() < 6)) return;
    lines_.push_back({file, number, text, first_ && text.front() != '#'});
    first_ = first_ && text.front() == '#';
  }

  static bool is_marked(const Line& line, const TrafficFormat& format) {
    if (format.marks.empty()) return line.first && is_table(line.text);
    return has_marks(line.text, format);
  }

  struct Found {
    const TrafficFormat* format = nullptr;
    std::int64_t lines = 0;  // of all formats of its engine
  };

  // The engine with most lines counts, as a log may quote another's line. Its first format counts, as exact
  // steps come before readings.
  const TrafficFormat& format_of() {
    if (lines_.empty()) refuse({.number = 1}, "the file is empty: give " + traffic_forms());
    std::vector<Found> found;
    std::int64_t left = std::ssize(lines_);
    for (const TrafficFormat& format : traffic_formats()) {
      auto lines = std::ranges::count_if(lines_, [&](const Line& line) { return is_marked(line, format); });
      if (lines == 0) continue;
      if (format.is_row != nullptr)
        lines += std::ranges::count_if(lines_, [&](const Line& line) { return format.is_row(line.text); });
      if (format.marks.empty()) lines = left;
      left -= lines;
      const auto engine = std::ranges::find_if(
          found, [&](const Found& each) { return each.format->engine == format.engine; });
      if (engine == found.end()) {
        found.push_back({&format, lines});
      } else {
        engine->lines += lines;
      }
    }
    if (found.empty()) refuse_unknown();
    const auto most = std::ranges::max_element(found, {}, &Found::lines);
    for (const Found& each : found) {
      if (each.format != most->format && !each.format->engine.empty())
        not_read_.push_back(std::to_string(each.lines) + " lines like " + name_of(*each.format) +
                            " are not read");
    }
    return *most->format;
  }

  [[noreturn]] void refuse_unknown() const {
    const Line& first = lines_.front();
    for (const TrafficFormat& format : traffic_formats()) {
      if (std::ranges::any_of(format.traces, [&](const std::string& trace) {
            return std::ranges::any_of(
                lines_, [&](const Line& line) { return line.text.find(trace) != std::string_view::npos; });
          }))
        refuse(first, "this log of " + format.engine + " has no batches: run " + format.engine + " with " +
                          format.flag + ", which writes its " + format.name);
    }
    refuse(first, in_quotes(head_of(first.text, 80)) +
                      " is not a header, and no line is of a known log: give " + traffic_forms());
  }

  static std::string name_of(const TrafficFormat& format) {
    return format.engine.empty() ? "a table of sizes" : format.engine + "'s " + format.name;
  }

  std::string note_of(const TrafficFormat& format, const TrafficReader& reader) const {
    std::vector<std::string> notes = not_read_;
    if (!format.coarse.empty()) {
      const auto best = std::ranges::find(traffic_formats(), format.engine, &TrafficFormat::engine);
      notes.push_back(name_of(format) + ": " + format.coarse + "; every step is in its " + best->name + " (" +
                      best->flag + ")");
    }
    const auto say = [&](std::int64_t number, const char* what) {
      if (number > 0) notes.push_back(std::to_string(number) + what);
    };
    say(reader.idle, " idle steps are left out");
    say(reader.prefills, " iterations with prefill are left out");
    say(reader.prefills_counted, " iterations with prefill are batches too");
    notes.insert(notes.end(), reader.notes.begin(), reader.notes.end());
    return join(notes, ". ");
  }

  const std::vector<TrafficFile>& files_;
  std::vector<Line> lines_;
  std::vector<std::string> not_read_;
  bool first_ = true;
  std::deque<std::string> unwrapped_;  // keeps its strings in place
};

}  // namespace

Traffic parse_traffic_files(const std::vector<TrafficFile>& files) {
  return TrafficFiles(files).read();
}

Traffic choose_modes(const std::string& where, const std::vector<std::string>& modes, Traffic traffic) {
  if (traffic.modes.empty())
    throw InputError(where,
                     in_quotes(traffic.name) + " is not a vLLM log with runtime modes: leave the option out");
  std::vector<std::string> known = {"FULL", "PIECEWISE", "NONE"};
  std::vector<std::string> had;
  for (const auto& [mode, sizes] : traffic.modes) {
    had.push_back(mode);
    if (!contains(known, mode)) known.push_back(mode);
  }
  traffic.histogram.clear();
  for (const std::string& mode : modes) {
    require_known(where, mode, "runtime mode", known);
    if (std::ranges::count(modes, mode) > 1)
      throw InputError(where, in_quotes(mode) + " is given twice: give each mode once");
    if (const auto found = traffic.modes.find(mode); found != traffic.modes.end()) {
      for (const auto& [rows, count] : found->second) traffic.histogram[rows] += count;
    }
  }
  if (traffic.histogram.empty())
    throw InputError(where, in_quotes(join(modes)) + " match no step of " + in_quotes(traffic.name) +
                                ": give one or more of " + join(had));
  traffic.modes_served = modes;
  return traffic;
}

// Several files are separated by commas; a name that has one itself is taken as it is.
Traffic read_traffic_files(const std::string& where, const std::string& text) {
  std::error_code failed;
  std::vector<TrafficFile> files;
  for (const std::string& path :
       std::filesystem::exists(text, failed) ? std::vector<std::string>{text} : split(text, ',')) {
    WholeFile file = read_whole_file(path, file_bytes_max);
    if (!file.why_not.empty())
      throw InputError(where,
                       in_quotes(path) + " " + file.why_not +
                           "; give a log of your engine, a file with sizes, uniform:A:B or zipf:S:MAX");
    files.push_back({path, std::move(file.text)});
  }
  return parse_traffic_files(files);
}

}  // namespace graphbench::ladder
