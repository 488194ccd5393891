// How much launches spread, estimated from many of one kind: with few launches, that is known far better than
// the spread of one. Pure. docs/comparing.md says why.
#pragma once

#include <span>
#include <vector>

namespace graphbench::statistics {

// A variance and its degrees of freedom. 0 degrees: nothing is known.
struct Spread {
  double variance = 0;
  double freedom = 0;
};

// The degrees of freedom with which a group's variance predicts that of a member, if all variances of a group
// come from a scaled F distribution about a common one, with equal closeness in every group (Smyth 2004,
// *Linear models and empirical Bayes methods*, section 6.2: moments of the logarithms). Infinite where
// members differ only by chance; 0 where no group has two. Each variance and its degrees of freedom are
// positive.
double common_freedom(std::span<const std::vector<Spread>> groups);

// The common variance of one group, with those degrees of freedom; 0 degrees for fewer than two members.
Spread common_spread(const std::vector<Spread>& group);

// True where `own` is larger than chance explains for a member of `common`: beyond the 99th percentile of F.
// Both have positive degrees of freedom.
bool exceeds(const Spread& own, const Spread& common);

// Smyth's posterior: both variances weighted by their degrees of freedom, with the sum of these. A variance
// that exceeds the common one counts alone (Phipson et al. 2016 on hypervariable ones), so that odd launches
// do not hide behind quiet neighbours. `common` has finite degrees of freedom.
Spread moderated(const Spread& own, const Spread& common);

}  // namespace graphbench::statistics
