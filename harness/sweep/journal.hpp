// The journal FILE.partial has the tasks that a sweep has finished, until the sweep writes its document
// FILE. One process at a time writes a journal. Its records survive kill -9 and a power failure.
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

// A task whose worker has reported every cell without a failure.
struct FinishedTask {
  std::string id;  // task_id() of the task
  model::MeasuredOn on{};
  double worker_seconds = 0;
  std::vector<std::string> events = {};  // the worker's messages about its cells, unchanged
};

// "mlp/tiny/fp32/forward/b1/w0/eager launch 2", from the task's first batch. Unique within a plan.
std::string task_id(const model::WorkerTask& task);

struct TakenOver {
  model::WorkerTask task;
  const FinishedTask* kept;  // an element of `finished`
};

struct Remainder {
  std::vector<TakenOver> taken_over;     // finished tasks, in the plan's order
  std::vector<model::WorkerTask> tasks;  // tasks to run, in the plan's order
};

// `finished` must outlive the result; if two of its tasks have the same id, the later one is used. Tasks
// that another device than `here` measured are taken over only as whole groups (model::group_of), because
// cells that are compared with each other must come from one device.
Remainder remainder_of(const model::Plan& plan, const std::vector<FinishedTask>& finished,
                       const model::MeasuredOn& here);

inline std::string journal_of(const std::string& document) {
  return document + ".partial";
}

struct JournalSettings {
  std::string path;
  std::string where;  // the option that messages begin with
  RunIdentity identity;
  model::MeasuredOn here{};
  bool start_over = false;  // true: replaces a journal of another identity; false: refuses it
};

// Each line is a digest and a record. A record describes a finished task, or a process that begins to write.
class Journal {
 public:
  // Begins a journal, or continues an existing one. Throws InputError if another process is writing it, if a
  // line but the last is damaged, or if it has another identity's tasks and settings.start_over is false;
  // the file then stays unchanged. Throws Error(io) if the file cannot be opened or written.
  explicit Journal(JournalSettings settings);
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;
  // Removes the journal if it has no task.
  ~Journal();

  // The tasks that were in the journal when it was opened.
  const std::vector<FinishedTask>& finished() const { return finished_; }
  // A sentence about records that the constructor dropped; empty if it dropped none.
  const std::string& said() const { return said_; }

  // Returns when the record is on disk. Throws Error(io); the file then ends with the previous record.
  void append(const FinishedTask& task);
  // Call this after the document, which replaces the journal, is written.
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
  std::int64_t size_ = 0;  // bytes of complete records
  std::vector<FinishedTask> finished_;
  std::string writer_;  // the last writer that the journal names
  std::string other_;   // how the existing journal's identity differs; empty: not at all
  bool locked_ = false;
  bool is_worth_keeping_ = false;
  std::string said_;
};

}  // namespace graphbench::sweep
