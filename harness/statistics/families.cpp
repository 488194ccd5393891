// Simes' p is the smallest of Benjamini-Hochberg's adjusted p within the family.
#include "harness/statistics/families.hpp"

#include <algorithm>
#include <numeric>

#include "harness/statistics/mean_difference.hpp"

namespace graphbench::statistics {

FamilyTests test_families(std::span<const double> p, std::span<const std::uint32_t> family, double alpha) {
  FamilyTests tests;
  if (p.empty()) return tests;
  std::vector<std::size_t> order(p.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return family[i]; });
  std::vector<double> within(p.size());
  std::vector<double> own;
  for (std::size_t begin = 0, end = 0; begin < order.size(); begin = end) {
    own.clear();
    while (end < order.size() && family[order[end]] == family[order[begin]]) own.push_back(p[order[end++]]);
    const std::vector<double> adjusted = own.size() == 1 ? own : benjamini_hochberg(own);
    for (std::size_t i = begin; i < end; ++i) within[order[i]] = adjusted[i - begin];
    tests.family_p.push_back(std::ranges::min(adjusted));
    tests.members.push_back(own.size());
  }
  tests.family_q = benjamini_hochberg(tests.family_p);
  const auto found = std::ranges::count_if(tests.family_q, [&](double q) { return q < alpha; });
  const double selection =
      static_cast<double>(tests.family_q.size()) / static_cast<double>(std::max<std::ptrdiff_t>(found, 1));
  for (std::size_t i = 0; i < p.size(); ++i)
    tests.q.push_back(std::max(tests.family_q[family[i]], std::min(1.0, within[i] * selection)));
  return tests;
}

}  // namespace graphbench::statistics
