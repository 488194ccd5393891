// Fixed ladders, a bill and a series that tests of formats share.
#pragma once

#include "harness/bill/bill.hpp"
#include "harness/judge/history/history.hpp"
#include "harness/ladder/ladder.hpp"

namespace graphbench::samples {

// A ladder with one launch, whose pool and execs take 3 MB, and a suggestion with a frontier.
ladder::LadderFindings served_ladders();
// Predicted and measured, with a measured account below zero.
bill::Bill measured_bill();
// Eight entries, of which the sixth is slower than those before it.
judge::CellHistory changed_series();

}  // namespace graphbench::samples
