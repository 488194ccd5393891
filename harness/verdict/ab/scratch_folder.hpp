// A folder for the documents of single runs, gone with its owner.
#pragma once

#include <string>

namespace graphbench::ab {

class ScratchFolder {
 public:
  ScratchFolder();  // under TMPDIR; throws Error(io)
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  ~ScratchFolder();

  std::string file(const std::string& name) const { return path_ + "/" + name; }
  // The file's text; the file is gone afterwards, so that no run is taken for the next. Throws
  // Error(io) where there is none.
  static std::string take(const std::string& file);

 private:
  std::string path_;
};

}  // namespace graphbench::ab
