// Files of four lines: what it is, the key, the choice, and a checksum over the three.
#include "graphs/cuda/tuning/plan_cache.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string_view>

namespace graphbench::cuda {
namespace {

constexpr std::string_view first_line = "graphbench plan 1\n";
constexpr std::size_t file_size_max = 16384;

// FNV-1a, 64 bits: against damage, not against malice.
std::string hash_text(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  char digits[17];
  std::snprintf(digits, sizeof(digits), "%016llx", static_cast<unsigned long long>(hash));
  return digits;
}

std::string content_of(const std::string& key, const std::string& choice) {
  const std::string body = std::string(first_line) + "key " + key + "\nchoice " + choice + "\n";
  return body + "sum " + hash_text(body) + "\n";
}

void say_once(const std::filesystem::path& path, const std::string& why) {
  static bool said = false;
  if (said) return;
  said = true;
  std::fprintf(stderr, "graphbench: cuda: plan cache: cannot write %s: %s; choices are not kept\n",
               path.c_str(), why.c_str());
}

bool write_file(const std::filesystem::path& path, const std::string& content) {
  std::FILE* file = std::fopen(path.c_str(), "wxe");
  if (file == nullptr) return false;
  const bool written = std::fwrite(content.data(), 1, content.size(), file) == content.size();
  return std::fclose(file) == 0 && written;
}

}  // namespace

std::filesystem::path PlanCache::path_of(const std::string& key) const {
  return folder_ / (hash_text(key) + ".plan");
}

std::optional<std::string> PlanCache::refuse(const std::filesystem::path& path, const char* why) const {
  if (refused_.insert(path).second) {
    std::fprintf(stderr, "graphbench: cuda: plan cache: ignoring %s: %s; it will be replaced\n", path.c_str(),
                 why);
  }
  return std::nullopt;
}

std::optional<std::string> PlanCache::load(const std::string& key) const {
  if (folder_.empty()) return std::nullopt;
  const std::filesystem::path path = path_of(key);
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  std::string text(file_size_max, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(file.gcount()));
  const std::string before = std::string(first_line) + "key ";
  if (text.compare(0, first_line.size(), first_line) != 0)
    return refuse(path, "it is no plan of this version");
  const std::size_t choice_at = text.find("\nchoice ");
  const std::size_t sum_at = text.find("\nsum ");
  if (choice_at == std::string::npos || sum_at == std::string::npos || sum_at < choice_at + 8)
    return refuse(path, "it is damaged");
  const std::string choice = text.substr(choice_at + 8, sum_at - choice_at - 8);
  const std::size_t key_at = before.size();
  if (choice_at < key_at || content_of(text.substr(key_at, choice_at - key_at), choice) != text)
    return refuse(path, "it is damaged");
  if (text.compare(key_at, choice_at - key_at, key) != 0)
    return refuse(path, "it is about another device, library or shape");
  return choice;
}

std::string PlanCache::store(const std::string& key, const std::string& choice) const {
  if (folder_.empty()) return choice;
  const std::filesystem::path path = path_of(key);
  std::error_code error;
  std::filesystem::create_directories(folder_, error);
  if (error) {
    say_once(folder_, error.message());
    return choice;
  }
  const std::filesystem::path draft = path.string() + "." + std::to_string(getpid());
  std::filesystem::remove(draft, error);  // of a process that had this number and died
  if (!write_file(draft, content_of(key, choice))) {
    say_once(draft, std::strerror(errno));
    std::filesystem::remove(draft, error);
    return choice;
  }
  std::string standing = choice;
  // Linking fails where the name is taken, which renaming does not.
  if (link(draft.c_str(), path.c_str()) != 0) {
    const std::optional<std::string> theirs = load(key);
    if (theirs) {
      standing = *theirs;
    } else if (std::rename(draft.c_str(), path.c_str()) != 0) {
      say_once(path, std::strerror(errno));
    }
  }
  std::filesystem::remove(draft, error);
  return standing;
}

void PlanCache::remove(const std::string& key) const {
  std::error_code error;
  if (!folder_.empty()) std::filesystem::remove(path_of(key), error);
}

}  // namespace graphbench::cuda
