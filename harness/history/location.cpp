// The XDG base directory rules: a relative path in XDG_DATA_HOME is to be ignored.
#include "harness/history/location.hpp"

#include <filesystem>

#include "graphs/ir/error.hpp"
#include "harness/model/input_error.hpp"

namespace graphbench::history {

std::string default_file(const Environment& environment) {
  const std::string named = environment("GRAPHBENCH_HISTORY");
  if (!named.empty()) return named;
  std::filesystem::path data = environment("XDG_DATA_HOME");
  if (!data.is_absolute()) {
    const std::string home = environment("HOME");
    if (home.empty()) {
      throw InputError(
          "--history",
          "there is no default, because HOME is not set: give a file, or set GRAPHBENCH_HISTORY");
    }
    data = std::filesystem::path(home) / ".local" / "share";
  }
  return data / "graphbench" / "history.sqlite";
}

void make_folder_of(const std::string& file) {
  std::error_code error;
  const std::filesystem::path folder = std::filesystem::path(file).parent_path();
  std::filesystem::create_directories(folder, error);
  if (error) throw Error(ErrorCode::io, "make folder " + folder.string() + ": " + error.message());
}

}  // namespace graphbench::history
