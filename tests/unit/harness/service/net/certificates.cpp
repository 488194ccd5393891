// Makes certificates with OpenSSL: P-256 keys, SHA-256, and the address of the tests' servers.
#include "tests/unit/harness/service/net/certificates.hpp"

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <atomic>
#include <stdexcept>

namespace graphbench::service {
namespace {

void check(bool well) {
  if (!well) throw std::runtime_error("OpenSSL makes no certificate");
}

void add_extension(X509* certificate, X509* issuer, int which, const char* value) {
  X509V3_CTX context;
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  X509_EXTENSION* extension = X509V3_EXT_conf_nid(nullptr, &context, which, value);
  check(extension != nullptr);
  check(X509_add_ext(certificate, extension, -1) == 1);
  X509_EXTENSION_free(extension);
}

template <typename Write>
std::string pem(Write write) {
  const std::shared_ptr<BIO> memory(BIO_new(BIO_s_mem()), BIO_free);
  check(write(memory.get()) == 1);
  char* data = nullptr;
  const long size = BIO_get_mem_data(memory.get(), &data);
  return {data, static_cast<std::size_t>(size)};
}

}  // namespace

Certificate::Certificate(const std::string& name, const Certificate* issuer, int days_begin, int days_end)
    : key_(EVP_EC_gen("P-256"), EVP_PKEY_free), certificate_(X509_new(), X509_free) {
  static std::atomic<long> serial = 1;
  constexpr long day = 24L * 60 * 60;
  X509* const made = certificate_.get();
  check(X509_set_version(made, X509_VERSION_3) == 1);
  check(ASN1_INTEGER_set(X509_get_serialNumber(made), ++serial) == 1);
  check(X509_gmtime_adj(X509_getm_notBefore(made), days_begin * day) != nullptr);
  check(X509_gmtime_adj(X509_getm_notAfter(made), days_end * day) != nullptr);
  check(X509_set_pubkey(made, key_.get()) == 1);
  const auto* text = reinterpret_cast<const unsigned char*>(name.c_str());
  check(X509_NAME_add_entry_by_txt(X509_get_subject_name(made), "CN", MBSTRING_ASC, text, -1, -1, 0) == 1);
  X509* const signer = issuer != nullptr ? issuer->certificate_.get() : made;
  check(X509_set_issuer_name(made, X509_get_subject_name(signer)) == 1);
  add_extension(made, signer, NID_basic_constraints, issuer == nullptr ? "critical,CA:TRUE" : "CA:FALSE");
  add_extension(made, signer, NID_subject_alt_name, "IP:127.0.0.1");
  EVP_PKEY* const signing = issuer != nullptr ? issuer->key_.get() : key_.get();
  check(X509_sign(made, signing, EVP_sha256()) > 0);
}

std::string Certificate::certificate_pem() const {
  return pem([this](BIO* memory) { return PEM_write_bio_X509(memory, certificate_.get()); });
}

std::string Certificate::key_pem(const std::string& passphrase) const {
  return pem([&](BIO* memory) {
    const EVP_CIPHER* cipher = passphrase.empty() ? nullptr : EVP_aes_256_cbc();
    const auto* bytes = reinterpret_cast<const unsigned char*>(passphrase.c_str());
    return PEM_write_bio_PrivateKey(memory, key_.get(), cipher, bytes, static_cast<int>(passphrase.size()),
                                    nullptr, nullptr);
  });
}

TlsFiles CertificateFolder::files(const std::string& name, const Certificate& certificate) const {
  return {write(name + ".pem", certificate.certificate_pem()), write(name + ".key", certificate.key_pem())};
}

}  // namespace graphbench::service
