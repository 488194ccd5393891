// A server's certificate and key, read from PEM files.
#pragma once

#include <memory>
#include <stdexcept>
#include <string>

namespace graphbench::service {

struct TlsFiles {
  std::string certificate;  // a chain, from the server's own certificate to the root
  std::string key;          // without a passphrase
};

// Says on one line which of the two files cannot be used, why, and what to give instead.
class TlsFileError : public std::runtime_error {
 public:
  enum class File { certificate, key };
  TlsFileError(File file, const std::string& detail) : std::runtime_error(detail), file_(file) {}
  File file() const noexcept { return file_; }

 private:
  File file_;
};

struct TlsContext;

// Reads the files once; later changes have no effect. Never asks for a passphrase. Throws TlsFileError.
std::shared_ptr<TlsContext> load_tls(const TlsFiles& files);

}  // namespace graphbench::service
