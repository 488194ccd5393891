// mkdtemp, and the standard library for the rest.
#include "harness/verdict/ab/scratch_folder.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "graphs/ir/error.hpp"

namespace graphbench::ab {

ScratchFolder::ScratchFolder() {
  std::error_code error;
  const std::filesystem::path parent = std::filesystem::temp_directory_path(error);
  if (error)
    throw Error(ErrorCode::io, "find a temporary folder: " + error.message() + ": TMPDIR must name one");
  path_ = (parent / "graphbench-ab-XXXXXX").string();
  if (mkdtemp(path_.data()) == nullptr)
    throw Error(ErrorCode::io, "make a folder in " + parent.string() + ": " + std::strerror(errno));
}

ScratchFolder::~ScratchFolder() {
  std::error_code error;
  std::filesystem::remove_all(path_, error);  // what stays is the system's to clean up
}

std::string ScratchFolder::take(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  std::string text((std::istreambuf_iterator<char>(stream)), std::istreambuf_iterator<char>());
  if (!stream.is_open() || stream.bad()) throw Error(ErrorCode::io, "read " + file + ": it is not there");
  stream.close();
  std::error_code error;
  if (!std::filesystem::remove(file, error))
    throw Error(ErrorCode::io, "remove " + file + ": " + error.message());
  return text;
}

}  // namespace graphbench::ab
