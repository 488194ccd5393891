// Appends records with fsync under a file lock, which the kernel releases however the process ends.
#include "harness/sweep/journal.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <map>
#include <unordered_map>

#include "graphs/base/clock.hpp"
#include "graphs/base/digest.hpp"
#include "graphs/base/error.hpp"
#include "graphs/base/text.hpp"
#include "harness/model/axes.hpp"
#include "harness/model/codec/messages.hpp"
#include "harness/model/codec/result_fields.hpp"

namespace graphbench::sweep {

// The first record of each process that writes the journal, with the identity of the process's sweep.
struct JournalWriter {
  std::string schema;
  std::string hostname;
  std::int64_t pid = 0;
  std::string began_at;
  std::map<std::string, std::string> identity;
};

using JournalRecord = std::variant<JournalWriter, FinishedTask>;

}  // namespace graphbench::sweep

namespace graphbench::model {

GB_DESCRIBE(sweep::JournalWriter, schema, hostname, pid, began_at, identity);
GB_DESCRIBE(sweep::FinishedTask, id, on, worker_seconds, events);
GB_NAMES(sweep::JournalRecord, "writer", "task");

}  // namespace graphbench::model

namespace graphbench::sweep {
namespace {

constexpr const char* schema = "graphbench.journal/1";
constexpr std::size_t digest_size = 16;

std::string digest_of(std::string_view record) {
  return sha256_hex(record).substr(0, digest_size);
}

std::optional<std::string_view> record_of(std::string_view line) {
  if (line.size() <= digest_size || line[digest_size] != ' ') return std::nullopt;
  const std::string_view record = line.substr(digest_size + 1);
  if (digest_of(record) != line.substr(0, digest_size)) return std::nullopt;
  return record;
}

// Only a file that begins like a journal may be overwritten: other files may belong to other programs.
bool may_begin_a_journal(std::string_view line) {
  constexpr std::string_view start = R"( {"event":"writer")";
  return line.find_first_not_of("0123456789abcdef") == digest_size &&
         line.substr(digest_size).starts_with(start);
}

std::string group_of(const model::WorkerTask& task) {
  return model::group_of(model::cell_of(task, task.batches.front()));
}

}  // namespace

Journal::Journal(JournalSettings settings) : settings_(std::move(settings)) {
  open();
  read();
  if (::ftruncate(file_.get(), size_) != 0) fail("cut the journal after its last whole line");
  JournalWriter writer{schema, settings_.here.hostname, ::getpid(), utc_now(), {}};
  writer.identity.insert(settings_.identity.begin(), settings_.identity.end());
  try {
    write(model::write_message(JournalRecord(writer)));
  } catch (...) {
    if (size_ == 0) ::unlink(settings_.path.c_str());
    throw;
  }
  // Syncs the folder, so that the file's name survives a power failure. Some file systems cannot (EINVAL).
  const std::string folder = std::filesystem::absolute(settings_.path).parent_path().string();
  const Descriptor of_folder(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (of_folder.get() < 0 || (::fsync(of_folder.get()) != 0 && errno != EINVAL))
    fail("sync the journal's folder");
}

void Journal::fail(const std::string& what) const {
  throw Error(ErrorCode::io,
              settings_.where + ": " + what + " (" + settings_.path + "): " + std::strerror(errno));
}

void Journal::refuse(const std::string& detail) const {
  throw InputError(settings_.where, in_quotes(settings_.path) + " " + detail);
}

// Opens and locks the file. Tries again if another sweep has ended between open and lock, because a sweep
// removes the file at its end.
void Journal::open() {
  for (;;) {
    file_ = Descriptor(::open(settings_.path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666));
    if (file_.get() < 0) fail("open the journal");
    if (::flock(file_.get(), LOCK_EX | LOCK_NB) != 0) {
      if (errno != EWOULDBLOCK) fail("lock the journal");
      read();
      refuse("is being written by " + (writer_.empty() ? "another process" : writer_) +
             ": wait for that process, or give another --json");
    }
    struct stat opened {};
    struct stat named {};
    if (::fstat(file_.get(), &opened) != 0) fail("read the journal's status");
    const bool there = ::stat(settings_.path.c_str(), &named) == 0;
    locked_ = there && opened.st_ino == named.st_ino && opened.st_dev == named.st_dev;
    if (locked_) return;
  }
}

void Journal::read() {
  std::string text;
  char chunk[1 << 16];
  for (;;) {
    const ssize_t got = ::pread(file_.get(), chunk, sizeof chunk, static_cast<off_t>(text.size()));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail("read the journal");
    if (got == 0) break;
    text.append(chunk, static_cast<std::size_t>(got));
  }
  std::size_t line = 1;
  for (std::size_t begin = 0; begin < text.size(); ++line) {
    const std::size_t end = text.find('\n', begin);
    const bool ended = end != std::string::npos;
    const auto record = record_of(std::string_view(text).substr(begin, ended ? end - begin : end));
    if (!record || !ended) {
      if (ended && end + 1 < text.size()) {
        refuse("is damaged in line " + std::to_string(line) +
               ": remove the file (its measurements are lost), or give another --json");
      }
      drop_last_line(std::string_view(text).substr(begin), line);
      break;
    }
    take(*record, line);
    begin = end + 1;
    size_ = static_cast<std::int64_t>(begin);
  }
  if (!other_.empty()) leave_out_other();
  is_worth_keeping_ = !finished_.empty();
}

void Journal::leave_out_other() {
  if (!finished_.empty() && !settings_.start_over)
    refuse(other_ + ": remove the file (its measurements are lost), or give another --json");
  if (!finished_.empty()) said_ = in_quotes(settings_.path) + " " + other_ + ": everything is measured again";
  finished_.clear();
  size_ = 0;
}

void Journal::drop_last_line(std::string_view line, std::size_t number) {
  if (number == 1 && !may_begin_a_journal(line))
    refuse("is not a graphbench journal: remove the file, or give another --json");
  said_ = in_quotes(settings_.path) + ": the last line, " + std::to_string(number) +
          ", is incomplete and is dropped: what the line had is measured again";
}

void Journal::take(std::string_view text, std::size_t line) {
  JournalRecord record;
  try {
    record = model::read_message<JournalRecord>(text, "read the line");
  } catch (const Error& error) {
    refuse("has a line " + std::to_string(line) + " that this graphbench does not know (" + error.what() +
           "): remove the file (its measurements are lost), or give another --json");
  }
  if (auto* task = std::get_if<FinishedTask>(&record)) {
    finished_.push_back(std::move(*task));
    return;
  }
  const auto& writer = std::get<JournalWriter>(record);
  if (writer.schema != schema)
    refuse("has schema " + in_quotes(writer.schema) +
           ", which another graphbench wrote: remove the file, or give another --json");
  writer_ = "process " + std::to_string(writer.pid) + " on " + writer.hostname;
  for (const auto& [part, value] : settings_.identity) {
    const auto found = writer.identity.find(part);
    if (!locked_ || (found != writer.identity.end() && found->second == value)) continue;
    if (other_.empty())
      other_ = "belongs to another " + part + " (begun " + writer.began_at + " by " + writer_ + ")";
  }
}

void Journal::write(const std::string& record) {
  const std::string line = digest_of(record) + " " + record + "\n";
  std::size_t done = 0;
  while (done < line.size()) {
    const ssize_t wrote = ::pwrite(file_.get(), line.data() + done, line.size() - done,
                                   static_cast<off_t>(size_) + static_cast<off_t>(done));
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0) break;
    done += static_cast<std::size_t>(wrote);
  }
  if (done < line.size() || ::fsync(file_.get()) != 0) {
    const int error = errno;
    static_cast<void>(::ftruncate(file_.get(), size_));
    errno = error;
    fail("write the journal");
  }
  size_ += static_cast<std::int64_t>(line.size());
}

Journal::~Journal() {
  if (!is_worth_keeping_) ::unlink(settings_.path.c_str());
}

void Journal::append(const FinishedTask& task) {
  is_worth_keeping_ = true;
  write(model::write_message(JournalRecord(task)));
}

void Journal::remove() {
  is_worth_keeping_ = true;  // keeps the destructor from removing a newer file of this name
  if (::unlink(settings_.path.c_str()) != 0) fail("remove the journal");
}

std::string task_id(const model::WorkerTask& task) {
  return model::id_of(model::cell_of(task, task.batches.front())) + " launch " + std::to_string(task.launch);
}

Remainder remainder_of(const model::Plan& plan, const std::vector<FinishedTask>& finished,
                       const model::MeasuredOn& here) {
  std::unordered_map<std::string, const FinishedTask*> known;
  for (const FinishedTask& each : finished) known[each.id] = &each;
  // places[group] is the device that measured all tasks of the group; null if there is none.
  std::map<std::string, const model::MeasuredOn*> places;
  std::vector<const FinishedTask*> of_tasks;
  for (const model::WorkerTask& task : plan.tasks) {
    const auto found = known.find(task_id(task));
    const FinishedTask* kept = found == known.end() ? nullptr : found->second;
    of_tasks.push_back(kept);
    const model::MeasuredOn* on = kept == nullptr ? nullptr : &kept->on;
    const auto [place, first] = places.emplace(group_of(task), on);
    if (!first && place->second != nullptr && (on == nullptr || *on != *place->second))
      place->second = nullptr;
  }
  Remainder remainder;
  for (std::size_t i = 0; i < plan.tasks.size(); ++i) {
    const model::WorkerTask& task = plan.tasks[i];
    const FinishedTask* kept = of_tasks[i];
    const bool taken = kept != nullptr && (kept->on == here || places[group_of(task)] != nullptr);
    if (taken) {
      remainder.taken_over.push_back({task, kept});
    } else {
      remainder.tasks.push_back(task);
    }
  }
  return remainder;
}

}  // namespace graphbench::sweep
