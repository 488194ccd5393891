// SHA-256 by OpenSSL's libcrypto.
#include "harness/model/digest.hpp"

#include <openssl/evp.h>

#include <array>
#include <stdexcept>

namespace graphbench::model {

std::string sha256_hex(std::string_view text) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int size = 0;
  if (EVP_Digest(text.data(), text.size(), digest.data(), &size, EVP_sha256(), nullptr) != 1) {
    throw std::runtime_error("hash text: OpenSSL's SHA-256 failed");
  }
  static constexpr std::string_view hex = "0123456789abcdef";
  std::string result;
  for (unsigned int i = 0; i < size; ++i) {
    result += hex[digest[i] >> 4];
    result += hex[digest[i] & 15];
  }
  return result;
}

}  // namespace graphbench::model
