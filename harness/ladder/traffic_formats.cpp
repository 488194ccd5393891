// The formats of logs and metrics of serving engines, and their readers.
#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "graphs/base/text.hpp"
#include "harness/ladder/traffic_readers.hpp"

namespace graphbench::ladder {
namespace {

// The value behind `key`: "4" behind "num_ctx_requests" in "{'num_ctx_requests': 4, ...". Empty: no such key.
std::string_view value_after(std::string_view text, std::string_view key) {
  const std::size_t at = text.find(key);
  if (at == std::string_view::npos) return {};
  text.remove_prefix(at + key.size());
  text.remove_prefix(std::min(text.find_first_not_of("'\":= "), text.size()));
  return text.substr(0, text.find_first_of(",}' "));
}

// The word before `key`: "4" in "4 context tokens".
std::string_view word_before(std::string_view text, std::string_view key) {
  text = trimmed(text.substr(0, text.find(key)));
  return text.substr(text.find_last_of(' ') + 1);
}

void take_sglang(TrafficReader& to, std::string_view text) {
  to.add(to.size(value_after(text, "#running-req:")));
}

// Older lines have num_generation_tokens alone, which counts padding too.
void take_trtllm(TrafficReader& to, std::string_view text) {
  const std::int64_t requests = to.size(value_after(text, "num_scheduled_requests"));
  if (const auto context = value_after(text, "num_ctx_requests"); !context.empty() && to.size(context) > 0) {
    ++to.prefills;
  } else {
    to.add(requests);
  }
}

// Objects with the statistics of one iteration each, or an array of them. The object of inflight batching is
// absent from warm-ups.
void take_statistics(TrafficReader& to, std::string_view text) {
  text.remove_prefix(std::min({text.find('{'), text.find("[{"), text.size()}));
  const auto all = nlohmann::json::parse(text, nullptr, false);
  if (all.is_discarded())
    to.refuse(in_quotes(head_of(text, 80)) + " is not JSON in one line: give it as jq -c does");
  for (const auto& each : all.is_array() ? all : nlohmann::json::array({all})) {
    const auto batching = each.is_object() ? each.find("inflightBatchingStats") : each.end();
    if (batching == each.end() || !batching->is_object()) continue;
    const auto requests = [&](const char* key) {
      const auto found = batching->find(key);
      if (found == batching->end()) return std::int64_t{0};
      return to.number(text_of(*found), (std::string("number for ") + key).c_str(), size_max);
    };
    const std::int64_t scheduled = requests("numScheduledRequests");
    if (requests("numContextRequests") > 0) {
      ++to.prefills;
    } else {
      to.add(scheduled);
    }
  }
}

void take_iteration(TrafficReader& to, std::string_view text) {
  to.prefills_counted += to.size(word_before(text, " context requests")) > 0 ? 1 : 0;
  to.add(to.size(word_before(text, " context tokens")) + to.size(word_before(text, " generation tokens")));
}

void take_running(TrafficReader& to, std::string_view text) {
  to.add(to.size(value_after(text, "Running:")));
}

// A sample's value, behind the labels and before a timestamp or an exemplar.
std::string_view sample_of(std::string_view text) {
  text = text.substr(0, text.find(" # "));
  text = trimmed(text.substr(text.rfind('}') + 1));
  return text.substr(0, text.find(' '));
}

void take_gauge(TrafficReader& to, std::string_view text) {
  to.add(to.size(sample_of(text)));
}

template <auto take_line>
class LineReader final : public TrafficReader {
  void take(std::string_view text) override {
    take_line(*this, text);
    ++lines_taken;
  }
};

// Where a label's value begins.
std::size_t value_at(std::string_view text, const std::string& label) {
  std::size_t at = text.find(label + "=\"");
  while (at != std::string_view::npos &&
         (at == 0 || std::string_view("{, ").find(text[at - 1]) == std::string_view::npos))
    at = text.find(label + "=\"", at + 1);
  return at == std::string_view::npos ? at : at + label.size() + 2;
}

// The buckets of a histogram that counts since the server's start: of several scrapes in a file the last has
// all steps, unless the server started again. Each file is of its own server.
class BucketReader final : public TrafficReader {
  using Buckets = std::map<std::int64_t, std::int64_t>;  // steps up to an edge
  static constexpr std::int64_t infinite = size_max + 1;

  void end_file() override {
    for (auto& [series, scrapes] : std::exchange(series_, {})) {
      end_scrape(scrapes);
      count_steps(scrapes.last);
    }
    ++files_;
  }

  void take(std::string_view text) override {
    text = text.substr(0, text.find(" # "));  // an exemplar follows
    const std::size_t at = value_at(text, "le");
    if (at == std::string_view::npos) refuse(in_quotes(head_of(text, 80)) + " has no label le");
    const std::string_view edge = text.substr(at, text.find('"', at) - at);
    const std::int64_t to = edge == "+Inf" ? infinite : size(edge);
    std::string series(text);
    series.erase(at, edge.size());
    const std::int64_t steps = count(sample_of(series));
    series.erase(std::min(series.rfind('}'), series.size()));
    Scrapes& of = series_[series];
    if (!of.now.emplace(to, steps).second) {
      end_scrape(of);
      of.now[to] = steps;
    }
    if (const std::size_t model = value_at(series, "model_name"); model != std::string::npos)
      models_.insert(series.substr(model, series.find('"', model) - model));
    ++lines_taken;
  }

  void end() override {
    const std::string beyond =
        std::to_string(beyond_) + " of " + std::to_string(steps_) + " steps were larger than ";
    if (beyond_ > 0 && beyond_ == steps_)
      refuse(beyond + "all buckets, so no size is known: give vLLM's table of tokens (--cudagraph-metrics)");
    if (beyond_ > 0)
      notes.push_back(beyond + "the largest bucket, " + std::to_string(edge_) + ", and are left out");
    if (models_.size() > 1)
      notes.push_back("steps of " + std::to_string(models_.size()) +
                      " models are added up: " + join(models_));
    if (files_ > 1) notes.push_back("files are added up: give one per server");
  }

  struct Scrapes {
    Buckets last, now;
  };

  // A bucket has fewer steps than before only if the server started again.
  void end_scrape(Scrapes& of) {
    if (std::ranges::any_of(of.now, [&](const auto& each) {
          const auto before = of.last.find(each.first);
          return before != of.last.end() && each.second < before->second;
        }))
      count_steps(std::exchange(of.last, {}));
    for (const auto& [to, steps] : std::exchange(of.now, {})) of.last[to] = steps;
  }

  void count_steps(const Buckets& buckets) {
    std::int64_t below = 0;
    for (const auto& [to, steps] : buckets) {
      if (steps < below)
        refuse("a bucket up to " + std::to_string(to) + " has fewer steps than a smaller one");
      if (to == infinite) {
        beyond_ += steps - below;
      } else {
        add(to, steps - below);
        edge_ = std::max(edge_, to);
      }
      steps_ += steps - std::exchange(below, steps);
    }
  }

  std::map<std::string, Scrapes> series_;
  std::set<std::string> models_;
  std::int64_t edge_ = 0, beyond_ = 0, steps_ = 0, files_ = 0;
};

using Cells = std::vector<std::string_view>;

const Cells vllm_header = {"Unpadded Tokens", "Padded Tokens", "Num Paddings", "Runtime Mode", "Count"};

// The last five cells before the last "|"; empty without them. The prefix before them may also contain "|",
// and another process's text may follow.
Cells cells_of(std::string_view text) {
  Cells cells;
  text = text.substr(0, text.rfind('|') + 1);
  while (cells.size() < vllm_header.size() && text.ends_with('|')) {
    text.remove_suffix(1);
    const std::size_t at = text.rfind('|');
    if (at == std::string_view::npos) return {};
    cells.insert(cells.begin(), trimmed(text.substr(at + 1)));
    text = text.substr(0, at + 1);
  }
  return cells.size() == vllm_header.size() ? cells : Cells();
}

bool is_whole(std::string_view cell) {
  return !cell.empty() && cell.find_first_not_of("0123456789") == std::string_view::npos;
}

bool is_mode(std::string_view cell) {
  return !cell.empty() && cell.size() <= 64 &&
         cell.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789") == std::string_view::npos;
}

bool is_row(const Cells& cells) {
  if (cells.empty() || !is_mode(cells[3]) || !is_whole(cells[4])) return false;
  const auto number = [&](std::size_t i) { return to_number<std::int64_t>(cells[i]).value_or(-1); };
  return number(0) >= 0 && number(2) >= 0 && number(1) - number(0) == number(2);
}

// A line may have several rows, as a whole table in JSON has.
std::vector<Cells> rows_in(std::string_view text) {
  std::vector<Cells> rows;
  for (std::size_t end = text.rfind('|'); end != std::string_view::npos && end > 0;) {
    Cells cells = cells_of(text.substr(0, end + 1));
    if (is_row(cells)) {
      end = text.rfind('|', static_cast<std::size_t>(cells[0].data() - text.data()));
      rows.push_back(std::move(cells));
    }
    end = end > 0 ? text.rfind('|', end - 1) : end;
  }
  return rows;
}

// A log has a table every few seconds, each with new counts. Lines of other processes may come between
// rows, and a log that was cut begins or ends in a table, so rows count anywhere. But five cells right after
// a row must be a row too.
class VllmTableReader final : public TrafficReader {
  void begin_file() override { in_table_ = false; }

  void take(std::string_view text) override {
    const Cells cells = cells_of(text);
    if (const std::vector<Cells> rows = rows_in(text); !rows.empty() || cells == vllm_header) {
      in_table_ = true;
      for (const Cells& row : rows) take_row(row);
    } else if (in_table_ && text.ends_with('|') && !cells.empty()) {
      const bool is_rule = std::ranges::all_of(cells, [](std::string_view cell) {
        return cell.find_first_not_of("-: ") == std::string_view::npos;
      });
      if (!is_rule) take_row(cells);
    } else if (in_table_) {
      std::vector<std::string> parts = split(text, '|');
      in_table_ = std::any_of(parts.begin() + 1, parts.end(),
                              [](const std::string& part) { return is_whole(trimmed(part)); });
      pieces_ += in_table_ ? 1 : 0;
    }
  }

  void end() override {
    if (pieces_ > 0) notes.push_back(std::to_string(pieces_) + " pieces of rows are left out");
  }

  void take_row(const Cells& cells) {
    const std::int64_t unpadded = size(cells[0]);
    const std::int64_t padded = size(cells[1]);
    if (padded < unpadded || number(cells[2], "number of paddings", size_max) != padded - unpadded)
      refuse(in_quotes(cells[2]) + " is not the number of paddings from " + std::string(cells[0]) + " to " +
             std::string(cells[1]) + " tokens: give the table as vLLM printed it");
    const std::int64_t times = count(cells[4]);
    const std::string mode(cells[3]);
    if (!is_mode(mode)) refuse(in_quotes(head_of(mode, 80)) + " is not a runtime mode such as FULL");
    if (times > 0 && unpadded > 0) traffic.modes[mode][unpadded] += static_cast<double>(times);
    add(unpadded, times);
    ++lines_taken;
  }

  bool in_table_ = false;
  std::int64_t pieces_ = 0;
};

template <typename Reader>
std::unique_ptr<TrafficReader> reader_of() {
  return std::make_unique<Reader>();
}

}  // namespace

const std::vector<TrafficFormat>& traffic_formats() {
  const std::string now_and_then = "these are the running requests now and then, not those of each step";
  static const std::vector<TrafficFormat> formats = {
      {.name = "decode lines",
       .engine = "SGLang",
       .flag = "--decode-log-interval 1",
       .marks = {"Decode batch", "#running-req:"},
       .reader = reader_of<LineReader<take_sglang>>,
       .traces = {"ServerArgs(", "Prefill batch", "Capture cuda graph", "sglang"},
       .coarse = "SGLang writes one decode step in 40, or in --decode-log-interval"},
      {.name = "iteration log with num_scheduled_requests",
       .engine = "TensorRT-LLM",
       .flag = "print_iter_log: true",
       .marks = {"iter = ", "num_scheduled_requests"},
       .reader = reader_of<LineReader<take_trtllm>>,
       .traces = {"TRT-LLM", "TensorRT-LLM"}},
      {.name = "iteration statistics",
       .engine = "TensorRT-LLM",
       .flag = "enable_iter_perf_stats: true, then curl HOST/metrics",
       .marks = {"\"inflightBatchingStats\"", "\"numScheduledRequests\""},
       .reader = reader_of<LineReader<take_statistics>>},
      {.name = "table of tokens",
       .engine = "vLLM",
       .flag = "--cudagraph-metrics",
       .marks = {std::string(vllm_header[0]), std::string(vllm_header[3])},
       .is_row = [](std::string_view text) { return !rows_in(text).empty(); },
       .reader = reader_of<VllmTableReader>,
       .traces = {"vLLM", "vllm", "Capturing CUDA graph", "gpu_model_runner.py"},
       .every_line = true,
       .of_tokens = true},
      {.name = "iteration details",
       .engine = "vLLM",
       .flag = "--enable-logging-iteration-details",
       .marks = {"Iteration(", " context tokens", " generation tokens"},
       .reader = reader_of<LineReader<take_iteration>>,
       .of_tokens = true},
      {.name = "metrics iteration_tokens_total",
       .engine = "vLLM",
       .flag = "curl HOST/metrics",
       .marks = {"iteration_tokens_total_bucket{", "le=\""},
       .reader = reader_of<BucketReader>,
       .of_tokens = true,
       .coarse = "each step is taken as large as its bucket's upper edge, so padding is said too small"},
      {.name = "lines of running requests",
       .engine = "vLLM",
       .marks = {"Running: ", " reqs"},
       .reader = reader_of<LineReader<take_running>>,
       .coarse = now_and_then},
      {.name = "metrics num_requests_running",
       .engine = "vLLM",
       .marks = {"vllm", "num_requests_running{"},
       .reader = reader_of<LineReader<take_gauge>>,
       .coarse = now_and_then},
      {.name = "metrics num_running_reqs",
       .engine = "SGLang",
       .flag = "--enable-metrics, then curl HOST/metrics",
       .marks = {"sglang", "num_running_reqs{"},
       .reader = reader_of<LineReader<take_gauge>>,
       .coarse = now_and_then},
      {.name = "CSV with the columns size,count or time,size or size, JSONL with these keys, or one size a "
               "line; or, "
               "with --closed, a time and output tokens for each request",
       .reader = table_reader,
       .every_line = true}};
  return formats;
}

}  // namespace graphbench::ladder
