// Makes verdicts from launch medians. Each metric of a cell has one test. The spread of a metric is estimated
// from all cells, and one correction covers all families. `Looks` judges a run with several looks. All
// functions are pure.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "harness/model/comparison.hpp"
#include "harness/model/statistics/mean_difference.hpp"

namespace graphbench::judge {

// One positive number per launch, in seconds; at least one per side.
struct Replicates {
  std::vector<double> base;
  std::vector<double> now;
  bool paired = false;  // base[i] and now[i] ran back to back in one interleaved run
  // True if no launch index of an interleaved run has the metric on both sides, so no test is possible.
  bool partnerless = false;
};

// One metric of one cell, with the data of its test.
struct Trial {
  model::MetricComparison& result;  // not owned
  // Indices of the family (cells that differ only in the warmup count), the task (cells that share processes
  // and differ only in the batch) and the cell.
  std::uint32_t family = 0;
  std::uint32_t task = 0;
  std::uint32_t cell = 0;
  bool partnerless = false;
  // The difference of the mean log times, NEW minus BASE; judge() replaces its spread. Absent if a side has
  // one launch, or if `partnerless`.
  std::optional<model::MeanDifference> difference = {};
  // What each launch adds to its side's mean log time, BASE's launches before NEW's; of pairs, to the mean
  // difference.
  std::vector<double> effects = {};
  double interval_critical = 0;  // Student's t for the 95 % interval
  double threshold = 0;          // a p below this would be significant
  model::Power power = {};       // at `threshold`

  double log_margin() const { return std::log1p(result.margin); }
};

// Returns the trial of one metric of one cell. Fills `result`, which must be default-constructed, with the
// numbers that do not depend on other trials.
Trial measure(model::Metric metric, const Replicates& replicates, const model::MetricSettings& settings,
              model::MetricComparison& result);

struct Tests {
  std::int64_t tests = 0;  // number of p values
  std::int64_t families = 0;
};

// Fills in spreads, intervals, p values, q values and verdicts. judge::test_families() corrects p to q.
Tests judge(std::span<Trial> trials, double alpha);

// The slowdown of one cell's latency, as a fraction, that is found with a mean probability of 0.9 over all
// judged cells. Absent if no latency was tested, or if the slowdown is above model::slowdown_max.
std::optional<double> slowdown_found(std::span<const Trial> trials);

// `ab --until-decided` judges after these numbers of launches per side. The run ends at the last number.
inline constexpr std::array<std::int64_t, 4> planned_looks = {5, 10, 15, 20};

// The part of `alpha` that look `at` may spend: the increment of the Pocock-type spending function of Lan &
// DeMets (1983), alpha ln(1 + (e - 1) t). t is the number of launches at the look, divided by the number at
// the last planned look. If `goes_on` is false, the last look spends the rest of alpha. Each look is a test
// at its own level, so the joint error rate is at most alpha (Bonferroni). The joint distribution of the test
// statistics is not used, because it is close to normal only with more launches.
double level_at(double alpha, std::span<const std::int64_t> looks, std::size_t at, bool goes_on);

// Judges one look after the other. Once a look decides a test, the test keeps its verdict.
class Looks {
 public:
  // `looks` are increasing numbers of launches per side. Empty: one look at all launches.
  Looks(const model::ComparisonSettings& settings, std::vector<std::int64_t> looks);
  // Judges the next look. Scales each q by alpha / the look's level, so all looks compare q with alpha.
  Tests judge(std::span<Trial> trials);
  // Returns judge::slowdown_found() at the last look. In a run with looks, only undecided tests of latency
  // count; returns 0 if all are decided.
  std::optional<double> slowdown_found(std::span<const Trial> trials) const;

 private:
  const model::ComparisonSettings& settings_;
  std::vector<std::int64_t> looks_;
  std::size_t next_ = 0;
  std::map<std::pair<std::uint32_t, model::Metric>, model::MetricComparison> decided_;
};

// `q` has one element per test, in the order of the input. The other lists have one element per family.
struct FamilyTests {
  std::vector<double> family_p;
  std::vector<double> family_q;
  std::vector<std::size_t> members;
  std::vector<double> q;
  double times = 1;  // how often each family's q counts, because families are wrong together
};

// family[i] is the family of p[i]; families are numbered from 0 without gaps. A family's p is the Simes p
// (1986) of its members. Families are corrected by Benjamini & Hochberg (1995). If R of m families are below
// `alpha`, their members are corrected within each family at alpha R / m. This keeps the expected share of
// false rejections, averaged over the R families, below alpha (Benjamini & Bogomolov 2014). A member's q is
// below alpha if its family's test and its own test both reject.
//
// With `shared` (shared_by_tasks()), families are wrong together, which the correction does not see: each
// family's q counts up to 1.5 times.
FamilyTests test_families(std::span<const double> p, std::span<const std::uint32_t> family, double alpha,
                          double shared = 0);

// The mean squared correlation between the effects of launches in cells of different tasks, less what chance
// adds: 0 if tasks are independent, 1 if a launch is slow or fast in all tasks alike. `trials` have one
// metric and a difference each.
double shared_by_tasks(std::span<Trial* const> trials);

// The degrees of freedom with which a group's variance predicts a member's (Smyth 2004, *Linear models and
// empirical Bayes methods*, section 6.2: moments of log variances), with a scaled F distribution around each
// group's variance and equal degrees of freedom in all groups. Infinite if members differ only by chance; 0
// if no group has two members. Variances and degrees of freedom are positive.
double common_freedom(std::span<const std::vector<model::Spread>> groups);

// The common variance of one group, and its common_freedom(), which is 0 for fewer than two members.
model::Spread common_spread(const std::vector<model::Spread>& group);

// The probability that `own.variance` is at least this large by chance, if `common` estimates the same
// variance (upper tail of F). Both have positive degrees of freedom.
double p_of_larger(const model::Spread& own, const model::Spread& common);

// True if `own.variance` is beyond the 99th percentile of F for a member of `common`: p_of_larger() < 0.01.
bool exceeds(const model::Spread& own, const model::Spread& common);

// Smyth's posterior variance: the mean of `own` and `common`, weighted by their degrees of freedom. The mean
// has the sum of these degrees. Returns `own` if it exceeds `common`, so that steady members of the group do
// not hide odd launches (as Phipson et al. 2016 do for hypervariable members).
model::Spread moderated(const model::Spread& own, const model::Spread& common);

}  // namespace graphbench::judge
