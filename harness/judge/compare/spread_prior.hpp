// How much launches spread, as many of one kind say together: with few launches that is known far better than
// one's own spread. Pure. docs/comparing.md says why.
#pragma once

#include <span>
#include <vector>

namespace graphbench::statistics {

// A variance, and the degrees of freedom that it is known to. 0 degrees: nothing is known.
struct Spread {
  double variance = 0;
  double freedom = 0;
};

// To how many degrees of freedom the variance of its group tells that of a member, all variances of a group
// being drawn from a scaled F distribution about a common one, as closely in every group (Smyth 2004, *Linear
// models and empirical Bayes methods*, section 6.2: moments of the logarithms). Infinite where members differ
// no more than by chance; 0 where no group has two. Each variance and freedom is positive.
double common_freedom(std::span<const std::vector<Spread>> groups);

// The common variance of one group, with that freedom; no freedom below two.
Spread common_spread(const std::vector<Spread>& group);

// Whether `own` is larger than chance explains where it is one of those with the spread `common`: beyond the
// 99th percentile of F. Both of positive freedom.
bool exceeds(const Spread& own, const Spread& common);

// Smyth's posterior: both variances weighted by their freedom, known to both. What exceeds the common one
// counts alone (the concern of Phipson et al. 2016 with hypervariable ones), so that odd launches do not hide
// behind quiet neighbours. `common` of finite freedom.
Spread moderated(const Spread& own, const Spread& common);

}  // namespace graphbench::statistics
