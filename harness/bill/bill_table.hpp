// Prints bills on the console, and writes their series (`graphbench bill --prometheus-textfile`).
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "harness/bill/bill.hpp"
#include "reporters/prometheus_text.hpp"

namespace graphbench::reporters {

void print_bills(std::ostream& out, const std::vector<bill::Bill>& bills, bool colours);

const std::vector<Family<bill::Bill>>& bill_families();
// Returns the series of all bills as Prometheus's text. A bill without a prediction has no series.
std::string bills_text(const std::string& device, const std::vector<bill::Bill>& bills);

}  // namespace graphbench::reporters
