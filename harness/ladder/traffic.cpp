// Makes traffic from named distributions, and steps from a histogram or a trace.
#include "harness/ladder/traffic.hpp"

#include <algorithm>
#include <cmath>
#include <random>

#include "graphs/base/digest.hpp"
#include "graphs/base/text.hpp"
#include "harness/options/numbers.hpp"

namespace graphbench::ladder {

Traffic read_traffic_files(const std::string& where, const std::string& path);

namespace {

// The parameters of a distribution, which follow its name: 1 and 64 in "uniform:1:64".
class Parameters {
 public:
  Parameters(const std::string& where, const std::string& text, std::string form)
      : where_(where), text_(text), form_(std::move(form)) {
    parts_ = split(text, ':');
    parts_.erase(parts_.begin());
    const auto wanted = static_cast<std::size_t>(std::ranges::count(form_, ':'));
    if (parts_.size() != wanted) refuse("is not " + form_);
  }

  [[noreturn]] void refuse(const std::string& why) const {
    throw InputError(where_, in_quotes(text_) + " " + why);
  }

  std::int64_t size(std::size_t i) const {
    const options::ParsedInteger parsed = options::parse_integer(parts_[i]);
    if (parsed.fault == options::NumberFault::none && parsed.value >= 1 && parsed.value <= size_max)
      return parsed.value;
    refuse("has " + in_quotes(parts_[i]) + " in place of a size: " + form_ +
           " takes whole numbers from 1 to " + std::to_string(size_max));
  }
  double real(std::size_t i, double low, double high, const std::string& advice) const {
    const std::optional<double> value = options::parse_real(parts_[i]);
    if (value && *value >= low && *value <= high) return *value;
    refuse("has " + in_quotes(parts_[i]) + " in place of " + advice);
  }

 private:
  const std::string& where_;
  const std::string& text_;
  std::string form_;
  std::vector<std::string> parts_;
};

constexpr std::int64_t distinct_max = 65'536;

Traffic uniform(const Parameters& of) {
  const std::int64_t low = of.size(0);
  const std::int64_t high = of.size(1);
  if (high < low) of.refuse("has an end below its start: give the smaller size first");
  if (high - low >= distinct_max) of.refuse("has more than 65536 sizes: give a shorter range");
  Traffic traffic;
  for (std::int64_t rows = low; rows <= high; ++rows) traffic.histogram[rows] = 1;
  return traffic;
}

Traffic zipf(const Parameters& of) {
  const double exponent = of.real(0, 0, 16, "an exponent from 0 to 16");
  const std::int64_t most = of.size(1);
  if (most > distinct_max) of.refuse("has more than 65536 sizes: give a smaller MAX");
  Traffic traffic;
  for (std::int64_t rows = 1; rows <= most; ++rows)
    traffic.histogram[rows] = std::pow(static_cast<double>(rows), -exponent);
  return traffic;
}

Traffic random_requests(const Parameters& of) {
  Traffic traffic;
  traffic.request_rate = of.real(0, 1e-6, 1e6, "a number of requests per second above 0");
  traffic.request_tokens = of.size(1);
  return traffic;
}

// These functions replace std::shuffle and the standard distributions, which may differ between libraries.
void shuffle(std::vector<std::int64_t>& rows, std::mt19937_64& random) {
  for (std::size_t i = rows.size(); i > 1; --i) std::swap(rows[i - 1], rows[random() % i]);
}
double unit(std::mt19937_64& random) {
  return static_cast<double>(random() >> 11) * 0x1p-53;
}
double gap(double rate, std::mt19937_64& random) {
  return -std::log1p(-unit(random)) / rate;
}

std::int64_t steps_of(const Traffic& traffic, const TraceRequest& request) {
  if (request.steps) return *request.steps;
  double all = static_cast<double>(traffic.trace.size());
  if (traffic.trace.empty()) {
    if (!traffic.counted)
      throw InputError(
          "--steps",
          in_quotes(traffic.name) + " has no last step, so \"all\" is not possible: give a number of steps");
    for (const auto& [rows, count] : traffic.histogram) all += count;
  }
  if (all > static_cast<double>(steps_max))
    throw InputError("--steps",
                     "\"all\" is more than " + std::to_string(steps_max) + " steps: give a number of steps");
  return static_cast<std::int64_t>(all);
}

std::vector<std::int64_t> rows_of(const Traffic& traffic, std::int64_t steps, std::mt19937_64& random) {
  std::vector<std::int64_t> rows;
  if (!traffic.trace.empty()) {
    rows = traffic.trace;
    rows.resize(std::min<std::size_t>(rows.size(), static_cast<std::size_t>(steps)));
  } else {
    for (const auto& [size, count] : largest_remainders(traffic.histogram, steps))
      rows.insert(rows.end(), static_cast<std::size_t>(count), size);
    shuffle(rows, random);
  }
  return rows;
}

}  // namespace

std::vector<std::int64_t> parse_sizes(const std::string& where, const std::string& text,
                                      std::int64_t multiple_of) {
  std::vector<std::int64_t> sizes = options::parse_numbers(where, text, {.noun = "size"});
  for (std::int64_t& size : sizes) {
    if (size > size_max)
      throw InputError(
          where, std::to_string(size) + " is too large for a size: give at most " + std::to_string(size_max));
  }
  std::ranges::sort(sizes);
  round_up(sizes, multiple_of);
  return sizes;
}

void round_up(std::vector<std::int64_t>& sizes, std::int64_t multiple_of) {
  for (std::int64_t& size : sizes) size = (size + multiple_of - 1) / multiple_of * multiple_of;
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
}

Traffic read_traffic(const std::string& where, const std::string& text) {
  const std::string word = text.substr(0, text.find(':'));
  Traffic traffic;
  if (word == "uniform" && word != text) {
    traffic = uniform({where, text, "uniform:A:B"});
  } else if (word == "zipf" && word != text) {
    traffic = zipf({where, text, "zipf:S:MAX"});
  } else if (word == "requests" && word != text) {
    traffic = random_requests({where, text, "requests:RATE:TOKENS"});
  } else {
    traffic = read_traffic_files(where, text);
  }
  traffic.name = text;
  return traffic;
}

Traffic with_lengths(const std::string& where, const std::vector<std::int64_t>& lengths, Traffic traffic) {
  if (traffic.of_tokens)
    throw InputError(where, "the sizes of " + in_quotes(traffic.name) +
                                " are tokens already, not requests: leave the option out");
  const std::int64_t most = size_max / lengths.back();
  const auto times = [&](std::int64_t rows, std::int64_t length) {
    if (rows > most)
      throw InputError(where, std::to_string(rows) + " requests of " + std::to_string(length) +
                                  " tokens are too large for a size: give smaller lengths");
    return rows * length;
  };
  Traffic made = traffic;
  made.histogram.clear();
  made.trace.clear();
  made.arrivals.clear();
  for (const std::int64_t length : lengths) {
    for (const auto& [rows, count] : traffic.histogram) made.histogram[times(rows, length)] += count;
  }
  for (std::size_t i = 0; i < traffic.trace.size(); ++i) {
    for (const std::int64_t length : lengths) {
      made.trace.push_back(times(traffic.trace[i], length));
      if (!traffic.arrivals.empty()) made.arrivals.push_back(traffic.arrivals[i]);
    }
  }
  std::string note;
  for (const std::int64_t length : lengths) note += (note.empty() ? "" : ", ") + std::to_string(length);
  made.note += (made.note.empty() ? "" : ". ") + ("each step comes with " + note + " tokens per request");
  return made;
}

std::vector<Request> make_requests(const Traffic& traffic, std::int64_t steps, std::int64_t most,
                                   std::uint64_t seed) {
  if (!traffic.request_rate) return traffic.requests;
  std::mt19937_64 random(seed);
  std::vector<Request> requests;
  const std::int64_t count = std::min(most + steps * most / traffic.request_tokens + 2, 4 * steps_max);
  for (double now = 0; std::ssize(requests) < count;)
    requests.push_back({now += gap(*traffic.request_rate, random), traffic.request_tokens});
  return requests;
}

std::map<std::int64_t, std::int64_t> largest_remainders(const std::map<std::int64_t, double>& weights,
                                                        std::int64_t total) {
  double sum = 0;
  for (const auto& [key, weight] : weights) sum += weight;
  std::map<std::int64_t, std::int64_t> counts;
  std::vector<std::pair<double, std::int64_t>> remainders;
  std::int64_t left = total;
  for (const auto& [key, weight] : weights) {
    const double share = weight * static_cast<double>(total) / sum;
    counts[key] = static_cast<std::int64_t>(share);
    left -= counts[key];
    remainders.emplace_back(-(share - std::floor(share)), key);
  }
  std::ranges::sort(remainders);
  for (std::size_t i = 0; i < remainders.size() && left > 0; ++i, --left) ++counts[remainders[i].second];
  return counts;
}

Trace make_trace(const Traffic& traffic, const TraceRequest& request) {
  if (!traffic.requests.empty() || traffic.request_rate)
    throw InputError("--traffic",
                     in_quotes(traffic.name) +
                         " has requests and no batches, which depend on how long steps take: give "
                         "ladder --closed, or the log of the engine that served them");
  std::mt19937_64 random(request.seed);
  Trace trace;
  trace.rows = rows_of(traffic, steps_of(traffic, request), random);
  if (!traffic.arrivals.empty()) {
    if (request.rate)
      throw InputError("--arrivals",
                       in_quotes(traffic.name) + " already has arrival times: leave the option out");
    for (std::size_t i = 0; i < trace.rows.size(); ++i)
      trace.arrivals.push_back(traffic.arrivals[i] - traffic.arrivals.front());
  }
  double now = 0;
  for (std::size_t i = 0; request.rate && i < trace.rows.size(); ++i) {
    now += gap(*request.rate, random);
    trace.arrivals.push_back(now);
  }
  if (!trace.arrivals.empty() && trace.arrivals.back() > arrivals_max_seconds)
    throw InputError(request.rate ? "--arrivals" : "--traffic",
                     "the last step arrives after more than " +
                         std::to_string(static_cast<std::int64_t>(arrivals_max_seconds)) +
                         " s: give fewer --steps, or earlier arrivals");
  return trace;
}

std::string Trace::digest() const {
  std::string text;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    text += std::to_string(rows[i]);
    if (!arrivals.empty()) text += "@" + std::to_string(std::llround(arrivals[i] * 1e9));
    text += ",";
  }
  return sha256_hex(text).substr(0, 12);
}

}  // namespace graphbench::ladder
