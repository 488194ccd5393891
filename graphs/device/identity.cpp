// The identity that binary and backend modules must share: types cross between them by layout, so
// another version or another compiler is another contract. The commit is left out on purpose: a
// module rebuilt alone after a comment changed still fits.
#include "graphbench_version.hpp"
#include "graphs/device/backend_module.hpp"

namespace graphbench {

const char* build_identity() noexcept {
#if defined(__clang__)
  return GRAPHBENCH_VERSION " clang " __clang_version__;
#else
  return GRAPHBENCH_VERSION " gcc " __VERSION__;
#endif
}

}  // namespace graphbench
