// Reads the file of a result document. Checks the file's size before it reads a byte.
#include "harness/model/codec/document_file.hpp"

#include <filesystem>
#include <system_error>
#include <utility>

#include "graphs/base/files.hpp"
#include "graphs/base/text.hpp"

namespace graphbench::codec {

void cannot_read(const std::string& path, int error) {
  throw InputError(path, "the file cannot be read: " + std::generic_category().message(error));
}

PaddedText read_text(const std::string& path) {
  std::error_code error;  // ignored, because a pipe has no size
  if (const auto size = std::filesystem::file_size(path, error); !error && size > document_bytes_max) {
    throw InputError(path,
                     "the document is larger than " + std::to_string(document_bytes_max >> 20) +
                         " MiB, the limit for one document: split the document into a folder of documents");
  }
  WholeFile file = read_whole_file(path, document_bytes_max);
  if (!file.why_not.empty()) throw InputError(path, "the file " + file.why_not);
  return PaddedText(std::move(file.text));
}

}  // namespace graphbench::codec
