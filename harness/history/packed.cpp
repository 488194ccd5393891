// One call of zlib each way; the length is stored beside the bytes.
#include "harness/history/packed.hpp"

#include <zlib.h>

#include "graphs/ir/error.hpp"

namespace graphbench::history {
namespace {

Bytef* bytes_of(std::string& text) {
  return reinterpret_cast<Bytef*>(text.data());
}

const Bytef* bytes_of(std::string_view text) {
  return reinterpret_cast<const Bytef*>(text.data());
}

// Beyond any document; a damaged length must not become an allocation.
constexpr std::int64_t document_bytes_max = std::int64_t{1} << 31;

}  // namespace

std::string pack(std::string_view text) {
  uLongf size = compressBound(static_cast<uLong>(text.size()));
  std::string packed(size, '\0');
  const int status = compress2(bytes_of(packed), &size, bytes_of(text), static_cast<uLong>(text.size()),
                               Z_DEFAULT_COMPRESSION);
  if (status != Z_OK) throw Error(ErrorCode::internal, std::string("compress document: ") + zError(status));
  packed.resize(size);
  return packed;
}

std::string unpack(std::string_view packed, std::int64_t bytes) {
  if (bytes < 0 || bytes > document_bytes_max)
    throw Error(ErrorCode::io, "unpack document: a length of " + std::to_string(bytes) + " bytes");
  std::string text(static_cast<std::size_t>(bytes), '\0');
  auto size = static_cast<uLongf>(bytes);
  const int status = uncompress(bytes_of(text), &size, bytes_of(packed), static_cast<uLong>(packed.size()));
  if (status != Z_OK) throw Error(ErrorCode::io, std::string("unpack document: ") + zError(status));
  if (size != static_cast<uLongf>(bytes))
    throw Error(ErrorCode::io, "unpack document: it is shorter than it was");
  return text;
}

}  // namespace graphbench::history
