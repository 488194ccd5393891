// Runs sweeps on one thread. While the store fails, the thread keeps the ended sweep's result, tries again to
// store it, and starts no other sweep.
#include "harness/service/serve/sweep_runner.hpp"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <utility>

#include "graphs/base/clock.hpp"
#include "graphs/base/error.hpp"
#include "graphs/base/files.hpp"
#include "graphs/base/process/exit_text.hpp"
#include "graphs/base/text.hpp"
#include "harness/model/codec/documents.hpp"
#include "harness/model/codec/parse_document.hpp"
#include "harness/model/exit_codes.hpp"
#include "harness/service/serve/json_response.hpp"
#include "harness/service/serve/sweep_events.hpp"
#include "harness/service/serve/sweep_process.hpp"
#include "harness/sweep/journal.hpp"

namespace graphbench::service {
namespace {

// Documents name a plugin or a step by its file without the folder.
std::string served_name(CodeKind kind, const std::string& name) {
  return name + (kind == CodeKind::step ? ".py" : ".so");
}

struct FinishedDocument {
  SweepEnd end;
  model::PlanFacts plan;
  std::vector<SweepStore::NewCell> cells;
};

// Reads the document of a process that may have died. Absent if the document is missing or incomplete.
std::optional<FinishedDocument> read_finished(const std::string& path) {
  try {
    const model::PaddedText text = model::read_text(path);
    const model::DocumentInParts document = model::read_parts(text.view(), path);
    if (!document.head.complete) return std::nullopt;
    FinishedDocument finished;
    finished.end.exit_code = model::exit_done;
    for (const model::CellText& cell : document.cells) {
      if (cell.evidence.status == model::CellStatus::failed)
        finished.end.exit_code = model::exit_cells_failed;
      finished.cells.push_back({cell.id, std::string(text.view().substr(cell.begin, cell.bytes))});
    }
    finished.end.finished_at = document.head.finished_at;
    finished.end.result = text.view();
    finished.plan = document.head.plan;
    return finished;
  } catch (const InputError&) {
    return std::nullopt;
  }
}

// The plan's hash that the sweep's process said; empty if the service ended before it was stored.
std::string plan_of(const std::string& began) {
  try {
    const SweepEvent event = began.empty() ? SweepEvent() : decode_sweep_event(began);
    const auto* const said = std::get_if<SweepBegan>(&event);
    return said == nullptr ? "" : said->plan;
  } catch (const Error&) {  // the text is damaged
    return "";
  }
}

// Why a document in the state folder is not the sweep's; empty if it is. The command line says what was asked
// for, also where the hash is not known.
std::string why_not_of(const StoredSweep& sweep, const std::string& plan, const model::PlanFacts& document) {
  if (!plan.empty() && document.hash != plan) {
    return "its plan has the hash " + in_quotes(document.hash) + ", and the sweep's " + in_quotes(plan);
  }
  std::vector<std::string> argv = {"graphbench", "--sweep"};
  for (std::string& argument : sweep.asked.arguments(served_name)) argv.push_back(std::move(argument));
  return document.argv == argv ? "" : "its plan was made for other options than the sweep's";
}

// Stores the end of each interrupted sweep whose document is complete: the service may have died before it
// stored that end. A document's file name is the sweep's id. A run first removes the old document, so the
// document is from the latest run, unless someone copied another one there. Returns `store`.
SweepStore& store_finished_documents(SweepStore& store, const std::string& folder) {
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::filesystem::path& path = entry.path();
    if (path.extension() != ".json") continue;
    const std::optional<StoredSweep> sweep = store.find(path.stem().string());
    if (!sweep || sweep->state != SweepState::interrupted) continue;
    const std::optional<FinishedDocument> finished = read_finished(path.string());
    if (!finished) continue;
    const std::string why_not = why_not_of(*sweep, plan_of(store.began(sweep->id)), finished->plan);
    if (!why_not.empty()) {
      complain("warning: '%s' is not the result of sweep %s: %s: move the file away, or resume the sweep",
               path.c_str(), sweep->id.c_str(), why_not.c_str());
      continue;
    }
    store.add_cells(sweep->id, finished->cells);
    store.end(sweep->id, finished->end);
    std::filesystem::remove(path);
    std::filesystem::remove(sweep::journal_of(path.string()));
  }
  return store;
}

constexpr std::chrono::seconds turn_period{1};

std::optional<std::string> contents_of(const std::string& path) {
  WholeFile file = read_whole_file(path, model::document_bytes_max);
  if (!file.why_not.empty()) return std::nullopt;
  return std::move(file.text);
}

// Ignores errors: if the file stays, the next run of the sweep reports that it cannot write its document.
void remove_file(const std::string& path) {
  std::error_code ignored;
  std::filesystem::remove(path, ignored);
}

SweepEnd end_of(const SweepExit& exit) {
  SweepEnd end;
  if (exit.signal == 0) end.exit_code = exit.exit_code;
  const std::string output = process::last_lines(exit.output);
  if (exit.signal != 0) {
    end.state = SweepState::failed;
    end.message = "ended by " + process::signal_name(exit.signal) + (output.empty() ? "" : ": " + output);
  } else if (exit.exit_code == model::exit_interrupted) {
    end.state = SweepState::interrupted;
  } else if (exit.exit_code != 0 && exit.exit_code != model::exit_cells_failed) {
    end.state = SweepState::failed;
    end.message = output;
  }
  return end;
}

// The label `status` of graphbench_sweeps_total.
const char* end_status(const SweepEnd& end) {
  const bool cells_failed = end.state == SweepState::done && end.exit_code == model::exit_cells_failed;
  return cells_failed ? "cells_failed" : name_of(end.state);
}

// Names the file only on stderr: operators read stderr, clients do not.
void warn_of_lost_end(const std::string& id, const SweepEnd& end, const std::string& why,
                      const std::string& document) {
  const std::string where = end.result ? "; its results are in " + document : "";
  const std::string next = end.state == SweepState::done ? "stores them"
                           : end.result ? "finds the sweep interrupted: copy the results, or resume the sweep"
                                        : "finds the sweep interrupted: resume the sweep";
  complain("warning: the end of sweep %s (%s) could not be stored: %s%s. The next start of the service %s",
           id.c_str(), name_of(end.state), why.c_str(), where.c_str(), next.c_str());
}

}  // namespace

SweepRunner::SweepRunner(RunnerSettings settings, RunnerParts parts)
    : settings_(std::move(settings)),
      parts_(parts),
      turn_(settings_.turn_folder),
      // Stores documents before the publisher reads the store: /metrics begins with the last sweep that is
      // done.
      publisher_(parts_.metrics, settings_.baseline,
                 store_finished_documents(parts_.store, settings_.folder)),
      thread_([this] { loop(); }) {}

SweepRunner::~SweepRunner() {
  stop();
  thread_.join();
}

void SweepRunner::stop() {
  const std::scoped_lock lock(mutex_);
  if (stopping_) return;
  stopping_ = true;
  stop_by_ = Clock::now() + settings_.grace;
  if (process_ != nullptr) process_->stop(settings_.grace);
  work_.notify_all();
}

void SweepRunner::wake() {
  const std::scoped_lock lock(mutex_);
  woken_ = true;
  work_.notify_all();
}

bool SweepRunner::cancel(const std::string& id) {
  const std::scoped_lock lock(mutex_);
  if (running_ != id) return false;
  cancelled_ = true;
  if (process_ != nullptr) process_->stop(settings_.grace);
  return true;
}

std::string SweepRunner::trouble() const {
  const std::scoped_lock lock(mutex_);
  return trouble_;
}

StoredSweep SweepRunner::with_message(StoredSweep sweep) const {
  const std::scoped_lock lock(mutex_);
  if (sweep.state == SweepState::queued && waits_for_turn_) {
    sweep.message = "another graphbench serve runs a sweep on this machine";
  }
  if (sweep.state == SweepState::running && sweep.id == ended_) sweep.message = ended_message_;
  return sweep;
}

void SweepRunner::loop() {
  parts_.housekeeping.add_this_thread();
  while (const std::optional<StoredSweep> sweep = next()) {
    const std::string document = settings_.folder + "/" + sweep->id + ".json";
    remove_file(document);  // from an earlier run
    const SweepEnd end = run(*sweep, document);
    turn_.give_back();
    const bool stored = store_end(sweep->id, end, document);
    parts_.service_metrics.count_sweep(end_status(end));
    if (!stored) return;  // the next start of the service finds the document or the journal
    parts_.feed.tell_done(sweep->id);
    remove_file(document);
    // After any other end the journal stays, so that the next run does not repeat finished tasks.
    if (end.state == SweepState::done || end.state == SweepState::cancelled)
      remove_file(sweep::journal_of(document));
  }
}

// Waits for the next sweep; absent if the service stops.
std::optional<StoredSweep> SweepRunner::next() {
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    woken_ = false;
    std::chrono::milliseconds pause = turn_period;
    try {
      if (std::optional<StoredSweep> sweep = take_if_our_turn()) return sweep;
    } catch (const std::exception& error) {
      warn_of_trouble(std::string("no sweep is started: ") + error.what());
      pause = settings_.retry;
    }
    if (waits_for_turn_ || !trouble_.empty()) {
      work_.wait_for(lock, pause, [this] { return stopping_; });
    } else {
      turn_.give_back();
      work_.wait(lock, [this] { return stopping_ || woken_; });
    }
  }
  return std::nullopt;
}

// Called with the lock held. Takes the turn only if a sweep is queued, so that other services can have it.
std::optional<StoredSweep> SweepRunner::take_if_our_turn() {
  const bool queued = parts_.store.queued() > 0;
  waits_for_turn_ = queued && !turn_.try_take();
  std::optional<StoredSweep> sweep;
  if (queued && !waits_for_turn_) sweep = parts_.store.take();
  trouble_.clear();
  if (!sweep) return sweep;
  running_ = sweep->id;
  cancelled_ = false;
  return sweep;
}

SweepEnd SweepRunner::run(const StoredSweep& sweep, const std::string& document) {
  publisher_.prepare();
  SweepEnd end;
  try {
    end = end_of(run_process(sweep, document));
    end.result = contents_of(document);
    std::optional<FinishedDocument> finished;
    if (end.state == SweepState::failed) finished = read_finished(document);
    if (finished) end = std::move(finished->end);  // the process failed after its document was complete
  } catch (const SqlError& error) {                // the stored cells stay, and the sweep can be resumed
    end.state = SweepState::interrupted;
    end.message = std::string("the cells could not be stored: ") + error.what();
    complain("warning: sweep %s is interrupted: %s: resume the sweep when storing works again",
             sweep.id.c_str(), end.message.c_str());
  } catch (const std::exception& error) {
    end.state = SweepState::failed;
    end.message = error.what();
  }
  {
    const std::scoped_lock lock(mutex_);
    ended_ = std::exchange(running_, "");  // from here on cancel() returns false
    ended_message_ = "the sweep has ended, and its end is being stored";
    if (cancelled_) {
      end.state = SweepState::cancelled;
      end.message.clear();
    } else if (stopping_ || (end.state == SweepState::interrupted && end.message.empty())) {
      end.state = SweepState::interrupted;
      end.message = "the sweep was asked to stop";
    }
  }
  end.finished_at = utc_now();
  publisher_.end(sweep.id, end);
  return end;
}

SweepExit SweepRunner::run_process(const StoredSweep& sweep, const std::string& document) {
  // Requests name plugins and steps; the folder's content at this time decides which file a name means.
  ServedSweep served;
  served.asked = sweep.asked.arguments(served_name);
  served.run = sweep.asked.arguments([this](CodeKind kind, const std::string& name) {
    return (kind == CodeKind::step ? settings_.steps : settings_.plugins).path_of(name);
  });
  served.run.insert(served.run.end(), {"--quiet", "--json=" + document});
  parts_.housekeeping.use_every_cpu();
  SweepProcess process(settings_.command, encode_served_sweep(served));
  {
    const std::scoped_lock lock(mutex_);
    process_ = &process;
    if (stopping_ || cancelled_) process.stop(settings_.grace);
  }
  const std::shared_ptr<void> at_end(nullptr, [this](void*) {
    const std::scoped_lock lock(mutex_);
    process_ = nullptr;
  });
  return process.run([&](std::string_view line) { read_event(sweep.id, line); });
}

void SweepRunner::read_event(const std::string& id, std::string_view line) {
  const SweepEvent event = decode_sweep_event(line);
  if (const auto* began = std::get_if<SweepBegan>(&event)) {
    parts_.housekeeping.keep_off(began->submitter);
    publisher_.begin(*began);
    parts_.store.begin(id, std::string(line));
  } else if (const auto* progress = std::get_if<SweepProgress>(&event)) {
    publisher_.update(progress->progress);
    parts_.feed.tell_progress(id, text_of(json_of(progress->progress)));
  } else if (const auto* done = std::get_if<SweepCells>(&event)) {
    std::vector<SweepStore::NewCell> cells;
    for (const model::CellResult& cell : done->cells) {
      publisher_.set_cell(cell);
      cells.push_back({model::id_of(cell.cell), model::to_json(cell)});
    }
    parts_.feed.tell_cells(id, parts_.store.add_cells(id, cells));
  }
}

// Tries until the sweep's end is stored. Returns false if the service must stop first.
bool SweepRunner::store_end(const std::string& id, const SweepEnd& end, const std::string& document) {
  while (true) {
    std::string why;
    try {
      parts_.store.end(id, end);
    } catch (const std::exception& error) {
      why = error.what();
    }
    std::unique_lock lock(mutex_);
    if (why.empty()) {
      trouble_.clear();
      ended_.clear();
      return true;
    }
    ended_message_ = std::string("the sweep has ended (") + name_of(end.state) +
                     "), but its end is not stored yet: " + why;
    if (stopping_ && Clock::now() >= stop_by_) {
      warn_of_lost_end(id, end, why, document);
      return false;
    }
    warn_of_trouble(
        "the end of a sweep is not stored yet: " + why,
        " (sweep " + id + (end.result ? "; its results are in " + document : "") +
            "). Storing is tried again, and no other sweep starts until it succeeds: make room in " +
            settings_.folder + ", or end the process that holds sweeps.sqlite there");
    const bool was_stopping = stopping_;
    const Clock::time_point again = Clock::now() + settings_.retry;
    work_.wait_until(lock, stopping_ ? std::min(again, stop_by_) : again,
                     [&] { return stopping_ != was_stopping; });
  }
}

// Warns once per cause, however many attempts fail. Called with the lock held.
void SweepRunner::warn_of_trouble(const std::string& why, const std::string& advice) {
  if (trouble_ == why) return;
  trouble_ = why;
  complain("warning: %s%s", why.c_str(), advice.c_str());
}

}  // namespace graphbench::service
