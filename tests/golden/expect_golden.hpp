// Compares a text with a file of tests/golden. GRAPHBENCH_UPDATE_GOLDEN=1 writes it: review it with git.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace graphbench {

inline void expect_golden(const std::string& name, const std::string& text) {
  const std::string path = std::string(GRAPHBENCH_GOLDEN_FOLDER) + "/" + name;
  if (std::getenv("GRAPHBENCH_UPDATE_GOLDEN") != nullptr) {
    std::filesystem::create_directories(std::filesystem::path(path).parent_path());
    std::ofstream file(path, std::ios::binary);
    file << text;
    ASSERT_TRUE(file.flush().good()) << path;
    return;
  }
  std::ifstream file(path, std::ios::binary);
  ASSERT_TRUE(file.good()) << path << " is missing";
  const std::string expected((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  EXPECT_EQ(text, expected) << "if the change is wanted: GRAPHBENCH_UPDATE_GOLDEN=1, then review " << path;
}

}  // namespace graphbench
