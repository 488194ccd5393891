// Whole files up to a bound, and one line for what is none or larger.
#include "graphs/base/whole_file.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/support/temporary_folder.hpp"

namespace graphbench::model {
namespace {

constexpr std::size_t mib = std::size_t{1} << 20;

TEST(WholeFile, IsReadUpToItsBoundAndNotBeyond) {
  const test::TemporaryFolder folder;
  EXPECT_EQ(read_whole_file(folder.write("empty", ""), mib).why_not, "");
  const WholeFile most = read_whole_file(folder.write("most", std::string(mib, 'x')), mib);
  EXPECT_EQ(most.why_not, "");
  EXPECT_EQ(most.text, std::string(mib, 'x'));
  const WholeFile more = read_whole_file(folder.write("more", std::string(mib + 1, 'x')), mib);
  EXPECT_EQ(more.why_not, "has more than 1 MiB");
  EXPECT_EQ(more.text, "");
}

TEST(WholeFile, AFileThatDoesNotKnowItsSizeIsReadToItsEnd) {
  const WholeFile read = read_whole_file("/proc/self/stat", mib);
  EXPECT_EQ(read.why_not, "");
  EXPECT_TRUE(read.text.ends_with("\n"));
}

TEST(WholeFile, WhatIsNoFileIsSaid) {
  const test::TemporaryFolder folder;
  EXPECT_EQ(read_whole_file(folder.file("none"), mib).why_not, "cannot be read: No such file or directory");
  EXPECT_EQ(read_whole_file(folder.path(), mib).why_not, "cannot be read: it is a directory");
  EXPECT_EQ(read_whole_file("/dev/zero", mib).why_not, "cannot be read: it is a device");
}

TEST(WholeFile, APipeIsReadWhereItHasAWriterAndNotWaitedFor) {
  const test::TemporaryFolder folder;
  ASSERT_EQ(mkfifo(folder.file("pipe").c_str(), 0600), 0);
  EXPECT_EQ(read_whole_file(folder.file("pipe"), mib).why_not,
            "cannot be read: it is a pipe without a writer");
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  ASSERT_EQ(write(ends[1], "text", 4), 4);
  close(ends[1]);
  EXPECT_EQ(read_whole_file("/dev/fd/" + std::to_string(ends[0]), mib).text, "text");
  close(ends[0]);
}

}  // namespace
}  // namespace graphbench::model
