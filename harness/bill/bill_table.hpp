// Bills as a Report, and as series (`graphbench bill --prometheus-textfile`).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/bill/bill.hpp"
#include "harness/sweep/driver.hpp"
#include "reporters/prometheus_text.hpp"
#include "reporters/report.hpp"

namespace graphbench::bill {

// Complaints about bills that failed, and the exit code.
void judge(const std::vector<Bill>& bills, sweep::Findings& found);

reporters::Report report_of(const std::vector<Bill>& bills);

// The bills of a document `graphbench.bill/1`; none of any other. Throws InputError like read_result().
std::vector<Bill> read_bills(std::string_view text, const std::string& source);

const std::vector<reporters::Family<Bill>>& bill_families();
// Returns the series of all bills as Prometheus's text. A bill without a prediction has no series.
std::string bills_text(const std::string& device, const std::vector<Bill>& bills);

}  // namespace graphbench::bill
