// The turn is a shared pointer: it is given back when the request ends, for whatever reason.
#include "harness/service/serve/admission.hpp"

#include <memory>

namespace graphbench::serve {
namespace {

constexpr std::uint64_t body_bytes_max = 64 * 1024;

}  // namespace

net::Admit make_admission(const Access& access, std::uint64_t compare_bytes_max) {
  const auto turn = std::make_shared<std::weak_ptr<void>>();
  return [access, compare_bytes_max, turn](const net::Request& head) {
    net::Admission admission;
    admission.body_bytes_max = body_bytes_max;
    admission.wants_body = !refusal_of(head, access);
    if (head.method != "POST" || head.path != "/v1/compare") return admission;
    admission.body_bytes_max = compare_bytes_max;
    admission.wants_body = admission.wants_body && turn->expired();
    if (!admission.wants_body) return admission;
    admission.hold = std::make_shared<char>();
    *turn = admission.hold;
    return admission;
  };
}

}  // namespace graphbench::serve
