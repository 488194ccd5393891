// Counts the processes of a Job, finds their kept answers, and estimates how long the others take.
#include "harness/sweep/asker.hpp"

#include <algorithm>

#include "graphs/base/digest.hpp"
#include "graphs/base/error.hpp"
#include "graphs/base/text.hpp"

namespace graphbench::sweep {

namespace {

// The id of the n-th answer (from 1) to a request.
std::string id_of(const Question& question, std::int64_t n) {
  return question.name + " " + sha256_hex(question.request).substr(0, 16) + " answer " + std::to_string(n);
}

// Null if there is none of this machine and device.
const FinishedTask* find(const std::string& id, const Earlier& earlier) {
  const auto found = std::ranges::find_if(earlier.finished, [&](const FinishedTask& task) {
    return task.id == id && task.on == earlier.here && !task.events.empty();
  });
  return found == earlier.finished.end() ? nullptr : &*found;
}

}  // namespace

bool is_answered(const Question& question, const Earlier& earlier) {
  return find(id_of(question, 1), earlier) != nullptr;
}

void Asker::expect(std::int64_t processes) {
  progress_.tasks_total += processes;
  progress_.cells_total += processes;
}

const std::string* Asker::begin(const Question& question) {
  progress_.worker = question.name;
  progress_.tasks_total = std::max(progress_.tasks_total, progress_.tasks_done + 1);
  progress_.cells_total = progress_.tasks_total;
  id_ = id_of(question, ++asked_[question.request]);
  began_seconds_ = watch_.seconds();
  if (const FinishedTask* const found = find(id_, run_.earlier)) return &found->events.front();
  runs_ = true;
  show();
  return nullptr;
}

void Asker::keep(std::string answer) {
  run_.keep({.id = id_,
             .on = run_.earlier.here,
             .worker_seconds = watch_.seconds() - began_seconds_,
             .events = {std::move(answer)}});
}

void Asker::end() {
  if (runs_) {
    ended_seconds_ += watch_.seconds() - began_seconds_;
    ++ended_;
  }
  runs_ = false;
  progress_.cells_done = ++progress_.tasks_done;
  show();
}

void Asker::show() {
  progress_.elapsed_seconds = watch_.seconds();
  if (ended_ > 0) {
    const double left = static_cast<double>(progress_.tasks_total - progress_.tasks_done) * ended_seconds_ /
                        static_cast<double>(ended_);
    progress_.eta_seconds = std::max(0.0, left - (runs_ ? watch_.seconds() - began_seconds_ : 0));
  }
  run_.progress.update(progress_);
}

void Asker::refuse(const std::string& why) const {
  throw InputError(run_.earlier.place,
                   "task " + id_ + " has an invalid line: " + why +
                       ": remove the file (its measurements are lost), or give another --json");
}

}  // namespace graphbench::sweep
