// Corrects tests by families. Simes' p is the smallest of Benjamini-Hochberg's adjusted p within the family.
#include "harness/judge/compare/families.hpp"

#include <algorithm>
#include <numeric>

#include "harness/model/statistics/mean_difference.hpp"

namespace graphbench::statistics {

FamilyTests test_families(std::span<const double> p, std::span<const std::uint32_t> family, double alpha) {
  FamilyTests tests;
  if (p.empty()) return tests;
  tests.members.resize(std::size_t{std::ranges::max(family)} + 1);
  for (const std::uint32_t number : family) ++tests.members[number];
  std::vector<std::size_t> ends(tests.members.size());  // in `order`, which is sorted by family
  std::exclusive_scan(tests.members.begin(), tests.members.end(), ends.begin(), std::size_t{0});
  std::vector<std::size_t> order(p.size());
  for (std::size_t i = 0; i < p.size(); ++i) order[ends[family[i]]++] = i;
  std::vector<double> within(p.begin(), p.end());
  std::vector<double> own;
  for (std::size_t f = 0; f < ends.size(); ++f) {
    const auto members = std::span(order).first(ends[f]).last(tests.members[f]);
    if (members.size() > 1) {
      own.clear();
      for (const std::size_t i : members) own.push_back(p[i]);
      const std::vector<double> adjusted = benjamini_hochberg(own);
      for (std::size_t k = 0; k < members.size(); ++k) within[members[k]] = adjusted[k];
    }
    tests.family_p.push_back(
        within[*std::ranges::min_element(members, {}, [&](std::size_t i) { return within[i]; })]);
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
