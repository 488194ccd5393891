// A thread of its own: takes a sweep from the store, runs its process, puts the end back. Where the store
// fails, the end is kept in memory and tried again, and no other sweep starts meanwhile.
#include "harness/service/serve/sweep_runner.hpp"

#include <algorithm>
#include <condition_variable>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <mutex>
#include <thread>

#include "graphs/ir/error.hpp"
#include "harness/config/numbers.hpp"
#include "harness/model/exit_codes.hpp"
#include "harness/process/exit_text.hpp"
#include "harness/process/utc_now.hpp"
#include "harness/service/serve/machine_turn.hpp"
#include "harness/service/serve/sweep_events.hpp"
#include "harness/service/serve/sweep_json.hpp"
#include "harness/service/serve/sweep_process.hpp"
#include "harness/service/serve/sweep_publisher.hpp"

namespace graphbench::serve {
namespace {

constexpr std::chrono::seconds turn_period{1};

std::optional<std::string> contents_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  return std::string(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
}

// Where it cannot be removed the next run of this sweep, if any, says so: it cannot write its document.
void remove_file(const std::string& path) {
  std::error_code ignored;
  std::filesystem::remove(path, ignored);
}

// Where a sweep's submitting thread will be, as far as its arguments say.
model::InstrumentOptions instruments_of(const std::vector<std::string>& argv) {
  static constexpr std::string_view cpu = "--cpu=";
  model::InstrumentOptions instruments;
  for (const std::string_view argument : argv) {
    if (argument == "--no-pin") instruments.pin = false;
    if (argument.starts_with(cpu)) {
      const config::ParsedInteger number = config::parse_integer(argument.substr(cpu.size()));
      if (number.fault == config::NumberFault::none) instruments.cpu = number.value;
    }
  }
  return instruments;
}

// The store failed, not the sweep: what it has measured is kept, and it can be resumed.
class StoreFailed : public Error {
 public:
  explicit StoreFailed(const Error& why)
      : Error(why.code(), std::string("its cells could not be stored: ") + why.what()) {}
};

template <typename Use>
auto stored(Use&& use) {
  try {
    return use();
  } catch (const Error& error) {
    throw StoreFailed(error);
  }
}

// Of graphbench_sweeps_total.
const char* word_of(const SweepEnd& end) {
  const bool cells_failed = end.state == SweepState::done && end.exit_code == exit_cells_failed;
  return cells_failed ? "cells_failed" : name_of(end.state);
}

}  // namespace

class SweepRunner::Impl {
 public:
  Impl(RunnerSettings settings, RunnerParts parts)
      : settings_(std::move(settings)),
        store_(parts.store),
        service_metrics_(parts.service_metrics),
        feed_(parts.feed),
        housekeeping_(parts.housekeeping),
        turn_(settings_.turn_folder),
        publisher_(parts.metrics, settings_.baseline, store_),
        thread_([this] { loop(); }) {}
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  ~Impl() {
    stop();
    thread_.join();
  }

  void stop() {
    const std::scoped_lock lock(mutex_);
    if (stopping_) return;
    stopping_ = true;
    stop_by_ = Clock::now() + settings_.grace;
    if (process_) process_->stop(settings_.grace);
    work_.notify_all();
  }

  void wake() {
    const std::scoped_lock lock(mutex_);
    woken_ = true;
    work_.notify_all();
  }

  bool cancel(const std::string& id) {
    const std::scoped_lock lock(mutex_);
    if (running_ != id) return false;
    cancelled_ = true;
    if (process_) process_->stop(settings_.grace);
    return true;
  }

  std::string trouble() const {
    const std::scoped_lock lock(mutex_);
    return trouble_;
  }

 private:
  using Clock = std::chrono::steady_clock;

  void loop() {
    housekeeping_.add_this_thread();
    while (const std::optional<StoredSweep> sweep = next()) {
      const std::string document = settings_.folder + "/" + sweep->id + ".json";
      remove_file(document);  // an earlier run's, which is not to pass for this one's
      const SweepEnd end = run(*sweep, document);
      turn_.give_back();
      const bool stored = put_back(sweep->id, end, document);
      service_metrics_.count_sweep(word_of(end));
      if (!stored) return;  // the next process finds it interrupted
      feed_.tell_done(sweep->id);
      remove_file(document);
    }
  }

  // Nothing where the service stops.
  std::optional<StoredSweep> next() {
    std::unique_lock lock(mutex_);
    while (!stopping_) {
      woken_ = false;
      try {
        std::optional<StoredSweep> sweep;
        const bool ours = is_our_turn();
        if (ours) sweep = store_.take();
        trouble_.clear();
        if (!ours) {
          work_.wait_for(lock, turn_period, [this] { return stopping_; });
          continue;
        }
        if (sweep) {
          running_ = sweep->id;
          cancelled_ = false;
          return sweep;
        }
      } catch (const std::exception& error) {
        tell_trouble(std::string("no sweep is started: ") + error.what());
        work_.wait_for(lock, settings_.retry, [this] { return stopping_; });
        continue;
      }
      turn_.give_back();
      work_.wait(lock, [this] { return stopping_ || woken_; });
    }
    return std::nullopt;
  }

  // Where nothing is queued, nobody need wait for it.
  bool is_our_turn() {
    const bool ours = store_.queued() == 0 || turn_.try_take();
    store_.say_of_queued(ours ? "" : "another graphbench serve runs a sweep on this machine");
    return ours;
  }

  // Until the store has it; false where it does not before the service has to be gone.
  bool put_back(const std::string& id, const SweepEnd& end, const std::string& document) {
    while (true) {
      std::unique_lock lock(mutex_, std::defer_lock);
      try {
        store_.end(id, end);
        lock.lock();
        trouble_.clear();
        return true;
      } catch (const std::exception& error) {
        lock.lock();
        const bool last = stopping_ && Clock::now() >= stop_by_;
        tell_unstored({id, name_of(end.state), error.what(), end.result ? document : "", last});
        if (last) return false;
      }
      const bool was_stopping = stopping_;
      const Clock::time_point again = Clock::now() + settings_.retry;
      work_.wait_until(lock, stopping_ ? std::min(again, stop_by_) : again,
                       [&] { return stopping_ != was_stopping; });
    }
  }

  struct Unstored {
    const std::string& id;
    std::string state;
    std::string why;
    std::string document;  // the file; empty: there is none
    bool for_good = false;
  };

  // Whoever runs the service can do something about it: the files are named on stderr, and to nobody else.
  void tell_unstored(const Unstored& what) {
    const std::string ended = "it has ended (" + what.state + "), and its end is not stored yet: " + what.why;
    store_.say_of_ended(what.id, ended);
    const std::string kept = what.document.empty() ? "" : "; its results are in " + what.document;
    if (what.for_good) {
      const std::string copy = what.document.empty() ? "" : "copy its results, or ";
      std::fprintf(
          stderr,
          "graphbench: warning: the end of sweep %s (%s) could not be stored: %s%s. The next start finds it "
          "interrupted: %sresume it, which measures what the store lacks\n",
          what.id.c_str(), what.state.c_str(), what.why.c_str(), kept.c_str(), copy.c_str());
      return;
    }
    tell_trouble("the end of a sweep is not stored yet: " + what.why,
                 " (sweep " + what.id + kept +
                     "). It is tried again, and no other sweep starts before: make room in " +
                     settings_.folder + ", or end what holds sweeps.sqlite there");
  }

  // Once, however often it is tried. With the lock held.
  void tell_trouble(const std::string& why, const std::string& advice = "") {
    if (trouble_ == why) return;
    trouble_ = why;
    std::fprintf(stderr, "graphbench: warning: %s%s\n", why.c_str(), advice.c_str());
  }

  SweepEnd run(const StoredSweep& sweep, const std::string& document) {
    std::vector<std::string> argv = settings_.command;
    argv.insert(argv.end(), {"--sweep", "--quiet", "--json=" + document});
    publisher_.prepare();
    SweepEnd end;
    try {
      for (const std::string& argument : sweep.arguments) argv.push_back(with_path(argument));
      end = end_of(run_process(sweep.id, argv));
      end.result = contents_of(document);
    } catch (const StoreFailed& error) {
      end = cut_short(SweepState::interrupted, error.what());
      std::fprintf(stderr, "graphbench: warning: sweep %s is interrupted: %s: resume it once they can be\n",
                   sweep.id.c_str(), error.what());
    } catch (const std::exception& error) {
      end = cut_short(SweepState::failed, error.what());
    }
    end.finished_at = process::utc_now();
    publisher_.end(sweep.id, end);
    return end;
  }

  // With the lock held: from here on it is too late to cancel it, and the store says why.
  void forget_running() {
    store_.say_of_ended(running_, "it has ended, and its end is being stored");
    running_.clear();
  }

  SweepEnd cut_short(SweepState state, const std::string& why) {
    const std::scoped_lock lock(mutex_);
    forget_running();
    return {cancelled_ ? SweepState::cancelled : state, std::nullopt, why, std::nullopt};
  }

  // A request names plugins by bare names; the folder of today decides which files those are.
  std::string with_path(const std::string& argument) const {
    constexpr std::string_view option = "--plugin=";
    if (!argument.starts_with(option)) return argument;
    return std::string(option) + settings_.plugins.path_of(argument.substr(option.size()));
  }

  SweepExit run_process(const std::string& id, const std::vector<std::string>& argv) {
    std::string kept;  // where it was interrupted before
    for (const std::string& line : stored([&] { return store_.kept(id); })) kept += line + "\n";
    housekeeping_.use_every_cpu();
    SweepProcess process(argv, kept);
    housekeeping_.keep_off_submitter(instruments_of(argv));
    {
      const std::scoped_lock lock(mutex_);
      process_ = &process;
      if (stopping_ || cancelled_) process.stop(settings_.grace);
    }
    // Whatever happens, nobody may stop a process that is no more.
    const std::shared_ptr<void> forget(nullptr, [this](void*) {
      const std::scoped_lock lock(mutex_);
      process_ = nullptr;
    });
    return process.run([this, &id](std::string_view line) { take(id, line); });
  }

  SweepEnd end_of(const SweepExit& exit) {
    const std::scoped_lock lock(mutex_);
    forget_running();
    const std::string said = process::last_lines(exit.output);
    SweepEnd end;
    if (exit.signal == 0) end.exit_code = exit.exit_code;
    if (cancelled_) {
      end.state = SweepState::cancelled;
    } else if (stopping_ || exit.exit_code == exit_interrupted) {
      end.state = SweepState::interrupted;
      end.message = "it was told to stop";
    } else if (exit.signal != 0) {
      end.state = SweepState::failed;
      end.message = "ended by " + process::signal_name(exit.signal) + (said.empty() ? "" : ": " + said);
    } else if (exit.exit_code != 0 && exit.exit_code != exit_cells_failed) {
      end.state = SweepState::failed;
      end.message = said;
    }
    return end;
  }

  void take(const std::string& id, std::string_view line) {
    SweepEvent event = decode_sweep_event(line);
    if (const auto* began = std::get_if<SweepBegan>(&event)) {
      publisher_.begin(*began);
      stored([&] { store_.begin(id, began->device, std::string(line)); });
    }
    if (const auto* progress = std::get_if<SweepProgress>(&event)) {
      publisher_.update(progress->progress);
      feed_.tell_progress(id, text_of(json_of(progress->progress)));
    }
    if (auto* done = std::get_if<SweepCells>(&event)) {
      std::vector<SweepStore::NewCell> cells;
      for (std::size_t i = 0; i < done->cells.size(); ++i) {
        publisher_.set_cell(done->cells[i]);
        cells.push_back({model::id_of(done->cells[i].cell), std::move(done->documents.at(i)),
                         encode_sweep_event(SweepCells{{done->cells[i]}, {}, done->identity})});
      }
      feed_.tell_cells(id, stored([&] { return store_.add_cells(id, cells); }));
    }
  }

  RunnerSettings settings_;
  SweepStore& store_;
  reporters::ServiceMetrics& service_metrics_;
  SweepFeed& feed_;
  machine::HousekeepingThreads& housekeeping_;
  mutable std::mutex mutex_;
  std::condition_variable work_;
  bool stopping_ = false;
  Clock::time_point stop_by_;
  bool woken_ = false;
  bool cancelled_ = false;
  std::string trouble_;
  std::string running_;              // the sweep's id
  SweepProcess* process_ = nullptr;  // of the running sweep
  MachineTurn turn_;                 // the thread's own
  SweepPublisher publisher_;         // likewise
  std::thread thread_;
};

SweepRunner::SweepRunner(RunnerSettings settings, RunnerParts parts)
    : impl_(std::make_unique<Impl>(std::move(settings), parts)) {}
SweepRunner::~SweepRunner() = default;

void SweepRunner::stop() {
  impl_->stop();
}

void SweepRunner::wake() {
  impl_->wake();
}

std::string SweepRunner::trouble() const {
  return impl_->trouble();
}

bool SweepRunner::cancel(const std::string& id) {
  return impl_->cancel(id);
}

}  // namespace graphbench::serve
