// Large documents in windows or one at a time: a text and what is made of it are in memory together.
#include "harness/verdict/compare/read_side.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <future>
#include <map>
#include <mutex>
#include <optional>
#include <system_error>
#include <utility>

#include "harness/codec/cell_windows.hpp"
#include "harness/codec/document_file.hpp"
#include "harness/codec/project.hpp"
#include "harness/model/input_error.hpp"
#include "harness/verdict/foreign/foreign_documents.hpp"

namespace graphbench::compare {
namespace {

namespace fs = std::filesystem;

// Absent where the whole text is needed. A pipe can be read only once.
std::optional<Document> read_in_windows(const std::string& path) {
  constexpr std::size_t worth_windows = std::size_t{4} << 20;
  constexpr std::size_t window_bytes = std::size_t{1} << 20;
  const codec::DocumentFile file(path);
  if (file.size() < worth_windows || file.size() > static_cast<std::size_t>(codec::document_bytes_max))
    return std::nullopt;
  return codec::parse_in_windows([&](char* to, std::size_t bytes) { return file.read(to, bytes); }, path,
                                 window_bytes);
}

// Whole texts need twice their size while they are parsed: of large ones, one at a time is in memory.
Document read_whole(const std::string& path, std::mutex& large_text) {
  constexpr std::uintmax_t large = std::uintmax_t{1} << 27;
  std::unique_lock turn(large_text, std::defer_lock);
  std::error_code error;
  if (fs::file_size(path, error) >= large || error) turn.lock();
  const codec::PaddedText text = codec::read_text(path);
  return parse_any_document(text.view(), path);
}

Document read_document(const std::string& path, std::mutex& large_text) {
  std::optional<Document> document = read_in_windows(path);
  return document ? std::move(*document) : read_whole(path, large_text);
}

std::vector<std::string> documents_below(const std::string& folder) {
  std::vector<std::string> paths;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    const std::string name = at->path().filename().string();
    if (!name.starts_with(".") && name.ends_with(".json")) paths.push_back(at->path().string());
  }
  if (error) codec::cannot_read(folder, error.value());
  if (paths.empty())
    throw InputError(folder, "the folder holds no *.json: give a result document or a folder of them");
  std::ranges::sort(paths);
  return paths;
}

// A file counts once, however many names it has.
void check_names(const std::vector<std::string>& paths) {
  std::map<std::pair<dev_t, ino_t>, const std::string*> seen;
  for (const std::string& path : paths) {
    struct stat status {};
    if (::stat(path.c_str(), &status) != 0) codec::cannot_read(path, errno);
    const auto [place, is_new] = seen.try_emplace({status.st_dev, status.st_ino}, &path);
    if (!is_new) throw InputError(path, "it is the same file as " + *place->second + ": remove one");
  }
}

Side read_side(const std::string& path, std::mutex& large_text) {
  std::error_code error;
  const bool folder = fs::is_directory(path, error);
  std::vector<Document> documents;
  const std::vector<std::string> paths = folder ? documents_below(path) : std::vector<std::string>{path};
  check_names(paths);
  for (const std::string& each : paths) documents.push_back(read_document(each, large_text));
  return merge(path, std::move(documents));
}

// A program that writes two pipes may fill the first before it opens the second.
bool is_pipe(const std::string& path) {
  std::error_code error;
  const fs::file_type type = fs::status(path, error).type();
  return type != fs::file_type::regular && type != fs::file_type::directory;
}

}  // namespace

Side side_of(const model::Result& result, const std::string& source) {
  std::vector<Document> documents;
  documents.push_back(codec::project(result, source));
  return merge(source, std::move(documents));
}

Side read_side(const std::string& path) {
  std::mutex alone;
  return read_side(path, alone);
}

Sides read_sides(const std::string& base, const std::string& now) {
  std::mutex large_text;
  const bool in_turns = is_pipe(base) || is_pipe(now);
  // BASE's error is reported first, whichever side fails first.
  std::future<Side> second = std::async(in_turns ? std::launch::deferred : std::launch::async,
                                        [&] { return read_side(now, large_text); });
  Side first = read_side(base, large_text);
  return {std::move(first), second.get()};
}

}  // namespace graphbench::compare
