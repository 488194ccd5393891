// SHA-256 over text, for hashes that must be the same in every build.
#pragma once

#include <memory>
#include <string>
#include <string_view>

struct evp_md_ctx_st;

namespace graphbench {

class Sha256 {
 public:
  Sha256();
  ~Sha256();
  void add(std::string_view part);
  std::string hex();  // 64 lower-case hex digits; must be the last call

 private:
  struct Free {
    void operator()(evp_md_ctx_st* context) const noexcept;
  };
  std::unique_ptr<evp_md_ctx_st, Free> context_;
};

std::string sha256_hex(std::string_view text);

}  // namespace graphbench
