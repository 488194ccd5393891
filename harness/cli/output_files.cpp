// The reporters write; where they cannot, the option that named the file is refused.
#include "harness/cli/output_files.hpp"

#include <filesystem>
#include <iostream>

#include "graphs/ir/error.hpp"
#include "harness/model/input_error.hpp"
#include "reporters/json/write_file.hpp"

namespace graphbench::cli {

void check_output_file(const std::string& where, const std::string& path, Stdout dash) {
  const bool takes_stdout = dash == Stdout::allowed;
  if (takes_stdout && path == "-") return;
  try {
    reporters::check_writable(path);
  } catch (const std::exception& error) {
    throw InputError(where, std::string(error.what()) +
                                ": give a file in a folder that exists and can be written" +
                                (takes_stdout ? ", or -" : ""));
  }
}

void write_document(const std::string& path, std::string_view document, const std::string& where) {
  if (path != "-") {
    reporters::write_file_atomically(path, document);
    return;
  }
  std::cout << document << std::flush;
  if (!std::cout) throw Error(ErrorCode::io, where + "stdout could not be written");
}

bool same_file(const std::string& one, const std::string& other) {
  if (one.empty() || other.empty()) return false;
  std::error_code error;
  const auto whole = [&](const std::string& path) {
    return std::filesystem::weakly_canonical(std::filesystem::absolute(path, error), error);
  };
  return one == other || (whole(one) == whole(other) && !error);
}

}  // namespace graphbench::cli
