// Reads and checks certificate and key with OpenSSL, and turns its error codes into sentences.
#include "harness/service/net/tls.hpp"

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <filesystem>

#include "graphs/base/error.hpp"
#include "harness/service/net/tls_context.hpp"

namespace graphbench::service {
namespace {

namespace ssl = boost::asio::ssl;
using boost::system::error_code;
using File = TlsFileError::File;

// The ciphers for TLS 1.2 that have forward secrecy and authenticated encryption. TLS 1.3 needs no list,
// because all its ciphers are strong.
constexpr const char* ciphers = "ECDHE+AESGCM:ECDHE+CHACHA20";

void set_protocol(ssl::context& context) {
  SSL_CTX* native = context.native_handle();
  if (SSL_CTX_set_min_proto_version(native, TLS1_2_VERSION) != 1 ||
      SSL_CTX_set_cipher_list(native, ciphers) != 1) {
    throw Error(ErrorCode::internal, "set up TLS: OpenSSL refuses TLS 1.2 or its ciphers");
  }
}

void check_readable(File file, const std::string& path) {
  std::error_code ignored;  // ignored, because `access` gives the better message
  const bool folder = std::filesystem::is_directory(path, ignored);
  if (!folder && access(path.c_str(), R_OK) == 0) return;
  throw TlsFileError(file, std::string("the file cannot be read (") + std::strerror(folder ? EISDIR : errno) +
                               "): give a PEM file");
}

std::string day_of(const ASN1_TIME* time) {
  std::tm parts{};
  if (ASN1_TIME_to_tm(time, &parts) != 1) return "an unknown day";
  std::array<char, 16> text{};
  return {text.data(), std::strftime(text.data(), text.size(), "%Y-%m-%d", &parts)};
}

void check_dates(const X509* certificate) {
  const ASN1_TIME* begin = X509_get0_notBefore(certificate);
  const ASN1_TIME* end = X509_get0_notAfter(certificate);
  if (X509_cmp_current_time(end) < 0) {
    throw TlsFileError(File::certificate, "the file has a certificate that expired on " + day_of(end) +
                                              ": give a valid certificate");
  }
  if (X509_cmp_current_time(begin) > 0) {
    throw TlsFileError(File::certificate, "the file has a certificate that is not valid before " +
                                              day_of(begin) + ": give a valid certificate, or set the clock");
  }
}

void use_certificate(ssl::context& context, const std::string& path) {
  check_readable(File::certificate, path);
  error_code error;
  context.use_certificate_chain_file(path, error);
  if (error) {
    throw TlsFileError(File::certificate, "the file is not a certificate in PEM format (" + error.message() +
                                              "): give a certificate, followed by its chain");
  }
  check_dates(SSL_CTX_get0_certificate(context.native_handle()));
}

void use_key(ssl::context& context, const std::string& path) {
  check_readable(File::key, path);
  bool asked = false;
  // Without this callback OpenSSL would ask for the passphrase at the terminal.
  context.set_password_callback([&asked](std::size_t, ssl::context::password_purpose) {
    asked = true;
    return std::string();
  });
  error_code error;
  context.use_private_key_file(path, ssl::context::pem, error);
  context.set_password_callback([](std::size_t, ssl::context::password_purpose) { return std::string(); });
  if (asked) {
    throw TlsFileError(File::key,
                       "the key is encrypted: give a key without a passphrase, e.g. from "
                       "openssl pkey -in FILE -out PLAIN");
  }
  const bool matches = !error && SSL_CTX_check_private_key(context.native_handle()) == 1;
  const int reason = ERR_GET_REASON(static_cast<unsigned long>(error.value()));
  ERR_clear_error();
  if (matches) return;
  if (!error || reason == X509_R_KEY_VALUES_MISMATCH || reason == X509_R_KEY_TYPE_MISMATCH) {
    throw TlsFileError(File::key,
                       "the key does not belong to the certificate: give a matching certificate and key");
  }
  throw TlsFileError(File::key, "the file is not a private key in PEM format (" + error.message() +
                                    "): give the certificate's key");
}

}  // namespace

std::shared_ptr<TlsContext> tls_for_client() {
  auto tls = std::make_shared<TlsContext>(TlsContext{ssl::context(ssl::context::tls_client)});
  set_protocol(tls->context);
  tls->context.set_default_verify_paths();
  tls->context.set_verify_mode(ssl::verify_peer);
  return tls;
}

std::shared_ptr<TlsContext> load_tls(const TlsFiles& files) {
  auto tls = std::make_shared<TlsContext>(TlsContext{ssl::context(ssl::context::tls_server)});
  ssl::context& context = tls->context;
  set_protocol(context);
  SSL_CTX* native = context.native_handle();
  // Allows no session resumption: each connection is checked in full, and no ticket key needs protection.
  SSL_CTX_set_options(native, SSL_OP_NO_TICKET | SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION |
                                  SSL_OP_CIPHER_SERVER_PREFERENCE);
  SSL_CTX_set_session_cache_mode(native, SSL_SESS_CACHE_OFF);
  if (SSL_CTX_set_num_tickets(native, 0) != 1) {
    throw Error(ErrorCode::internal, "set up TLS: OpenSSL refuses the number of session tickets");
  }
  use_certificate(context, files.certificate);
  use_key(context, files.key);
  return tls;
}

}  // namespace graphbench::service
