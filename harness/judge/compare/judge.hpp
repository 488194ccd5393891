// Makes verdicts of launch medians: one test per metric of a cell, with the spread that all cells show, and
// one correction over all families, also for a run that is looked at more than once. Pure.
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

namespace graphbench::compare {

// One positive number per launch, in seconds; at least one per side.
struct Replicates {
  std::vector<double> base;
  std::vector<double> now;
  bool paired = false;  // base[i] and now[i] are neighbours in one interleaved run
  // One interleaved run in which no launch has a partner, so the metric cannot be judged.
  bool partnerless = false;
};

// One metric of one cell, from its launches to its verdict.
struct Trial {
  model::MetricComparison& result;  // not owned
  // Numbers of the cell, of its family, which differs by the warmup count alone, and of its task, which
  // differs by the batch alone: cells of one task share their launches' processes.
  std::uint32_t family = 0;
  std::uint32_t task = 0;
  std::uint32_t cell = 0;
  bool partnerless = false;
  // The difference of logarithms, with the shared spread once judged; absent if a side has one launch.
  std::optional<statistics::MeanDifference> difference = {};
  double interval_critical = 0;  // Student's t of the interval of 95 %
  double threshold = 0;          // the next p of its family must be below it
  statistics::Power power = {};  // at that threshold

  double log_margin() const { return std::log1p(result.margin); }
};

// Computes the numbers of one metric that depend on no other. `result` is default-constructed.
Trial measure(model::Metric metric, const Replicates& replicates, const model::MetricSettings& settings,
              model::MetricComparison& result);

struct Tests {
  std::int64_t tests = 0;  // p values
  std::int64_t families = 0;
};

// Fills in the rest: spreads, intervals and p, families by Benjamini-Hochberg, their members by Benjamini and
// Bogomolov (2014), and verdicts.
Tests judge(std::span<Trial> trials, double alpha);

// The slowdown of one cell's latency, as a fraction, that is found in nine cases of ten in any of the judged
// cells. Absent if no latency was tested, or if the slowdown is more than tenfold.
std::optional<double> slowdown_found(std::span<const Trial> trials);

// The numbers of launches per side after which a run until decided is judged; the last one is its maximum.
inline constexpr std::array<std::int64_t, 4> planned_looks = {5, 10, 15, 20};

// The part of `alpha` that look number `at` may spend: the increment of the Pocock-type spending function of
// Lan & DeMets (1983), alpha ln(1 + (e - 1) t) at t, the share of the most launches. The last look of a run
// that does not go on spends the rest. Each look is a test at its increment, so all looks err at most as
// often as alpha (Bonferroni), however they depend on each other. Boundaries from a joint distribution need
// its normal limit, from which few launches are far.
double level_at(double alpha, std::span<const std::int64_t> looks, std::size_t at, bool goes_on);

// Judges look after look; a decision of one look stays.
class Looks {
 public:
  // `looks` are rising numbers of launches per side; empty: one look at everything.
  Looks(const model::ComparisonSettings& settings, std::vector<std::int64_t> looks);
  // Judges the trials of the next look. q is scaled so that it is compared with alpha at every look.
  Tests judge(std::span<Trial> trials);
  // See slowdown_found(), for the last look. After several looks it covers the undecided tests; 0 if none is
  // undecided.
  std::optional<double> slowdown_found(std::span<const Trial> trials) const;

 private:
  const model::ComparisonSettings& settings_;
  std::vector<std::int64_t> looks_;
  std::size_t next_ = 0;
  std::map<std::pair<std::uint32_t, model::Metric>, model::MetricComparison> decided_;
};

}  // namespace graphbench::compare

namespace graphbench::statistics {

// The results by family, and `q` of the tests in their order.
struct FamilyTests {
  std::vector<double> family_p;
  std::vector<double> family_q;
  std::vector<std::size_t> members;
  std::vector<double> q;
};

// A family's p is Simes' (1986) over its members: small where one member's is very small, or where several
// are small. Families are corrected by Benjamini & Hochberg (1995). Members of the R families of m that fall
// below `alpha` are corrected among themselves at alpha R / m, which keeps the expected share of wrong
// members, averaged over those families, below alpha (Benjamini & Bogomolov 2014). A member's q is below
// alpha where both steps find it. family[i] is the family of p[i]; families are numbered from 0 without gaps.
FamilyTests test_families(std::span<const double> p, std::span<const std::uint32_t> family, double alpha);

// The degrees of freedom with which a group's variance predicts that of a member, if all variances of a group
// come from a scaled F distribution about a common one, with equal closeness in every group (Smyth 2004,
// *Linear models and empirical Bayes methods*, section 6.2: moments of the logarithms). Infinite if
// members differ only by chance; 0 if no group has two. Variances and their degrees are positive.
double common_freedom(std::span<const std::vector<Spread>> groups);

// The common variance of one group, with those degrees of freedom; 0 degrees for fewer than two members.
Spread common_spread(const std::vector<Spread>& group);

// The probability that chance makes `own`'s variance as large as it is, if `common` estimates the same
// variance: F's tail. Both have positive degrees of freedom.
double p_of_larger(const Spread& own, const Spread& common);

// True if `own` is larger than chance explains for a member of `common`: beyond the 99th percentile of F.
// Both have positive degrees of freedom.
bool exceeds(const Spread& own, const Spread& common);

// Smyth's posterior: both variances weighted by their degrees of freedom, with the sum of these. A variance
// that exceeds the common one counts alone (Phipson et al. 2016 on hypervariable ones), so that odd launches
// do not hide behind quiet neighbours. `common` has finite degrees of freedom.
Spread moderated(const Spread& own, const Spread& common);

}  // namespace graphbench::statistics
