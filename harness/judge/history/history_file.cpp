// Checks the header of the SQLite file (https://www.sqlite.org/fileformat2.html, section 1.3), and packs
// documents with zlib.
#include <zlib.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <string_view>

#include "graphs/base/error.hpp"
#include "graphs/base/text.hpp"
#include "harness/judge/history/store.hpp"
#include "harness/model/codec/parse_document.hpp"

namespace graphbench::judge {
namespace {

constexpr std::string_view magic("SQLite format 3\0", 16);
constexpr std::size_t header_bytes = 100;
constexpr std::size_t user_version_at = 60;
constexpr std::size_t application_id_at = 68;

using Header = std::array<char, header_bytes>;

std::int64_t big_endian(const Header& header, std::size_t at) {
  std::int64_t value = 0;
  for (std::size_t i = at; i < at + 4; ++i) value = value * 256 + static_cast<unsigned char>(header[i]);
  return value;
}

[[noreturn]] void refuse_history_file(const std::string& path, const std::string& detail) {
  throw InputError(path, detail + ": give another file with --history");
}

Bytef* bytes_of(std::string& text) {
  return reinterpret_cast<Bytef*>(text.data());
}

const Bytef* bytes_of(std::string_view text) {
  return reinterpret_cast<const Bytef*>(text.data());
}

}  // namespace

FileState inspect_file(const std::string& path) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (status.type() == std::filesystem::file_type::not_found) return FileState::absent;
  if (error) refuse_history_file(path, "the file's status cannot be read (" + error.message() + ")");
  if (!std::filesystem::is_regular_file(status)) refuse_history_file(path, "the path is not a file");
  std::ifstream file(path, std::ios::binary);
  Header header{};
  file.read(header.data(), header_bytes);
  const auto got = file.gcount();
  if (file.bad() || !file.is_open()) refuse_history_file(path, "the file cannot be read");
  if (got == 0) return FileState::absent;
  if (got < static_cast<std::streamsize>(header_bytes) ||
      std::string_view(header.data(), magic.size()) != magic) {
    refuse_history_file(path, "the file is not a graphbench history (not a SQLite file)");
  }
  if (big_endian(header, application_id_at) != application_id)
    refuse_history_file(path, "the file is another program's SQLite file, not a graphbench history");
  const std::int64_t version = big_endian(header, user_version_at);
  if (version != schema_version) {
    refuse_history_file(path, "the tables have version " + std::to_string(version) +
                                  ", but this graphbench reads version " + std::to_string(schema_version));
  }
  return FileState::ours;
}

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
  // A larger document was never added, and one from elsewhere must not take the memory.
  if (bytes < 0 || bytes > model::document_bytes_max)
    throw Error(ErrorCode::io,
                "unpack document: the document cannot have a length of " + std::to_string(bytes) + " bytes");
  std::string text(static_cast<std::size_t>(bytes), '\0');
  auto size = static_cast<uLongf>(bytes);
  const int status = uncompress(bytes_of(text), &size, bytes_of(packed), static_cast<uLong>(packed.size()));
  if (status != Z_OK) throw Error(ErrorCode::io, std::string("unpack document: ") + zError(status));
  if (size != static_cast<uLongf>(bytes))
    throw Error(ErrorCode::io, "unpack document: the document is shorter than its recorded length");
  return text;
}

}  // namespace graphbench::judge
