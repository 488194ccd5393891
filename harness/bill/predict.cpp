// Predicts the costs of all sizes: the costs of sizes without a capture are interpolated, with a variance.
#include "harness/bill/predict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <functional>
#include <limits>
#include <set>
#include <span>

#include "graphs/base/error.hpp"

namespace graphbench::bill {
namespace {

using Figures = std::vector<double*>;

Figures stages_of(model::Setup& of) {
  if (!of.prepare_seconds) of.prepare_seconds = 0;
  return {&*of.prepare_seconds,    &of.warmup_seconds, &of.capture_seconds,
          &of.instantiate_seconds, &of.upload_seconds, &of.first_step_seconds};
}

Figures accounts_of(Growth& of) {
  return {&of.pool_bytes, &of.workspace_bytes, &of.exec_bytes, &of.code_bytes};
}

double square(double x) {
  return x * x;
}

// The standard deviation of the tensors' memory between captures in which it grows evenly, as a share. In 17
// bills of PyTorch steps (tests/torch/steps.py, on an H200), rounding to blocks moved the sum of the sizes
// between two captures by 0 to 7 %, in 16 of them by at most 3 %.
constexpr double block_rounding = 0.03;

struct Variance {
  double bytes = 0;
  double seconds = 0;
};

// How captures load kernels, except the first capture: in sets of `bytes` each, and on average `rate` sets
// per capture. `variance` is the variance of `rate`, by Jeffreys' prior.
struct NewSets {
  double bytes = 0;
  double rate = 0;
  double variance = 0;
};

double between(double high, double low, const Capture& above, const Capture& below, std::int64_t size) {
  return low +
         (high - low) * static_cast<double>(size - below.size) / static_cast<double>(above.size - below.size);
}

// The variance of a sum over `count` sizes between two captures, whose figures are `high` and `low`. The mean
// of the sizes lies between these, most likely midway: a triangular distribution, of variance width^2 / 24.
double triangular(double count, double high, double low) {
  return square(count * (high - low)) / 24;
}

// The sizes without a capture between two captured ones, `above` being the larger. fill() gives them figures.
struct Gap {
  Capture above;
  Capture below;
  std::span<Capture> sizes;
  double count = static_cast<double>(sizes.size());

  // `even`: the tensors of captured sizes lie on a line.
  Variance fill(const NewSets& sets, bool even) {
    Variance variance;
    variance.bytes += fill_tensors(even) + take_exact_execs() + spread_new_code(sets);
    variance.bytes += fill_all([](Capture& of) { return accounts_of(of.growth); });
    variance.seconds += fill_all([](Capture& of) { return stages_of(of.setup); });
    fill_all([](Capture& of) { return Figures{&of.transient_bytes, &of.step_seconds}; });
    return variance;
  }

 private:
  // Each of these returns what it adds to the variance of the sum over the sizes.

  // Interpolates one figure linearly.
  double fill_figure(double high, double low, const std::function<double&(Capture&)>& figure) {
    for (Capture& each : sizes) figure(each) = between(high, low, above, below, each.size);
    return triangular(count, high, low);
  }

  // Interpolates a list of figures: figures_of(capture) points to them.
  template <typename FiguresOf>
  double fill_all(FiguresOf figures_of) {
    const Figures high = figures_of(above), low = figures_of(below);
    double variance = 0;
    for (std::size_t i = 0; i < high.size(); ++i)
      variance +=
          fill_figure(*high[i], *low[i], [&](Capture& each) -> double& { return *figures_of(each)[i]; });
    return variance;
  }

  // A library's pool grows by its tensors, but for those that found room in the pool of graphs.
  double fill_tensors(bool even) {
    if (!above.tensor_bytes || !below.tensor_bytes) return 0;
    for (Capture* const each : {&above, &below}) {
      each->tensor_bytes = std::max(*each->tensor_bytes, 0.0);
      each->growth.pool_bytes =
          std::clamp(each->growth.pool_bytes - *each->leftover_bytes, 0.0, *each->tensor_bytes);
    }
    double variance = fill_figure(*above.tensor_bytes, *below.tensor_bytes,
                                  [](Capture& each) -> double& { return each.tensor_bytes.emplace(); });
    double sum = 0;
    for (const Capture& each : sizes) sum += *each.tensor_bytes;
    if (even) variance = std::min(variance, square(block_rounding * sum));
    // It takes the place of the variance that fill() adds for the pool, as one of the accounts.
    return variance - triangular(count, above.growth.pool_bytes, below.growth.pool_bytes);
  }

  // one_exec_bytes, a mean over many execs, is more exact than growth, a multiple of the driver's quantum.
  // Its error is uniform within its resolution, of variance width^2 / 12.
  double take_exact_execs() {
    if (!above.one_exec_bytes || !below.one_exec_bytes) return 0;
    above.growth.exec_bytes = *above.one_exec_bytes;
    below.growth.exec_bytes = *below.one_exec_bytes;
    return square(count * std::max(above.exec_resolution_bytes, below.exec_resolution_bytes)) / 12;
  }

  // Libraries choose kernels by size, and load at most one new set of them per doubling of the size.
  // Doublings are expected to load sets as often as the captures after the first did.
  double spread_new_code(const NewSets& sets) {
    const double doublings =
        std::ceil(std::log2(static_cast<double>(above.size) / static_cast<double>(below.size)));
    const double most = sets.bytes * std::min(doublings, count);
    above.growth.code_bytes = below.growth.code_bytes = sets.rate * most / count;
    return square(most) * sets.variance;
  }
};

// The sizes of one mode in the order of captures. Sizes that `captures` lacks get `captured` = false.
std::vector<Capture> series_of(const Order& order, const std::string& mode,
                               const std::vector<Capture>& captures) {
  std::vector<Capture> series;
  for (auto size = order.sizes.rbegin(); size != order.sizes.rend(); ++size) {
    const auto found = std::ranges::find_if(
        captures, [&](const Capture& each) { return each.size == *size && each.mode == mode; });
    series.push_back(found != captures.end() ? *found
                                             : Capture{.size = *size, .mode = mode, .captured = false});
  }
  GRAPHBENCH_ASSERT(series.front().captured && series.back().captured);
  return series;
}

// Counts new sets in the growth that neither the first capture's code nor execs explain. A set is at least
// half a quantum, because it may fit into memory that the driver already has.
NewSets new_sets_of(const std::vector<Capture>& captures, double quantum) {
  NewSets made{.bytes = quantum / 2};
  for (std::size_t i = 1; i < captures.size(); ++i)
    made.bytes = std::max(made.bytes, captures[i].growth.code_bytes);
  const auto later = static_cast<double>(captures.size() - 1);
  if (later == 0 || made.bytes == 0) return made;
  const double beyond = growth_of(captures).code_bytes - captures.front().growth.code_bytes - quantum;
  const double loads = std::clamp(beyond / made.bytes, 0.0, later);
  made.rate = loads / later;
  const double sum = later + 1, mean = (loads + 0.5) / sum;
  made.variance = mean * (1 - mean) / (sum + 1) + square(mean - made.rate);
  return made;
}

struct Shared {
  double leftover_bytes = 0;  // the expected change of leftovers, which belongs to no size
  double variance = 0;
};

// Lets the tensors that predicted sizes keep fill free memory in the graphs' pool. Graphs also need that
// memory while they run, so half of what fits is expected to fill it; the rest is added to the sizes' pools.
// Returns how many bytes fit: the uncertainty of the sum.
double fill_free_memory(double free, std::vector<Capture>& sizes) {
  const auto kept_by = [](const Capture& each) { return *each.tensor_bytes - each.growth.pool_bytes; };
  double kept = 0;
  for (const Capture& each : sizes) kept += each.captured ? 0 : kept_by(each);
  const double fits = std::max(std::min(kept, free), 0.0);
  for (Capture& each : sizes) {
    if (!each.captured && kept > 0) each.growth.pool_bytes += kept_by(each) * (1 - fits / 2 / kept);
  }
  return fits;
}

// What all predicted sizes of a library share. Leftovers do not add up, because later tensors fill them:
// expects the middle between the least and the most that was left over after a capture.
Shared share(const std::vector<Capture>& captures, std::vector<Capture>& sizes) {
  double leftover = 0, most = 0, least = std::numeric_limits<double>::max(), free = 0;
  for (const Capture& each : captures) {
    if (!each.tensor_bytes) return {};  // a program, which has no library's pool
    leftover += *each.leftover_bytes;
    most = std::max(most, leftover);
    least = std::min(least, leftover);
    free += each.growth.pool_bytes - *each.tensor_bytes - *each.leftover_bytes;
  }
  if (captures.size() == sizes.size()) return {};  // nothing is predicted
  const double fits = fill_free_memory(free, sizes);
  return {.leftover_bytes = (least + most) / 2 - leftover, .variance = (square(fits) + square(most)) / 12};
}

// Whether the tensors of each captured size between two others lie on the line between these, but for the
// rounding of blocks. The first capture also makes the tensors that all sizes share.
bool grows_evenly(const std::vector<Capture>& series) {
  std::vector<const Capture*> known;
  for (const Capture& each : series) {
    if (each.captured && each.tensor_bytes && &each != &series.front()) known.push_back(&each);
  }
  for (std::size_t i = 1; i + 1 < known.size(); ++i) {
    const Capture &above = *known[i - 1], &below = *known[i + 1];
    const double line = between(*above.tensor_bytes, *below.tensor_bytes, above, below, known[i]->size);
    if (std::abs(*known[i]->tensor_bytes - line) > 3 * block_rounding * line) return false;
  }
  return known.size() > 2;
}

Amount amount(double expected, double half) {
  return {expected, std::max(expected - half, 0.0), expected + half};
}

}  // namespace

double seconds_of(model::Setup setup) {
  double sum = 0;
  for (const double* each : stages_of(setup)) sum += *each;
  return sum;
}

// Counts as execs the memory that they are known to need, and as code the remaining growth: the driver takes
// 2 MiB at a time, and the memory that it took for a kernel may also hold execs. If every size was captured,
// execs count for no more memory than the driver took.
Growth growth_of(const std::vector<Capture>& captures) {
  Growth sum;
  double execs = 0;
  for (Capture each : captures) {
    for (std::size_t i = 0; i < 4; ++i) *accounts_of(sum)[i] += *accounts_of(each.growth)[i];
    execs += each.one_exec_bytes.value_or(each.growth.exec_bytes);
  }
  const double taken = sum.code_bytes + sum.exec_bytes;
  if (std::ranges::all_of(captures, &Capture::captured))
    execs = std::min(execs, std::max(taken, sum.exec_bytes));
  sum.code_bytes = std::max(taken - execs, std::min(sum.code_bytes, 0.0));
  sum.exec_bytes = execs;
  return sum;
}

model::Setup setup_of(const std::vector<Capture>& captures) {
  model::Setup sum{};
  for (Capture each : captures) {
    for (std::size_t i = 0; i < 6; ++i) *stages_of(sum)[i] += *stages_of(each.setup)[i];
  }
  return sum;
}

double peak_of(const std::vector<Capture>& captures) {
  double left = 0, most = 0;
  for (const Capture& each : captures) {
    left += each.growth.total();
    most = std::max(most, left + each.transient_bytes);
  }
  return most;
}

std::vector<std::int64_t> sample_of(const std::vector<std::int64_t>& sizes, std::size_t count) {
  if (count >= sizes.size()) return sizes;
  std::set<std::size_t> places = {sizes.size() - 1, sizes.size() - 2, 0};
  while (places.size() < count) {
    std::size_t widest = 0, middle = 0;
    for (auto place = places.begin(), next = std::next(place); next != places.end(); ++place, ++next) {
      if (*next - *place <= widest) continue;
      widest = *next - *place;
      middle = *place + widest / 2;
    }
    places.insert(middle);
  }
  std::vector<std::int64_t> sample;
  for (const std::size_t place : places) sample.push_back(sizes[place]);
  return sample;
}

Prediction predict(const Order& order, const std::vector<Capture>& captures,
                   const PredictSettings& settings) {
  Prediction made;
  made.captures = static_cast<std::int64_t>(captures.size());
  const NewSets sets = new_sets_of(captures, settings.quantum_bytes);
  Variance variance;
  for (const std::string& mode : order.modes) {
    std::vector<Capture> series = series_of(order, mode, captures);
    const bool even = grows_evenly(series);
    for (std::size_t above = 0, below = 1; below < series.size(); above = below++) {
      while (!series[below].captured) ++below;
      if (below == above + 1) continue;
      Gap gap{series[above], series[below], std::span(series).subspan(above + 1, below - above - 1)};
      const Variance more = gap.fill(sets, even);
      variance.bytes += more.bytes;
      variance.seconds += more.seconds;
    }
    made.line_bytes += series.front().growth.total();
    if (series.size() > 1)
      made.line_bytes += series[1].growth.total() * static_cast<double>(series.size() - 1);
    made.sizes.insert(made.sizes.end(), series.begin(), series.end());
  }
  const Shared shared = share(captures, made.sizes);
  variance.bytes += shared.variance;
  // The first and the last reading of used memory are each uncertain by one quantum.
  variance.bytes += square(settings.quantum_bytes) / 6;
  const double cover = boost::math::quantile(boost::math::normal(), (1 + settings.confidence) / 2);
  made.growth = growth_of(made.sizes);
  made.growth.pool_bytes += shared.leftover_bytes;
  made.setup = setup_of(made.sizes);
  made.bytes = amount(made.growth.total(), cover * std::sqrt(variance.bytes));
  made.seconds = amount(seconds_of(made.setup), cover * std::sqrt(variance.seconds));
  const double needed =
      std::max(peak_of(made.sizes), made.bytes.expected) + made.bytes.high - made.bytes.expected;
  const double quantum = std::max(settings.quantum_bytes, 1.0);
  made.reserve_bytes = std::ceil(needed / quantum) * quantum;
  return made;
}

Account account_of(Account of, const Growth& growth, const std::vector<Capture>& captures) {
  double execs = 0, resolution = 0;
  for (const Capture& each : captures) {
    execs += each.one_exec_bytes.value_or(each.growth.exec_bytes);
    resolution += each.exec_resolution_bytes;
  }
  of.pool_bytes = std::llround(growth.pool_bytes);
  of.workspace_bytes = std::llround(growth.workspace_bytes);
  if (!of.context_bytes) return of;
  of.code_bytes = std::llround(growth.code_bytes);
  of.exec_bytes = std::llround(execs);
  of.exec_resolution_bytes = std::llround(resolution);
  of.used_bytes = *of.context_bytes + of.static_bytes + std::llround(growth.total());
  of.unaccounted_bytes = std::llround(growth.exec_bytes - execs);
  return of;
}

Measured measured_of(const Prediction& prediction, std::vector<Capture> captures) {
  Measured of;
  of.growth = growth_of(captures);
  of.setup = setup_of(captures);
  of.bytes = of.growth.total();
  of.seconds = seconds_of(of.setup);
  of.error = prediction.bytes.expected / of.bytes - 1;
  of.line_error = prediction.line_bytes / of.bytes - 1;
  of.inside = prediction.bytes.low <= of.bytes && of.bytes <= prediction.bytes.high;
  of.sizes = std::move(captures);
  return of;
}

std::string sentence_of(const Bill& bill) {
  constexpr double gib = 1 << 30;
  const Prediction& told = bill.prediction.value();
  // In GiB, a small bill would read "0.00 GiB".
  const bool small = told.reserve_bytes < gib / 10;
  const double unit = small ? gib / 1024 : gib;
  const char* const name = small ? "MiB" : "GiB";
  std::string text =
      fmt::format("Reserve {:.2f} {} ({:.4g} %): {} sizes take {:.2f} \u00b1 {:.2f} {} and {:.1f} s.",
                  told.reserve_bytes / unit, name, 100 * bill.confidence, bill.capture_sizes.size(),
                  told.bytes.expected / unit, (told.bytes.high - told.bytes.expected) / unit, name,
                  told.seconds.expected);
  if (bill.trade)
    text += fmt::format(
        " With only {} of these sizes, steps of this traffic would take {:.1f} % longer; that saves "
        "{:.2f} {} and "
        "{:.1f} s.",
        bill.trade->sizes.size(), 100 * (bill.trade->step_ratio - 1), bill.trade->bytes / unit, name,
        bill.trade->seconds);
  return bill.sleep ? text + sleep_text(*bill.sleep) : text;
}

}  // namespace graphbench::bill
