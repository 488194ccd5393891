// System calls, so that a pipe is not waited for and memory comes in huge pages. Windows are cut at their
// last `}, {"id"`, where "id" is whichever key the first cell begins with.
#include "harness/codec/document_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <future>
#include <memory>
#include <new>
#include <string_view>
#include <system_error>
#include <vector>

#include "harness/codec/document_reader.hpp"
#include "harness/codec/parse_document.hpp"
#include "harness/model/input_error.hpp"

namespace graphbench::codec {
namespace {

// In huge pages where the system has them: faulting a large text in costs as much as reading it.
std::unique_ptr<char, PaddedText::Free> make_room(std::size_t capacity) {
  constexpr std::size_t page = std::size_t{2} << 20;
  const std::size_t rounded = (capacity + text_padding + page - 1) / page * page;
  std::unique_ptr<char, PaddedText::Free> bytes(static_cast<char*>(std::aligned_alloc(page, rounded)));
  if (!bytes) throw std::bad_alloc();
  ::madvise(bytes.get(), rounded, MADV_HUGEPAGE);  // advice: refusing it changes nothing
  return bytes;
}

constexpr std::string_view blanks = " \t\r\n";
constexpr std::string_view opening = R"({"cells":[)";
constexpr std::string_view closing = "]}";
constexpr std::size_t none = std::string_view::npos;

// Where the next token begins that is `wanted`, if it is the next; else none.
std::size_t next_is(std::string_view text, std::size_t from, char wanted) {
  const std::size_t at = text.find_first_not_of(blanks, from);
  return at != none && text[at] == wanted ? at : none;
}

// The same before `before`.
std::size_t last_is(std::string_view text, std::size_t before, char wanted) {
  if (before == none || before == 0) return none;
  const std::size_t at = text.find_last_not_of(blanks, before - 1);
  return at != none && text[at] == wanted ? at : none;
}

struct CellsList {
  std::size_t begin = 0;  // behind its bracket
  std::string key;        // of the first cell, in quotes as written
};

std::optional<CellsList> find_cells(std::string_view text) {
  constexpr std::string_view name = "\"cells\"";
  for (std::size_t at = text.find(name); at != none; at = text.find(name, at + 1)) {
    const std::size_t colon = next_is(text, at + name.size(), ':');
    const std::size_t list = colon == none ? none : next_is(text, colon + 1, '[');
    const std::size_t cell = list == none ? none : next_is(text, list + 1, '{');
    const std::size_t key = cell == none ? none : next_is(text, cell + 1, '"');
    const std::size_t key_end = key == none ? none : text.find('"', key + 1);
    if (key_end == none) continue;
    return CellsList{list + 1, std::string(text.substr(key, key_end + 1 - key))};
  }
  return std::nullopt;
}

// A window's text with room for the list's opening ahead of it, and the thread that reads its cells.
struct Lane {
  Lane(const std::string& source, std::size_t capacity)
      : room(std::make_unique_for_overwrite<char[]>(opening.size() + capacity + text_padding)),
        reader(source) {
    std::memset(text() + capacity, 0, text_padding);
  }
  char* text() const { return room.get() + opening.size(); }
  std::string_view view() const { return {text(), size}; }

  std::unique_ptr<char[]> room;
  std::size_t size = 0;
  DocumentReader reader;
  std::future<void> reading;  // last: it is waited for before the others go
};

class Windows {
 public:
  Windows(const ReadText& read, const std::string& source, std::size_t window_bytes, std::size_t threads)
      : read_(read), capacity_(window_bytes), reader_(source) {
    for (std::size_t i = 0; i < threads; ++i) lanes_.push_back(std::make_unique<Lane>(source, capacity_));
  }

  std::optional<Document> parse() {
    fill({});
    const std::optional<CellsList> cells = find_cells(lane().view());
    if (!cells) return std::nullopt;
    std::string rest(lane().view().substr(0, cells->begin));
    std::size_t begin = cells->begin;
    for (; !at_end_; begin = 0) {
      const std::size_t cut = last_cut(begin, cells->key);
      if (cut == none) return std::nullopt;
      const std::string tail(lane().view().substr(cut + 1));
      start(begin, cut);
      ++at_;
      finish(lane());
      fill(tail);
    }
    rest += lane().view().substr(begin);
    for (std::size_t i = 1; i < lanes_.size(); ++i) finish(*lanes_[(at_ + i) % lanes_.size()]);
    const std::size_t length = rest.size();
    rest.append(text_padding, '\0');
    reader_.read({rest.data(), length});
    if (reader_.cells_at() + 1 != cells->begin) return std::nullopt;
    return reader_.take();
  }

 private:
  Lane& lane() { return *lanes_[at_ % lanes_.size()]; }

  void fill(std::string_view tail) {
    Lane& to = lane();
    std::ranges::copy(tail, to.text());
    to.size = tail.size() + read_(to.text() + tail.size(), capacity_ - tail.size());
    at_end_ = to.size < capacity_;
  }

  // The comma in front of the last cell that begins in the window.
  std::size_t last_cut(std::size_t begin, std::string_view key) {
    const std::string_view cells = lane().view().substr(begin);
    for (std::size_t at = cells.rfind(key); at != none && at > 0; at = cells.rfind(key, at - 1)) {
      const std::size_t comma = last_is(cells, last_is(cells, at, '{'), ',');
      if (last_is(cells, comma, '}') != none) return begin + comma;
    }
    return none;
  }

  // In place: what is written over has been copied.
  void start(std::size_t begin, std::size_t end) {
    char* const first = lane().text() + begin - opening.size();
    char* const last = lane().text() + end;
    std::memcpy(first, opening.data(), opening.size());
    std::memcpy(last, closing.data(), closing.size());
    const std::string_view text(first, static_cast<std::size_t>(last - first) + closing.size());
    const auto policy = lanes_.size() == 1 ? std::launch::deferred : std::launch::async;
    lane().reading = std::async(policy, [text, &reader = lane().reader] { reader.read_cells(text); });
  }

  // Lanes are finished in the order of their windows.
  void finish(Lane& lane) {
    if (!lane.reading.valid()) return;
    lane.reading.get();
    reader_.take_cells_of(lane.reader);
  }

  const ReadText& read_;
  std::size_t capacity_;
  std::vector<std::unique_ptr<Lane>> lanes_;
  std::size_t at_ = 0;  // the window that is being filled
  DocumentReader reader_;
  bool at_end_ = false;
};

}  // namespace

void cannot_read(const std::string& path, int error) {
  throw InputError(path, "it cannot be read: " + std::generic_category().message(error));
}

DocumentFile::DocumentFile(const std::string& path)
    : path_(path), fd_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
  if (fd_ < 0) cannot_read(path_, errno);
  if (::fcntl(fd_, F_SETFL, O_RDONLY) == 0) return;
  const int error = errno;
  ::close(fd_);
  cannot_read(path_, error);
}

DocumentFile::~DocumentFile() {
  ::close(fd_);
}

std::size_t DocumentFile::size() const {
  struct stat status {};
  if (::fstat(fd_, &status) != 0) cannot_read(path_, errno);
  return S_ISREG(status.st_mode) ? static_cast<std::size_t>(status.st_size) : 0;
}

std::size_t DocumentFile::read(char* to, std::size_t bytes) const {
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

PaddedText read_text(const std::string& path) {
  const DocumentFile file(path);
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

std::optional<Document> parse_in_windows(const ReadText& read, const std::string& source,
                                         std::size_t window_bytes, std::size_t threads) {
  try {
    return Windows(read, source, window_bytes, threads).parse();
  } catch (const InputError&) {
    return std::nullopt;
  }
}

}  // namespace graphbench::codec
