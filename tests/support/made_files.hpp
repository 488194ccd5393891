// A folder of files that a test makes, gone with this object.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>

namespace graphbench::test {

class MadeFiles {
 public:
  MadeFiles() {
    std::string folder = (std::filesystem::temp_directory_path() / "graphbench-made-XXXXXX").string();
    if (mkdtemp(folder.data()) == nullptr) throw std::runtime_error("no temporary folder");
    root_ = folder;
  }
  MadeFiles(const MadeFiles&) = delete;
  MadeFiles& operator=(const MadeFiles&) = delete;
  ~MadeFiles() {
    std::error_code ignored;
    std::filesystem::remove_all(root_, ignored);
  }

  void add(const std::string& path, const std::string& text) const {
    std::filesystem::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << text;
  }
  std::string root() const { return root_.string(); }

 private:
  std::filesystem::path root_;
};

}  // namespace graphbench::test
