// How a sweep on the command line publishes to Prometheus: beginning, lingering, messages.
#pragma once

#include <memory>

#include "harness/config/options.hpp"
#include "harness/process/process_supervisor.hpp"
#include "harness/service/publish/publisher.hpp"

namespace graphbench::cli {

// Starts to listen if that was asked for, and prints the address. Throws InputError for invalid options,
// Error if nothing can listen there.
std::unique_ptr<publish::Publisher> make_publisher(const config::SweepOptions& options);

// After the result is written: file, push, lingering, deleting. False if something failed; a line on stderr
// says what.
bool finish_publishing(publish::Publisher& publisher, const sweep::SweepOutcome& outcome,
                       const config::SweepOptions& options, process::ProcessSupervisor& supervisor);

}  // namespace graphbench::cli
