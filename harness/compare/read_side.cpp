// Files into memory with the room behind them that the parser wants, one at a time; then the merge.
#include "harness/compare/read_side.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <future>
#include <memory>
#include <new>
#include <string_view>
#include <system_error>
#include <unordered_map>
#include <utility>

#include "harness/compare/foreign_documents.hpp"
#include "harness/compare/parse_document.hpp"
#include "harness/config/input_error.hpp"

namespace graphbench::compare {
namespace {

namespace fs = std::filesystem;
using config::InputError;

[[noreturn]] void cannot_read(const std::string& path, int error) {
  throw InputError(path, "it cannot be read: " + std::generic_category().message(error));
}

class InputFile {
 public:
  explicit InputFile(const std::string& path) : path_(path), fd_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    if (fd_ < 0) cannot_read(path_, errno);
  }
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;
  ~InputFile() { ::close(fd_); }

  // The size of a regular file; 0 for a pipe, which does not know.
  std::size_t size() const {
    struct stat status {};
    if (::fstat(fd_, &status) != 0) cannot_read(path_, errno);
    return S_ISREG(status.st_mode) ? static_cast<std::size_t>(status.st_size) : 0;
  }

  // How much of `bytes` was filled; less only at the end.
  std::size_t read(char* to, std::size_t bytes) const {
    std::size_t filled = 0;
    while (filled < bytes) {
      const ssize_t got = ::read(fd_, to + filled, bytes - filled);
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) cannot_read(path_, errno);
      if (got == 0) break;
      filled += static_cast<std::size_t>(got);
    }
    return filled;
  }

 private:
  std::string path_;
  int fd_;
};

// A text with text_padding bytes behind it. Not a std::string: that would write zeros over it all first.
struct PaddedText {
  struct Free {
    void operator()(char* bytes) const { std::free(bytes); }
  };
  std::unique_ptr<char, Free> bytes;
  std::size_t size = 0;
};

// In huge pages where the system has them: faulting a large text in costs as much as reading it.
std::unique_ptr<char, PaddedText::Free> make_room(std::size_t capacity) {
  constexpr std::size_t page = std::size_t{2} << 20;
  const std::size_t rounded = (capacity + text_padding + page - 1) / page * page;
  std::unique_ptr<char, PaddedText::Free> bytes(static_cast<char*>(std::aligned_alloc(page, rounded)));
  if (!bytes) throw std::bad_alloc();
  ::madvise(bytes.get(), rounded, MADV_HUGEPAGE);  // advice: refusing it changes nothing
  return bytes;
}

PaddedText read_text(const std::string& path) {
  const InputFile file(path);
  constexpr auto limit = static_cast<std::size_t>(document_bytes_max);
  const auto check = [&](std::size_t size) {
    if (size <= limit) return;
    throw InputError(path, "it is larger than " + std::to_string(limit >> 20) +
                               " MiB, the most one document may have: split it into a folder of documents");
  };
  check(file.size());
  // A byte more than there should be, so that the end is seen.
  std::size_t capacity = std::max(file.size(), std::size_t{1} << 16) + 1;
  PaddedText text;
  for (;;) {
    auto bytes = make_room(capacity);
    if (text.size > 0) std::memcpy(bytes.get(), text.bytes.get(), text.size);
    text.bytes = std::move(bytes);
    text.size += file.read(text.bytes.get() + text.size, capacity - text.size);
    check(text.size);
    if (text.size < capacity) break;
    capacity *= 2;
  }
  std::memset(text.bytes.get() + text.size, 0, text_padding);
  return text;
}

Document read_document(const std::string& path) {
  const PaddedText text = read_text(path);
  return parse_any_document({text.bytes.get(), text.size}, path);
}

std::vector<std::string> documents_below(const std::string& folder) {
  std::vector<std::string> paths;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    const std::string name = at->path().filename().string();
    if (!name.starts_with(".") && name.ends_with(".json")) paths.push_back(at->path().string());
  }
  if (error) cannot_read(folder, error.value());
  if (paths.empty())
    throw InputError(folder, "the folder holds no *.json: give a result document or a folder of them");
  std::ranges::sort(paths);
  return paths;
}

std::string shown(const std::string& value) {
  return value.empty() ? "nothing" : config::in_quotes(value);
}

// What one side's documents must agree on; the fingerprint sums up the rest.
void check_agreement(const Document& first, const Document& other) {
  for (const char* field : {"tool.name", "device.kind", "device.name", "device.compute_capability",
                            "device.driver", "device.runtime", "fingerprint"}) {
    const auto value = [&](const Document& document) {
      const auto found = document.facts.fields.find(field);
      return found == document.facts.fields.end() ? std::string() : found->second;
    };
    if (value(first) == value(other)) continue;
    throw InputError(other.source, std::string(field) + " is " + shown(value(other)) + ", but " +
                                       shown(value(first)) + " in " + first.source +
                                       ": one side must come from one machine and one software");
  }
}

// Plans may differ between shards, which share no cell, and not between launches of one cell.
void check_plan(const Document& document, const std::string& cell, const Document& earlier) {
  const auto plan = [](const Document& one) {
    const auto found = one.facts.fields.find("plan");
    return found == one.facts.fields.end() ? std::string() : found->second;
  };
  if (plan(document) == plan(earlier)) return;
  throw InputError(document.source, "cell " + config::in_quotes(cell) + " comes from another plan than in " +
                                        earlier.source + ": launches of a cell must share one plan");
}

void merge_facts(DocumentFacts& merged, const DocumentFacts& facts) {
  merged.complete = merged.complete && facts.complete;
  if (merged.started_at.empty() || (!facts.started_at.empty() && facts.started_at < merged.started_at)) {
    merged.started_at = facts.started_at;
  }
  if (merged.interleaved != facts.interleaved) merged.interleaved.clear();
  // Several plans make a plan of their own: sides of the same shards agree.
  std::string& plan = merged.fields["plan"];
  const auto found = facts.fields.find("plan");
  const std::string other = found == facts.fields.end() ? "" : found->second;
  if (plan.find(other) == std::string::npos) plan += "+" + other;
}

}  // namespace

Side merge(const std::string& source, std::vector<Document> documents) {
  Side side{source, static_cast<std::int64_t>(documents.size()), documents.front().facts, {}};
  if (documents.size() == 1) {
    side.cells = std::move(documents.front().cells);
    return side;
  }
  struct Place {
    std::size_t cell = 0;
    std::size_t document = 0;
  };
  std::unordered_map<std::string, Place> places;
  for (std::size_t d = 0; d < documents.size(); ++d) {
    Document& document = documents[d];
    check_agreement(documents.front(), document);
    if (d > 0) merge_facts(side.facts, document.facts);
    for (DocumentCell& cell : document.cells) {
      const auto [place, is_new] = places.try_emplace(cell.id, Place{side.cells.size(), d});
      if (is_new) {
        side.cells.push_back(std::move(cell));
        continue;
      }
      check_plan(document, cell.id, documents[place->second.document]);
      DocumentCell& merged = side.cells[place->second.cell];
      merged.launches.insert(merged.launches.end(), cell.launches.begin(), cell.launches.end());
      if (cell.state > merged.state) {
        merged.state = cell.state;
        merged.reason = cell.reason;
      }
    }
  }
  return side;
}

Side read_side(const std::string& path) {
  std::error_code error;
  const bool folder = fs::is_directory(path, error);
  std::vector<Document> documents;
  for (const std::string& each : folder ? documents_below(path) : std::vector<std::string>{path}) {
    documents.push_back(read_document(each));
  }
  return merge(path, std::move(documents));
}

Sides read_sides(const std::string& base, const std::string& now) {
  // A document needs about twice its size while it is parsed; larger ones take their turns.
  constexpr std::uintmax_t at_once_max = std::uintmax_t{1} << 28;
  std::error_code error;
  const auto size = [&](const std::string& path) {
    const std::uintmax_t bytes = fs::is_regular_file(path, error) ? fs::file_size(path, error) : at_once_max;
    return error ? at_once_max : bytes;
  };
  if (size(base) + size(now) >= at_once_max) {
    Side first = read_side(base);
    return {std::move(first), read_side(now)};
  }
  std::future<Side> second = std::async(std::launch::async, [&] { return read_side(now); });
  Side first = read_side(base);
  return {std::move(first), second.get()};
}

}  // namespace graphbench::compare
