// Writes each column as a NumPy array (numpy.lib.format, version 1.0) and the arrays as an archive. Writes
// traces: complete events ("X") for spans, metadata events ("M") for names of processes and threads.
#include "harness/sweep/report/sample_file.hpp"

#include <zip.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

namespace graphbench::sweep {
namespace {

static_assert(std::endian::native == std::endian::little, "the elements are written as they lie in memory");

// The bytes before the elements: a magic string, and a header with type, byte order and shape. The header
// ends with blanks, so that the elements begin at a multiple of 64 bytes, and a newline.
std::string header(const std::string& type, std::size_t count) {
  std::string text =
      "{'descr': '" + type + "', 'fortran_order': False, 'shape': (" + std::to_string(count) + ",), }";
  constexpr std::size_t fixed_bytes = 10;
  text.append(63 - (fixed_bytes + text.size()) % 64, ' ');
  text += '\n';
  std::string head("\x93NUMPY\x01\x00", 8);
  head += static_cast<char>(text.size() & 0xFF);
  head += static_cast<char>(text.size() >> 8);
  return head + text;
}

template <typename T>
std::string array(const std::string& type, const std::vector<T>& values) {
  std::string file = header(type, values.size());
  const std::size_t begin = file.size();
  file.resize(begin + values.size() * sizeof(T));
  if (!values.empty()) std::memcpy(file.data() + begin, values.data(), values.size() * sizeof(T));
  return file;
}

// Returns an array of fixed-width bytes, numpy's dtype 'S', padded with NUL.
std::string texts(const std::vector<std::string>& values) {
  std::size_t width = 1;
  for (const std::string& value : values) width = std::max(width, value.size());
  std::string file = header("|S" + std::to_string(width), values.size());
  for (const std::string& value : values) {
    file += value;
    file.append(width - value.size(), '\0');
  }
  return file;
}

struct SampleColumns {
  std::vector<std::int32_t> cell;
  std::vector<std::int32_t> launch;
  std::vector<std::uint8_t> pass;
  std::vector<std::uint8_t> placement;
  std::vector<std::int32_t> order;
  std::vector<std::int64_t> started_ns;
  std::vector<double> seconds;
  std::vector<double> submit_seconds;
  std::vector<std::uint8_t> throttled;
};

struct RowKey {
  std::size_t cell = 0;
  std::int64_t launch = 0;
  std::uint8_t pass = 0;
  bool throttled = false;
  const model::Launch& of;
};

std::vector<std::uint8_t> placements_of(const RowKey& key, std::size_t samples) {
  std::vector<std::uint8_t> placements;
  for (std::size_t i = 0; i < key.of.placements.size(); ++i) {
    const model::LaunchPlacement& each = key.of.placements[i];
    placements.insert(placements.end(),
                      static_cast<std::size_t>(key.pass == 0 ? each.latency_samples : each.device_samples),
                      static_cast<std::uint8_t>(i + 1));
  }
  const std::size_t ramp = samples - std::min(samples, placements.size());
  placements.insert(placements.begin(), ramp, 0);
  return placements;
}

void add_sample_rows(SampleColumns& columns, const RowKey& key, const std::vector<double>& seconds,
                     const std::vector<std::int64_t>& started_ns, const std::vector<double>* submit_seconds) {
  const std::vector<std::uint8_t> placements = placements_of(key, seconds.size());
  for (std::size_t i = 0; i < seconds.size(); ++i) {
    columns.placement.push_back(placements.at(i));
    columns.cell.push_back(static_cast<std::int32_t>(key.cell));
    columns.launch.push_back(static_cast<std::int32_t>(key.launch));
    columns.pass.push_back(key.pass);
    columns.order.push_back(static_cast<std::int32_t>(i));
    columns.started_ns.push_back(started_ns.at(i));
    columns.seconds.push_back(seconds[i]);
    columns.submit_seconds.push_back(submit_seconds != nullptr ? submit_seconds->at(i)
                                                               : std::numeric_limits<double>::quiet_NaN());
    columns.throttled.push_back(key.throttled ? 1 : 0);
  }
}

SampleColumns sample_columns(const model::Result& result) {
  SampleColumns columns;
  for (std::size_t i = 0; i < result.cells.size(); ++i) {
    for (const model::Launch& launch : result.cells[i].launches) {
      const bool throttled = launch.machine && launch.machine->throttled;
      add_sample_rows(columns, {i, launch.index, 0, throttled, launch}, launch.latency_samples,
                      launch.latency_started_ns, &launch.submit_samples);
      add_sample_rows(columns, {i, launch.index, 1, throttled, launch}, launch.device_samples,
                      launch.device_started_ns, nullptr);
    }
  }
  return columns;
}

// An archive in memory. libzip reads the contents when the archive is closed, so they must live until then.
class MemoryArchive {
 public:
  MemoryArchive() {
    zip_error_init(&error_);
    buffer_ = zip_source_buffer_create(nullptr, 0, 1, &error_);
    if (buffer_ == nullptr) fail("begin");
    zip_source_keep(buffer_);  // keeps a reference for reading the bytes after zip_close
    archive_ = zip_open_from_source(buffer_, ZIP_TRUNCATE, &error_);
    if (archive_ == nullptr) {
      zip_source_free(buffer_);
      fail("open");
    }
  }
  ~MemoryArchive() {
    if (archive_ != nullptr) zip_discard(archive_);
    if (buffer_ != nullptr) zip_source_free(buffer_);
    zip_error_fini(&error_);
  }
  MemoryArchive(const MemoryArchive&) = delete;
  MemoryArchive& operator=(const MemoryArchive&) = delete;

  void add(const std::string& name, const std::string& contents) {
    zip_source_t* source = zip_source_buffer(archive_, contents.data(), contents.size(), 0);
    if (source == nullptr) fail_archive("add " + name);
    const zip_int64_t index = zip_file_add(archive_, name.c_str(), source, ZIP_FL_ENC_UTF_8);
    if (index < 0) {
      zip_source_free(source);
      fail_archive("add " + name);
    }
  }

  std::string finish() {
    if (zip_close(archive_) != 0) fail_archive("close");
    archive_ = nullptr;
    if (zip_source_open(buffer_) != 0 || zip_source_seek(buffer_, 0, SEEK_END) != 0) fail("read back");
    const zip_int64_t size = zip_source_tell(buffer_);
    if (size < 0 || zip_source_seek(buffer_, 0, SEEK_SET) != 0) fail("read back");
    std::string bytes(static_cast<std::size_t>(size), '\0');
    const zip_int64_t got = zip_source_read(buffer_, bytes.data(), bytes.size());
    if (got != size || zip_source_close(buffer_) != 0) fail("read back");
    return bytes;
  }

 private:
  [[noreturn]] void fail(const std::string& step) {
    throw std::runtime_error("sample file: " + step + ": " + zip_error_strerror(&error_));
  }
  [[noreturn]] void fail_archive(const std::string& step) {
    throw std::runtime_error("sample file: " + step + ": " + zip_strerror(archive_));
  }

  zip_error_t error_{};
  zip_source_t* buffer_ = nullptr;
  zip_t* archive_ = nullptr;
};

using Json = nlohmann::ordered_json;

constexpr std::array<std::string_view, 2> tracks = {"host", "device"};

std::size_t thread_of(std::string_view track) {
  return static_cast<std::size_t>(std::ranges::find(tracks, track) - tracks.begin()) + 1;
}

double first_start(const std::vector<model::TraceProcess>& processes) {
  double first = std::numeric_limits<double>::infinity();
  for (const model::TraceProcess& process : processes) {
    for (const model::TraceSpan& span : process.spans) first = std::min(first, span.start_seconds);
  }
  return first;
}

// Rounds to nanoseconds, the resolution of the clocks: more digits would be rounding errors.
double microseconds(double seconds) {
  return static_cast<double>(static_cast<std::int64_t>(seconds * 1e9 + 0.5)) / 1e3;
}

Json name_event(const char* what, std::size_t process, std::size_t thread, std::string_view name) {
  return {{"ph", "M"}, {"name", what}, {"pid", process}, {"tid", thread}, {"args", {{"name", name}}}};
}

}  // namespace

std::string to_sample_file(const model::Result& result) {
  const SampleColumns columns = sample_columns(result);
  std::vector<std::string> ids;
  for (const model::CellResult& cell : result.cells) ids.push_back(model::id_of(cell.cell));
  const std::vector<std::pair<std::string, std::string>> parts = {
      {"cells.npy", texts(ids)},
      {"passes.npy", texts({"latency", "device"})},
      {"cell.npy", array("<i4", columns.cell)},
      {"launch.npy", array("<i4", columns.launch)},
      {"pass.npy", array("|u1", columns.pass)},
      {"order.npy", array("<i4", columns.order)},
      {"started_ns.npy", array("<i8", columns.started_ns)},
      {"seconds.npy", array("<f8", columns.seconds)},
      {"submit_seconds.npy", array("<f8", columns.submit_seconds)},
      {"placement.npy", array("|u1", columns.placement)},
      {"throttled.npy", array("|u1", columns.throttled)},
  };
  MemoryArchive archive;
  for (const auto& [name, contents] : parts) archive.add(name, contents);
  return archive.finish();
}

std::string to_chrome_trace(const std::vector<model::TraceProcess>& processes) {
  const double origin = first_start(processes);
  std::string document = "[";
  const char* separator = "\n";
  const auto add = [&](const Json& event) {
    document += separator;
    document += event.dump(-1, ' ', false, Json::error_handler_t::replace);
    separator = ",\n";
  };
  for (std::size_t i = 0; i < processes.size(); ++i) {
    const std::size_t pid = i + 1;
    add(name_event("process_name", pid, 0, processes[i].name));
    for (const std::string_view track : tracks) add(name_event("thread_name", pid, thread_of(track), track));
    for (const model::TraceSpan& span : processes[i].spans) {
      add({{"ph", "X"},
           {"name", span.name},
           {"cat", span.track},
           {"pid", pid},
           {"tid", thread_of(span.track)},
           {"ts", microseconds(span.start_seconds - origin)},
           {"dur", microseconds(span.seconds)}});
    }
  }
  return document + "\n]\n";
}

}  // namespace graphbench::sweep
