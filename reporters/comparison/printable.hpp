// Text from documents made fit for every format, and a metric's comparison as a sentence.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "harness/model/comparison.hpp"

namespace graphbench::reporters {

// One line of valid UTF-8 for people: broken sequences become U+FFFD, control characters blanks, what
// is not seen an escape; at most `length_max` code points of the text, with an ellipsis at the cut.
std::string printable(std::string_view text, std::size_t length_max = 500);

// As much of a name as a line has room for.
inline constexpr std::size_t name_length_max = 240;

// "latency 112us -> 118us, 1.052x [1.041, 1.063], q 0.0123"; of what is inconclusive also what it could have
// found: ", finds 6.8 %".
std::string metric_text(const model::MetricComparison& metric);

}  // namespace graphbench::reporters
