// Tests where a library is looked for, and what is said of one that is nowhere.
#include "graphs/base/library_search.hpp"

#include <dlfcn.h>
#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "tests/support/temporary_folder.hpp"

namespace graphbench {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr const char* file = "libgraphbench_searched.so";

std::string a_library() {
  Dl_info info{};
  EXPECT_NE(dladdr(dlsym(RTLD_DEFAULT, "cos"), &info), 0);
  return info.dli_fname;
}

class LibrarySearchTest : public ::testing::Test {
 protected:
  void SetUp() override { setenv(library_folders_variable, ("/nonexistent:" + folder_).c_str(), 1); }
  void TearDown() override { unsetenv(library_folders_variable); }

  test::TemporaryFolder temporary_;
  const std::string folder_ = temporary_.path().string();
};

TEST_F(LibrarySearchTest, FindsWhatIsLoaded) {
  EXPECT_NE(open_library("libm.so.6", LibrarySearch::loaded).handle, nullptr);
}

TEST_F(LibrarySearchTest, FindsWhatIsInAFolderUnlessOnlyTheLoadedCount) {
  std::filesystem::copy_file(a_library(), folder_ + "/" + file);
  EXPECT_EQ(open_library(file, LibrarySearch::loaded).handle, nullptr);
  EXPECT_NE(open_library(file, LibrarySearch::everywhere).handle, nullptr);
}

TEST_F(LibrarySearchTest, SaysWhatItTried) {
  EXPECT_THAT(open_library(file, LibrarySearch::everywhere).why,
              AllOf(HasSubstr(file), HasSubstr("by the linker's rules"), HasSubstr("in /nonexistent"),
                    HasSubstr("in " + folder_), HasSubstr("in /usr/local/cuda/lib64")));
}

TEST_F(LibrarySearchTest, NamesAFolderOnce) {
  setenv(library_folders_variable, "/usr/local/cuda/lib64", 1);
  const std::string why = open_library(file, LibrarySearch::everywhere).why;
  const std::size_t first = why.find("in /usr/local/cuda/lib64");
  ASSERT_NE(first, std::string::npos);
  EXPECT_EQ(why.find("in /usr/local/cuda/lib64", first + 1), std::string::npos) << why;
}

TEST_F(LibrarySearchTest, SaysWhyAFileIsNone) {
  std::ofstream(folder_ + "/" + file) << "not a library";
  EXPECT_THAT(open_library(file, LibrarySearch::everywhere).why, HasSubstr("file too short"));
}

}  // namespace
}  // namespace graphbench
