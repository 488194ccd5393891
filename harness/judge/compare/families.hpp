// Corrects tests that belong together, first as families and then one by one. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace graphbench::statistics {

// What is known by family, and `q` of the tests in their order.
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

}  // namespace graphbench::statistics
