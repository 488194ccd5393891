// Runs the suite. `--ctest PROGRAM` prints its CTest entries: suites on one backend, not single tests,
// because each entry opens the device, which takes a second on CUDA. `--gtest_filter` selects a single test.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "tests/conformance/backends.hpp"

namespace graphbench::conformance {
namespace {

// Returns "OpConformance" for "Devices/OpConformance".
std::string short_name(const std::string& suite) {
  return suite.substr(suite.find('/') + 1);
}

// Returns "host" for "Test/host_fp32"; empty if the test has no parameters.
std::string backend_of(const std::string& test) {
  const std::size_t slash = test.find('/');
  if (slash == std::string::npos) return "";
  const std::string parameters = test.substr(slash + 1);
  return parameters.substr(0, parameters.find('_'));
}

std::map<std::string, std::set<std::string>> backends_by_suite() {
  std::map<std::string, std::set<std::string>> found;
  const ::testing::UnitTest& all = *::testing::UnitTest::GetInstance();
  for (int i = 0; i < all.total_test_suite_count(); ++i) {
    const ::testing::TestSuite& suite = *all.GetTestSuite(i);
    for (int k = 0; k < suite.total_test_count(); ++k)
      found[short_name(suite.name())].insert(backend_of(suite.GetTestInfo(k)->name()));
  }
  return found;
}

// The label of suites that ThreadSanitizer runs too. The suites below test only values, on others' threads.
std::string threads_of(std::string_view suite) {
  constexpr std::string_view values[] = {"CheckpointConformance", "Gradients", "LossConformance",
                                         "TrainingConformance", "WorkloadConformance"};
  return std::ranges::find(values, suite) == std::end(values) ? ";threads" : "";
}

// The threads do not depend on the dtype, so ThreadSanitizer runs only fp32.
#ifdef __SANITIZE_THREAD__
constexpr const char* left_out = "-*_bf16*:*_fp16*";
#else
constexpr const char* left_out = "";
#endif

void print_entry(const std::string& program, const std::string& name, const std::string& filter,
                 const std::string& properties) {
  std::printf("add_test([=[conformance.%s]=] [=[%s]=] [=[--gtest_filter=%s]=])\n", name.c_str(),
              program.c_str(), filter.c_str());
  std::printf("set_tests_properties([=[conformance.%s]=] PROPERTIES TIMEOUT 600 %s)\n", name.c_str(),
              properties.c_str());
}

void print_entries(const std::string& program) {
  for (const auto& [suite, names] : backends_by_suite()) {
    if (names.contains(""))
      print_entry(program, suite, suite + ".*", "LABELS [=[conformance" + threads_of(suite) + "]=]");
    for (const BackendUnderTest& backend : backends_under_test()) {
      if (!names.contains(backend.name)) continue;
      const std::string filter = "*" + suite + "*" + backend.name + "*" + left_out;
      // The label `gpu` selects tests whose device may be missing. A run on a GPU fails if one is skipped.
      const std::string rest =
          backend.always_there ? "]=]"
                               : ";gpu]=] SKIP_REGULAR_EXPRESSION [=[open device " + backend.name + ": ]=]";
      print_entry(program, backend.name + "." + suite, filter,
                  "LABELS [=[conformance" + threads_of(suite) + rest);
      for (const Variant& variant : backend.variants) {
        if (!variant.suites.empty() && std::ranges::count(variant.suites, suite) == 0) continue;
        std::string environment;
        for (const std::string& setting : variant.environment)
          environment += (environment.empty() ? "" : ";") + setting;
        print_entry(program, backend.name + "." + suite + "." + variant.name, filter,
                    "ENVIRONMENT [=[" + environment + "]=] LABELS [=[conformance;slow;variant" + rest);
      }
    }
  }
}

}  // namespace
}  // namespace graphbench::conformance

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  if (argc == 3 && std::string_view(argv[1]) == "--ctest") {
    graphbench::conformance::print_entries(argv[2]);
    return 0;
  }
  return RUN_ALL_TESTS();
}
