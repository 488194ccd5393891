// The text of a file that a person names, whole, and bounded: any name may turn out to be a device or a pipe.
#pragma once

#include <cstddef>
#include <string>

namespace graphbench::model {

struct WholeFile {
  std::string text;
  std::string why_not;  // "cannot be read: No such file or directory"; empty: the text is all of it
  int error = 0;        // the errno of a call that failed
};

// A pipe is read where it has a writer (`<(command)`), and no writer is waited for.
WholeFile read_whole_file(const std::string& path, std::size_t bytes_max);

}  // namespace graphbench::model
