// How a sweep on the command line publishes to Prometheus: beginning, lingering, messages.
#pragma once

#include <memory>

#include "harness/config/options.hpp"
#include "harness/process/process_supervisor.hpp"
#include "harness/service/publish/publisher.hpp"

namespace graphbench::cli {

// Listens from here on, where asked for, and says where. Throws InputError for options that will
// not do, Error where nothing can listen there.
std::unique_ptr<publish::Publisher> make_publisher(const config::SweepOptions& options);

// After the result is written: file, push, lingering, deleting. False, after a line on stderr for each,
// where something failed.
bool finish_publishing(publish::Publisher& publisher, const sweep::SweepOutcome& outcome,
                       const config::SweepOptions& options, process::ProcessSupervisor& supervisor);

}  // namespace graphbench::cli
