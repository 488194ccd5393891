// Runs graphbench cache, which lists and checks the cache's entries, and removes old ones.
#include <chrono>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "graphs/base/text.hpp"
#include "graphs/device/cache/folder.hpp"
#include "harness/model/exit_codes.hpp"
#include "harness/options/command.hpp"
#include "harness/options/numbers.hpp"
#include "harness/options/output.hpp"

namespace graphbench::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* verify_footer =
    "Exit codes: 0 every entry is sound; 2 bad usage or input; 10 some entries are unusable: they are\n"
    "refused and made again when needed.\n";

std::string dump(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace);
}

std::int64_t unix_seconds(std::filesystem::file_time_type time) {
  const auto on_system_clock = std::chrono::file_clock::to_sys(time);
  return std::chrono::duration_cast<std::chrono::seconds>(on_system_clock.time_since_epoch()).count();
}

std::string purpose_of(const cache::Content& content) {
  std::string text;
  for (const auto& [name, value] : content.parts) {
    if (!value.empty()) text += (text.empty() ? "" : ", ") + name + " " + value;
  }
  return text;
}

std::chrono::seconds age_of(const std::string& text) {
  using std::chrono::hours;
  const auto refuse = [&]() -> std::chrono::seconds {
    throw InputError("--older-than", in_quotes(text) + " is not an age: give e.g. 30d, 12h, 90m or 60s");
  };
  if (text.empty()) return refuse();
  const options::ParsedInteger number = options::parse_integer(text.substr(0, text.size() - 1));
  constexpr std::int64_t years_max = 100;
  if (number.fault != options::NumberFault::none || number.value < 0) return refuse();
  for (const auto& [letter, seconds] : {std::pair{'s', 1}, {'m', 60}, {'h', 3600}, {'d', 86400}}) {
    if (text.back() != letter) continue;
    if (number.value > years_max * 365 * 86400 / seconds) return refuse();
    return std::chrono::seconds(number.value * seconds);
  }
  return refuse();
}

class CacheCommand final : public options::Command {
 public:
  explicit CacheCommand(options::Options& options)
      : list_(options.command("list", "list the kept entries with their purpose, least recently used first",
                              "cache list [options]")),
        verify_(options.command("verify", "read every entry, and list the unusable entries",
                                "cache verify [options]")),
        prune_(options.command(
            "prune", "remove the least recently used entries, and leftover files of killed processes",
            "cache prune [--max-bytes N] [--older-than AGE] [options]")) {
    for (options::Options* each : {&list_, &verify_, &prune_}) {
      each->text("--cache", folder_, "DIR",
                 "the cache's folder (default: GRAPHBENCH_PLAN_CACHE, else graphbench/plans in ~/.cache)");
    }
    list_.text("--format", format_, "FORMAT", "table or json (default: table)");
    verify_.footer(verify_footer);
    prune_.text("--max-bytes", bytes_max_, "N", "remove entries until no more than N bytes are left");
    prune_.text("--older-than", age_max_, "AGE",
                "remove entries that were not used for this long: 30d, 12h, 90m, 60s");
  }

  void check() override {
    if (!list_.parsed() && !verify_.parsed() && !prune_.parsed())
      throw InputError("cache", "the command needs an action: give list, verify or prune");
    json_ = options::is_json(format_);
    if (!prune_.parsed()) return;
    if (bytes_max_.empty() && age_max_.empty())
      throw InputError("cache prune", "the command needs a limit: give --max-bytes N or --older-than AGE");
    if (!bytes_max_.empty())
      limits_.bytes_max = static_cast<std::uintmax_t>(options::parse_within(
          "--max-bytes", bytes_max_, {0, INT64_MAX}, " is not a number of bytes: give "));
    if (!age_max_.empty()) limits_.age_max = age_of(age_max_);
  }

  int run(const options::Invocation&) override {
    const std::filesystem::path folder =
        folder_.empty() ? cache::folder_from_environment() : std::filesystem::path(folder_);
    if (folder.empty())
      throw InputError("cache", "GRAPHBENCH_PLAN_CACHE or --cache is off: give a folder with --cache DIR");
    if (std::error_code error; !folder_.empty() && !std::filesystem::is_directory(folder, error))
      throw InputError(
          "--cache",
          in_quotes(folder_) + " is not a folder: give a folder in which a sweep kept library choices");
    if (list_.parsed()) return list(folder);
    return verify_.parsed() ? verify(folder) : prune(folder);
  }

 private:
  int list(const std::filesystem::path& folder) const {
    Json document = {{"folder", folder.string()}, {"entries", Json::array()}, {"refused", Json::array()}};
    std::uintmax_t bytes = 0;
    const std::vector<cache::KeptFile> files = cache::files_in(folder);
    for (const cache::KeptFile& file : files) {
      const cache::Content content = cache::content_of(file.path);
      const std::string name = file.path.filename().string();
      bytes += file.bytes;
      if (!content.why_not.empty()) {
        document["refused"].push_back({{"file", name}, {"reason", content.why_not}});
        if (!json_) std::printf("refused  %s: %s\n", name.c_str(), content.why_not.c_str());
        continue;
      }
      Json parts = Json::object();
      for (const auto& [part, value] : content.parts) parts[part] = value;
      document["entries"].push_back({{"file", name},
                                     {"kind", content.kind},
                                     {"for", parts},
                                     {"bytes", file.bytes},
                                     {"seconds", content.seconds ? Json(*content.seconds) : Json(nullptr)},
                                     {"used_at", unix_seconds(file.used)}});
      if (json_) continue;
      const std::string seconds = content.seconds ? std::to_string(*content.seconds) + " s" : "-";
      std::printf("%-8s %8ju B %12s  %s\n", content.kind.c_str(), file.bytes, seconds.c_str(),
                  purpose_of(content).c_str());
    }
    if (json_) {
      std::printf("%s\n", dump(document).c_str());
    } else {
      std::printf("%zu files, %ju bytes in %s\n", files.size(), bytes, folder.c_str());
    }
    return model::exit_done;
  }

  static int verify(const std::filesystem::path& folder) {
    std::size_t bad = 0;
    const std::vector<cache::KeptFile> files = cache::files_in(folder);
    for (const cache::KeptFile& file : files) {
      const cache::Content content = cache::content_of(file.path);
      if (content.why_not.empty()) continue;
      ++bad;
      std::printf("%s: %s\n", file.path.c_str(), content.why_not.c_str());
    }
    std::printf("%zu files in %s, %zu of them unusable\n", files.size(), folder.c_str(), bad);
    return bad == 0 ? model::exit_done : model::exit_slower;
  }

  int prune(const std::filesystem::path& folder) const {
    cache::remove_leftovers(folder);
    const cache::Removed removed = cache::remove_unused(folder, limits_);
    std::printf("removed %lld files, %ju bytes, from %s\n", static_cast<long long>(removed.files),
                removed.bytes, folder.c_str());
    return model::exit_done;
  }

  std::string folder_;
  std::string format_ = "table";
  std::string bytes_max_;
  std::string age_max_;
  bool json_ = false;
  cache::Limits limits_;
  options::Options& list_;
  options::Options& verify_;
  options::Options& prune_;
};

}  // namespace

std::unique_ptr<options::Command> make_cache(options::Options& options) {
  return std::make_unique<CacheCommand>(options);
}

}  // namespace graphbench::cli
