// The effects of rows in a table of rows by columns, robustly.
#pragma once

#include <cstddef>
#include <vector>

namespace graphbench::statistics {

// value = column effect + row effect + rest, fitted by median polish (J. W. Tukey, Exploratory Data Analysis,
// 1977, chapter 11; Emerson & Hoaglin in Understanding Robust and Exploratory Data Analysis, 1983, chapter
// 6): medians of columns and rows are subtracted in turns, so that wild values, up to nearly half of a row's
// or column's, change little. `table` holds rows one after the other, NaN where a value is absent. Returns
// the rows' effects with a median of 0; NaN for a row without values.
std::vector<double> row_effects(std::vector<double> table, std::size_t columns);

}  // namespace graphbench::statistics
