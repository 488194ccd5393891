// Makes certificates and keys in a folder that the test removes at its end.
#pragma once

#include <memory>
#include <string>

#include "harness/service/net/tls.hpp"
#include "tests/support/temporary_folder.hpp"

struct evp_pkey_st;
struct x509_st;

namespace graphbench::service {

// A certificate with its key. Without an issuer it signs itself, and can then sign others.
class Certificate {
 public:
  // Valid from `days_begin` to `days_end`, in days from now.
  explicit Certificate(const std::string& name, const Certificate* issuer = nullptr, int days_begin = -1,
                       int days_end = 1);

  std::string certificate_pem() const;
  std::string key_pem(const std::string& passphrase = "") const;

 private:
  std::shared_ptr<evp_pkey_st> key_;
  std::shared_ptr<x509_st> certificate_;
};

class CertificateFolder : public test::TemporaryFolder {
 public:
  TlsFiles files(const std::string& name, const Certificate& certificate) const;
};

}  // namespace graphbench::service
