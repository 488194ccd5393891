// Reads traffic files line by line. Each error names the file and the line.
#include <algorithm>
#include <array>

#include "graphs/base/files.hpp"
#include "graphs/base/text.hpp"
#include "harness/ladder/traffic.hpp"
#include "harness/options/numbers.hpp"

namespace graphbench::ladder {
namespace {

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

std::vector<std::string_view> fields_of(std::string_view line, char separator) {
  std::vector<std::string_view> fields;
  while (true) {
    const std::size_t end = line.find(separator);
    fields.push_back(trimmed(line.substr(0, end)));
    if (end == std::string_view::npos) return fields;
    line.remove_prefix(end + 1);
  }
}

class TrafficReader {
 public:
  explicit TrafficReader(const std::string& path) : path_(path) { traffic_.name = path; }

  Traffic read(std::string_view content) {
    std::size_t begin = 0;
    while (begin < content.size()) {
      const std::size_t end = content.find('\n', begin);
      ++line_;
      const std::string_view text = trimmed(content.substr(begin, end - begin));
      if (!text.empty()) take(text);
      if (end == std::string_view::npos) break;
      begin = end + 1;
    }
    if (form_ == Form::unknown) refuse("the file is empty: the first line must be " + forms);
    if (form_ == Form::vllm && !seen_table_) {
      line_ = first_line_;
      refuse(in_quotes(head_of(first_text_, 80)) + " is not a header: the first line must be " + forms);
    }
    if (traffic_.trace.empty() && traffic_.histogram.empty()) refuse("the file has no step after the header");
    return std::move(traffic_);
  }

 private:
  enum class Form : std::uint8_t { unknown, counts, times, vllm };
  inline static const std::string forms =
      "size,count or time,size; or give a vLLM log with its table of tokens";

  [[noreturn]] void refuse(const std::string& why) const {
    throw InputError(path_ + ":" + std::to_string(std::max<std::int64_t>(line_, 1)), why);
  }

  void take(std::string_view text) {
    if (form_ == Form::unknown) return choose(text);
    if (form_ == Form::vllm) return take_vllm(text);
    const std::vector<std::string_view> fields = fields_of(text, ',');
    if (fields.size() != 2) refuse(in_quotes(text) + " does not have two fields: give " + header());
    if (form_ == Form::counts) {
      const std::int64_t rows = size(fields[0]);
      if (traffic_.histogram.contains(rows))
        refuse("size " + std::to_string(rows) + " is given twice: give each size once");
      return add(rows, count(fields[1]));
    }
    take_time(fields[0]);
    traffic_.trace.push_back(size(fields[1]));
  }

  std::string header() const { return form_ == Form::counts ? "size,count" : "time,size"; }

  // Chooses the form by the first line. If it is not a header, the file may be a log with tables later.
  void choose(std::string_view text) {
    const std::vector<std::string_view> fields = fields_of(text, ',');
    if (fields == std::vector<std::string_view>{"size", "count"}) {
      form_ = Form::counts;
    } else if (fields == std::vector<std::string_view>{"time", "size"}) {
      form_ = Form::times;
    } else {
      form_ = Form::vllm;
      first_line_ = line_;
      first_text_ = text;
      take_vllm(text);
    }
    traffic_.counted = form_ != Form::times;
  }

  // The last five cells of a line that ends with "|"; empty for any other line. The prefix before them may
  // also contain "|".
  static std::vector<std::string_view> cells_of(std::string_view text) {
    std::vector<std::string_view> fields = fields_of(text, '|');
    if (!fields.back().empty() || fields.size() < vllm_header.size() + 2) return {};
    fields.pop_back();
    fields.erase(fields.begin(), fields.end() - static_cast<std::ptrdiff_t>(vllm_header.size()));
    return fields;
  }

  static bool is_row(const std::vector<std::string_view>& cells) {
    return !cells.empty() && std::ranges::all_of(std::array<std::size_t, 4>{0, 1, 2, 4}, [&](std::size_t i) {
      return !cells[i].empty() && cells[i].find_first_not_of("0123456789") == std::string_view::npos;
    });
  }

  // A log has a table every few seconds, each with new counts. Lines of other processes may come between
  // rows, so rows count anywhere after a header. But a line of cells right after a row must be a row too.
  void take_vllm(std::string_view text) {
    const std::vector<std::string_view> cells = cells_of(text);
    if (cells == vllm_header) {
      seen_table_ = in_table_ = true;
      return;
    }
    in_table_ = seen_table_ && text.back() == '|' && (in_table_ || is_row(cells));
    if (!in_table_) return;
    if (cells.empty()) refuse(in_quotes(head_of(text, 80)) + " is not a table row with five cells");
    const bool is_rule = std::ranges::all_of(
        cells, [](std::string_view cell) { return cell.find_first_not_of("-: ") == std::string_view::npos; });
    if (!is_rule) take_row(cells);
  }

  void take_row(const std::vector<std::string_view>& cells) {
    const std::int64_t unpadded = size(cells[0]);
    const std::int64_t padded = size(cells[1]);
    if (padded < unpadded || number(cells[2], 0, "number of paddings") != padded - unpadded)
      refuse(in_quotes(cells[2]) + " is not the number of paddings from " + std::string(cells[0]) + " to " +
             std::string(cells[1]) + " tokens: give the table as vLLM printed it");
    const std::int64_t times = count(cells[4]);
    const std::string mode(cells[3]);
    if (mode.empty() || mode.size() > 64 ||
        mode.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789") != std::string::npos)
      refuse(in_quotes(head_of(mode, 80)) + " is not a runtime mode such as FULL");
    if (times > 0) traffic_.modes[mode][unpadded] += static_cast<double>(times);
    add(unpadded, times);
  }

  void take_time(std::string_view text) {
    const std::optional<double> time = options::parse_real(text);
    if (!time || *time < 0) refuse(in_quotes(text) + " is not a time: give seconds from 0 up");
    if (!traffic_.arrivals.empty() && *time < traffic_.arrivals.back())
      refuse("the time goes back to " + std::string(text) + ": give steps in the order in which they arrive");
    traffic_.arrivals.push_back(*time);
  }

  void add(std::int64_t size, std::int64_t count) {
    if (count > 0) traffic_.histogram[size] += static_cast<double>(count);
  }

  std::int64_t number(std::string_view text, std::int64_t least, const char* noun) const {
    const options::ParsedInteger parsed = options::parse_integer(text);
    if (parsed.fault == options::NumberFault::overflow && text.front() != '-')
      refuse(in_quotes(head_of(text, 80)) + " is too large for a " + noun);
    if (parsed.fault != options::NumberFault::none || parsed.value < least)
      refuse(in_quotes(head_of(text, 80)) + " is not a " + noun + ": give a whole number from " +
             std::to_string(least) + " up");
    return parsed.value;
  }
  std::int64_t size(std::string_view text) const {
    const std::int64_t rows = number(text, 1, "size");
    if (rows > size_max)
      refuse(in_quotes(text) + " is too large for a size: give at most " + std::to_string(size_max));
    return rows;
  }
  // The limit keeps sums of counts exact in a double.
  std::int64_t count(std::string_view text) const {
    const std::int64_t times = number(text, 0, "count");
    if (times > 1'000'000'000'000)
      refuse(in_quotes(text) + " is too large for a count: give at most 1000000000000");
    return times;
  }

  inline static const std::vector<std::string_view> vllm_header = {"Unpadded Tokens", "Padded Tokens",
                                                                   "Num Paddings", "Runtime Mode", "Count"};

  const std::string& path_;
  std::int64_t line_ = 0;
  Form form_ = Form::unknown;
  std::int64_t first_line_ = 0;  // number of the first line, if that line is not a header
  std::string_view first_text_;
  bool seen_table_ = false;
  bool in_table_ = false;
  Traffic traffic_;
};

}  // namespace

Traffic parse_traffic_file(const std::string& path, std::string_view content) {
  return TrafficReader(path).read(content);
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

Traffic read_traffic_file(const std::string& where, const std::string& path) {
  const WholeFile file = read_whole_file(path, file_bytes_max);
  if (!file.why_not.empty())
    throw InputError(where,
                     in_quotes(path) + " " + file.why_not +
                         "; give a file with steps (time,size) or a histogram (size,count); or uniform:A:B "
                         "or zipf:S:MAX");
  return parse_traffic_file(path, file.text);
}

}  // namespace graphbench::ladder
