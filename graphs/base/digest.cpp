// SHA-256 by OpenSSL's libcrypto.
#include "graphs/base/digest.hpp"

#include <openssl/crypto.h>
#include <openssl/evp.h>

#include <array>

#include "graphs/base/error.hpp"

namespace graphbench {

namespace {

void require_hashed(int status) {
  if (status != 1) throw Error(ErrorCode::internal, "hash text: OpenSSL's SHA-256 failed");
}

}  // namespace

void Sha256::Free::operator()(evp_md_ctx_st* context) const noexcept {
  EVP_MD_CTX_free(context);
}

Sha256::Sha256() : context_(EVP_MD_CTX_new()) {
  // OpenSSL 3.0 would use its default library context even if that context could not be allocated.
  require_hashed(context_ != nullptr && OSSL_LIB_CTX_get0_global_default() != nullptr);
  require_hashed(EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr));
}

Sha256::~Sha256() = default;

void Sha256::add(std::string_view part) {
  require_hashed(EVP_DigestUpdate(context_.get(), part.data(), part.size()));
}

std::string Sha256::hex() {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int size = 0;
  require_hashed(EVP_DigestFinal_ex(context_.get(), digest.data(), &size));
  static constexpr std::string_view digits = "0123456789abcdef";
  std::string result;
  for (unsigned int i = 0; i < size; ++i) {
    result += digits[digest[i] >> 4];
    result += digits[digest[i] & 15];
  }
  return result;
}

std::string sha256_hex(std::string_view text) {
  Sha256 digest;
  digest.add(text);
  return digest.hex();
}

}  // namespace graphbench
