// FILE.partial: the tasks that a sweep has finished before its document FILE is written. One process writes
// it at a time; its records survive kill -9 and a power cut.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "graphs/base/files.hpp"
#include "harness/model/plan.hpp"
#include "harness/model/result.hpp"
#include "harness/sweep/identity.hpp"

namespace graphbench::sweep {

// A task whose worker has reported every cell, none of them failed, as a journal keeps it.
struct FinishedTask {
  std::string id;  // task_id() of its task
  model::MeasuredOn on{};
  double worker_seconds = 0;
  std::vector<std::string> events = {};  // the worker's reports of its cells, as it sent them
};

// "mlp/tiny/fp32/forward/b1/w0/eager launch 2", by the task's first batch: no other task of a plan has the
// same name.
std::string task_id(const model::WorkerTask& task);

struct TakenOver {
  model::WorkerTask task;
  const FinishedTask* kept;  // one of `finished`
};

struct Remainder {
  std::vector<TakenOver> taken_over;     // in the plan's order
  std::vector<model::WorkerTask> tasks;  // tasks of the plan, in their order
};

// `finished` outlives the result; of two tasks with one id the later counts. Tasks that were measured on
// another device than `here` are taken over only with their whole group (model::group_of), because cells that
// are compared with each other are measured on one device.
Remainder remainder_of(const model::Plan& plan, const std::vector<FinishedTask>& finished,
                       const model::MeasuredOn& here);

// The journal of a document.
inline std::string journal_of(const std::string& document) {
  return document + ".partial";
}

struct JournalSettings {
  std::string path;
  std::string where;  // begins messages
  RunIdentity identity;
  model::MeasuredOn here{};
  bool start_over = false;  // replaces a journal of another identity instead of refusing it
};

// One record per line, each behind its digest: the process that begins to write, or a finished task.
class Journal {
 public:
  // Begins a journal, or goes on with an existing one. Throws InputError if another process writes it
  // (named), if it has another identity, or if it is damaged elsewhere than in its last line; the file then
  // stays as it was. Throws Error(io) if it cannot be opened or written.
  explicit Journal(JournalSettings settings);
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;
  // Removes the journal if it holds no task.
  ~Journal();

  // The tasks that it held when it was opened.
  const std::vector<FinishedTask>& finished() const { return finished_; }
  // A sentence about lines that were dropped when it was opened; empty if there were none.
  const std::string& said() const { return said_; }

  // On disk when it returns. Throws Error(io); the file then ends with the record before.
  void append(const FinishedTask& task);
  // To be called when the document, which replaces the journal, is written.
  void remove();

 private:
  void open();
  void read();
  void drop_last_line(std::string_view line, std::size_t number);
  void take(std::string_view record, std::size_t line);
  void leave_out_other();
  void write(const std::string& record);
  [[noreturn]] void fail(const std::string& what) const;
  [[noreturn]] void refuse(const std::string& detail) const;

  const JournalSettings settings_;
  Descriptor file_;
  std::int64_t size_ = 0;  // bytes of the records that are whole
  std::vector<FinishedTask> finished_;
  std::string writer_;  // the writer in the last line that names one
  std::string other_;   // the identity of the existing journal, if it is another one
  bool locked_ = false;
  bool is_worth_keeping_ = false;
  std::string said_;
};

}  // namespace graphbench::sweep
