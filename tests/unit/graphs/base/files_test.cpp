// Tests that write_file_atomically() leaves the old file or the whole new one, under real failures.
#include "graphs/base/files.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <system_error>

#include "tests/support/temporary_folder.hpp"

namespace graphbench {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;

class WriteFile : public ::testing::Test {
 protected:
  fs::path path(const std::string& name) const { return folder_ / name; }
  static std::string read(const fs::path& file) { return test::read_file(file); }
  std::ptrdiff_t entries() const { return temporary_.entries(); }

  template <typename Action>
  static std::system_error error_of(Action action) {
    try {
      action();
    } catch (const std::system_error& error) {
      EXPECT_THAT(error.what(), Not(HasSubstr("\n")));
      return error;
    }
    ADD_FAILURE() << "nothing was thrown";
    return std::system_error(std::error_code());
  }

  const test::TemporaryFolder temporary_;
  const fs::path folder_ = temporary_.path();
};

TEST_F(WriteFile, WritesPartByPartAndKeepsTheOldFileWhereAPartFails) {
  const std::string large(700'000, 'x');
  write_file_atomically(path("r.json"), WriteParts([&](const auto& write) {
                          for (int i = 0; i < 3; ++i) write(large);
                        }));
  EXPECT_EQ(read(path("r.json")), large + large + large);
  const WriteParts fails = [](const auto& write) {
    write("half");
    throw std::runtime_error("no more");
  };
  EXPECT_THROW(write_file_atomically(path("r.json"), fails), std::runtime_error);
  EXPECT_EQ(read(path("r.json")).size(), 3 * large.size());
  EXPECT_EQ(entries(), 1);
}

TEST_F(WriteFile, WritesOverADraftThatAKilledWriterLeft) {
  std::ofstream(path("a.draft")) << "longer than what is written now";
  write_file_atomically(path("a.json"), "one", path("a.draft"));
  EXPECT_EQ(read(path("a.json")), "one");
  EXPECT_EQ(entries(), 1);
}

TEST_F(WriteFile, ReplacesTheFileInsteadOfWritingIntoIt) {
  write_file_atomically(path("a.json"), "one");
  std::ifstream reader(path("a.json"));
  write_file_atomically(path("a.json"), "two");
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(reader), {}), "one");
  EXPECT_EQ(read(path("a.json")), "two");
  EXPECT_EQ(entries(), 1);
}

TEST_F(WriteFile, KeepsThePermissionsOfTheFileThatItReplaces) {
  const auto mode_of = [&](const char* name) { return fs::status(path(name)).permissions(); };
  using enum fs::perms;
  for (const fs::perms mode : {owner_read | owner_write, owner_all | group_read | others_read}) {
    write_file_atomically(path("a.json"), "one");
    fs::permissions(path("a.json"), mode);
    write_file_atomically(path("a.json"), "two");
    EXPECT_EQ(read(path("a.json")), "two");
    EXPECT_EQ(mode_of("a.json"), mode);
    write_file_atomically(path("a.json"), "three", path("a.draft"));
    EXPECT_EQ(mode_of("a.json"), mode);
    check_writable(path("a.json"));
    EXPECT_EQ(mode_of("a.json"), mode);
  }
  const mode_t before = ::umask(022);
  write_file_atomically(path("new.json"), "one");
  ::umask(before);
  EXPECT_EQ(mode_of("new.json"), owner_read | owner_write | group_read | others_read);
}

// RLIMIT_FSIZE makes write() fail part-way, as a full disk does.
TEST_F(WriteFile, KeepsTheOldFileWhereWritingFails) {
  write_file_atomically(path("a.json"), "old");
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  rlimit small = before;
  small.rlim_cur = 1000;
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  const std::system_error error =
      error_of([&] { write_file_atomically(path("a.json"), std::string(100'000, 'x')); });
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  std::signal(SIGXFSZ, handler);
  EXPECT_EQ(error.code().value(), EFBIG);
  EXPECT_EQ(read(path("a.json")), "old");
  EXPECT_EQ(entries(), 1);
}

TEST_F(WriteFile, NamesAFullDisk) {
  const std::system_error error = error_of([] { write_file_atomically("/dev/full", "text"); });
  EXPECT_EQ(error.code().value(), ENOSPC);
  EXPECT_THAT(error.what(), HasSubstr("/dev/full"));
}

TEST_F(WriteFile, FollowsASymbolicLink) {
  write_file_atomically(path("real.json"), "one");
  fs::create_symlink("real.json", path("link.json"));
  write_file_atomically(path("link.json"), "two");
  EXPECT_TRUE(fs::is_symlink(path("link.json")));
  EXPECT_EQ(read(path("real.json")), "two");
}

TEST_F(WriteFile, LeavesDevicesInPlace) {
  write_file_atomically("/dev/null", "text");
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
  EXPECT_NO_THROW(check_writable("/dev/null"));
}

TEST_F(WriteFile, NamesAMissingFolder) {
  const fs::path file = path("missing") / "a.json";
  const std::system_error error = error_of([&] { check_writable(file); });
  EXPECT_EQ(error.code().value(), ENOENT);
  EXPECT_THAT(error.what(), HasSubstr("create the folder '" + path("missing").string() + "'"));
  error_of([&] { write_file_atomically(file, "text"); });
}

TEST_F(WriteFile, RefusesAFolderAndAPlaceThatTakesNoFiles) {
  EXPECT_EQ(error_of([&] { check_writable(folder_); }).code().value(), EISDIR);
  EXPECT_EQ(error_of([&] { check_writable(folder_ / ""); }).code().value(), EINVAL);
  EXPECT_EQ(error_of([] { check_writable(""); }).code().value(), EINVAL);
  // /proc takes no new files, not even from root.
  const std::system_error error = error_of([] { check_writable("/proc/graphbench.json"); });
  EXPECT_THAT(error.what(), HasSubstr("/proc/graphbench.json"));
  write_file_atomically(path("file"), "text");
  EXPECT_EQ(error_of([&] { check_writable(path("file") / "a.json"); }).code().value(), ENOTDIR);
}

TEST_F(WriteFile, ChecksWithoutATrace) {
  check_writable(path("a.json"));
  EXPECT_EQ(entries(), 0);
  write_file_atomically(path("a.json"), "old");
  check_writable(path("a.json"));
  EXPECT_EQ(read(path("a.json")), "old");
  EXPECT_EQ(entries(), 1);
}

TEST_F(WriteFile, LeftoversOfKilledWritersAreRemovedAndBlockNothing) {
  const std::string ours = ".a.json." + std::to_string(::getpid()) + ".tmp";
  for (const std::string& name : {ours, std::string(".a.json.0badcafe.tmp")}) temporary_.write(name, "half");
  for (const char* others : {".b.json.1.tmp", ".a.json.x.tmp", ".a.json.tmp", ".a.json.1.2.tmp"})
    temporary_.write(others, "a user's");
  write_file_atomically(path("a.json"), "whole");
  EXPECT_EQ(read(path("a.json")), "whole");
  EXPECT_EQ(entries(), 1 + 4);
}

TEST_F(WriteFile, WritersOfOneTargetLeaveEachOthersFilesAlone) {
  write_file_atomically(path("a.json"), WriteParts([&](const auto& write) {
                          write("first");
                          write_file_atomically(path("a.json"), "second");
                          check_writable(path("a.json"));
                        }));
  EXPECT_EQ(read(path("a.json")), "first") << "it was renamed last";
  EXPECT_EQ(entries(), 1);
}

TEST_F(WriteFile, APipeWithoutAReaderIsRefusedAndNotWaitedFor) {
  ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0600), 0);
  EXPECT_THAT(error_of([&] { check_writable(path("pipe")); }).what(), HasSubstr("the pipe has no reader"));
  error_of([&] { write_file_atomically(path("pipe"), "text"); });
  const int reader = ::open(path("pipe").c_str(), O_RDONLY | O_NONBLOCK);
  check_writable(path("pipe"));
  char text[8];
  EXPECT_EQ(::read(reader, text, sizeof text), -1) << "no end is seen before the text";
  write_file_atomically(path("pipe"), "text");
  EXPECT_EQ(::read(reader, text, sizeof text), 4);
  ::close(reader);
}

TEST_F(WriteFile, AcceptsANameWithoutAFolder) {
  const fs::path before = fs::current_path();
  fs::current_path(folder_);
  write_file_atomically("plain.json", "text");
  fs::current_path(before);
  EXPECT_EQ(read(path("plain.json")), "text");
}

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
  EXPECT_EQ(read_whole_file(folder.file("none"), mib).error, ENOENT);
  EXPECT_EQ(read_whole_file(folder.path(), mib).error, 0);
  EXPECT_EQ(read_whole_file(folder.path(), mib).why_not, "cannot be read: the path is a directory");
  EXPECT_EQ(read_whole_file("/dev/zero", mib).why_not, "cannot be read: the file is a device");
}

TEST(WholeFile, APipeIsReadWhereItHasAWriterAndNotWaitedFor) {
  const test::TemporaryFolder folder;
  ASSERT_EQ(mkfifo(folder.file("pipe").c_str(), 0600), 0);
  EXPECT_EQ(read_whole_file(folder.file("pipe"), mib).why_not, "cannot be read: the pipe has no writer");
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  ASSERT_EQ(write(ends[1], "text", 4), 4);
  close(ends[1]);
  EXPECT_EQ(read_whole_file("/dev/fd/" + std::to_string(ends[0]), mib).text, "text");
  close(ends[0]);
}

TEST(ModuleDirectory, IsTheEnvironmentsOrBesideTheLibraries) {
  const char* before = std::getenv("GRAPHBENCH_MODULE_DIR");
  const std::string kept = before != nullptr ? before : "";
  setenv("GRAPHBENCH_MODULE_DIR", "/some/where", 1);
  EXPECT_EQ(module_directory(), "/some/where");
  unsetenv("GRAPHBENCH_MODULE_DIR");
  const auto tests = std::filesystem::read_symlink("/proc/self/exe").parent_path();
  EXPECT_EQ(module_directory(), (tests.parent_path() / "lib/graphbench").string());
  EXPECT_EQ(own_directory(), module_directory());
  if (before != nullptr) setenv("GRAPHBENCH_MODULE_DIR", kept.c_str(), 1);
}

}  // namespace
}  // namespace graphbench
