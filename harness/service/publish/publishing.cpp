// Connects the publisher with options, stderr and Ctrl-C, and writes the event lines that the service reads.
#include "harness/service/publish/publishing.hpp"

#include <chrono>
#include <cstdio>
#include <thread>

#include "graphbench_version.hpp"
#include "graphs/base/error.hpp"
#include "graphs/base/process/child_io.hpp"
#include "graphs/base/text.hpp"

namespace graphbench::service {

ServedSweep begin_served(std::string_view parent) {
  if (!process::die_with_parent(parent)) throw Error(ErrorCode::io, "start a sweep: the service is gone");
  process::claim_event_descriptor();
  return decode_served_sweep(process::read_request());
}

ServiceReporter::ServiceReporter(const SweepBegan& began) {
  process::send_line(encode_sweep_event(began));
}

void ServiceReporter::update(const model::Progress& progress) {
  const auto now = std::chrono::steady_clock::now();
  const bool all_done = progress.cells_done == progress.cells_total;
  if (reported_at_ && now < *reported_at_ + std::chrono::seconds(1) && !all_done) return;
  reported_at_ = now;
  process::send_line(encode_sweep_event(SweepProgress{progress}));
}

void ServiceReporter::cells_done(const std::vector<model::CellResult>& cells) {
  process::send_line(encode_sweep_event(SweepCells{cells}));
}

namespace {

using Clock = std::chrono::steady_clock;

// Waits for the time of --linger. Ctrl-C ends only the wait: the sweep does not count as interrupted.
void linger(const options::SweepOptions& options, const Publisher& publisher,
            process::ProcessSupervisor& supervisor) {
  const double seconds = options.prometheus.linger_seconds;
  if (seconds <= 0) return;
  if (!options.quiet) {
    const std::string what =
        publisher.url().empty() ? "the pushed metrics are not deleted" : publisher.url() + " stays open";
    complain("%s for %g more seconds; press Ctrl-C to end", what.c_str(), seconds);
  }
  const auto end =
      Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  while (Clock::now() < end && !supervisor.interrupted()) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

// Prints even with --quiet that results are not comparable: nothing else says why there are no verdicts.
void print_comparison(const Publisher& publisher, const options::SweepOptions& options) {
  const std::string text = publisher.said();
  if (text.empty() || (options.quiet && publisher.comparison()->comparable)) return;
  complain("%s%s", publisher.comparison()->comparable ? "" : "warning: ", text.c_str());
}

// Prints one line on stderr per failure. Returns true if there are none.
bool report_failures(const std::vector<PublishFailure>& failures, const options::SweepOptions& options) {
  for (const PublishFailure& failure : failures) {
    complain("%s: %s", options.where(failure.option).c_str(), failure.message.c_str());
  }
  return failures.empty();
}

}  // namespace

std::unique_ptr<Publisher> make_publisher(const options::SweepOptions& options, PublishSettings settings) {
  try {
    auto publisher = std::make_unique<Publisher>(std::move(settings), GRAPHBENCH_VERSION);
    if (!options.quiet && !publisher->url().empty()) {
      complain("metrics at %s", publisher->url().c_str());
    }
    return publisher;
  } catch (const Error& error) {
    throw Error(error.code(), options.where("prometheus-listen") + ": " + error.what() +
                                  ": give an address of this machine and a port that is free");
  }
}

bool finish_publishing(Publisher& publisher, const sweep::SweepOutcome& outcome,
                       const options::SweepOptions& options, process::ProcessSupervisor& supervisor) {
  const bool finished = report_failures(publisher.finish(outcome), options);
  print_comparison(publisher, options);
  if (!outcome.interrupted) linger(options, publisher, supervisor);
  return report_failures(publisher.leave(), options) && finished;
}

}  // namespace graphbench::service
