// The first document says what the others must be; two threads take the others in turns.
#include "harness/verdict/fleet/read_replicas.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <exception>
#include <future>
#include <limits>
#include <mutex>
#include <set>
#include <string_view>
#include <unordered_map>

#include "harness/codec/document_file.hpp"
#include "harness/codec/documents.hpp"
#include "harness/codec/parse_document.hpp"
#include "harness/model/input_error.hpp"
#include "harness/statistics/quantiles.hpp"
#include "harness/verdict/compare/facts.hpp"
#include "harness/verdict/compare/read_side.hpp"

namespace graphbench::fleet {
namespace {

// Every replica has another host, device and time; of the rest people want to know.
const std::set<std::string> always_other = {"hostname", "device.uuid"};

double log_median(const codec::DocumentCell& cell, model::Metric metric) {
  std::vector<double> times;
  for (const codec::LaunchTimes& launch : cell.launches) {
    if (launch[metric] > 0) times.push_back(launch[metric]);
  }
  if (times.empty()) return std::numeric_limits<double>::quiet_NaN();
  return std::log(statistics::median(std::move(times)));
}

class Reader {
 public:
  Reader(const std::vector<std::string>& files, const std::vector<std::string>& allow)
      : files_(files), allow_(allow) {
    const codec::PaddedText text = codec::read_text(files.front());
    first_ = codec::parse_document(text.view(), files.front());
    const model::Result result = codec::read_result(text.view(), files.front());
    made_.device_name = result.environment.device.name;
    made_.plan_hash = result.plan.hash;
    for (const model::CellResult& cell : result.cells) {
      columns_.emplace(model::id_of(cell.cell), made_.cells.size());
      made_.cells.push_back(cell.cell);
    }
    made_.documents.resize(files.size());
    made_.device.assign(files.size() * made_.cells.size(), std::numeric_limits<double>::quiet_NaN());
    made_.submit = made_.device;
  }

  Replicas read() {
    std::future<void> other = std::async(std::launch::async, [this] { take_turns(); });
    take_turns();
    other.get();
    if (error_) std::rethrow_exception(error_);
    check_copies();
    return std::move(made_);
  }

 private:
  // Whichever thread fails first, the first file that is wrong is named: all before it have been taken.
  void take_turns() {
    for (std::size_t i = next_++; i < files_.size(); i = next_++) {
      try {
        read(i);
      } catch (...) {
        const std::scoped_lock lock(mutex_);
        if (i < failed_) error_ = std::current_exception();
        failed_ = std::min(failed_, i);
        next_ = files_.size();
      }
    }
  }

  void read(std::size_t i) {
    const std::string& path = files_[i];
    const codec::PaddedText text = codec::read_text(path);
    if (text.view().find("\"shards\":") != std::string_view::npos)
      throw InputError(path, "it is merged of several devices' shards: give documents of one device each");
    const codec::Document document = codec::parse_document(text.view(), path);
    check(document);
    const codec::DocumentFacts& facts = document.facts;
    Replica& replica = made_.documents[i];
    replica.source = path;
    replica.node = facts.field("hostname");
    replica.gpu = facts.field("device.uuid");
    if (facts.field("device.kind") == "host") replica.gpu = replica.node + replica.gpu;
    replica.started_at = facts.started_at;
    if (replica.gpu.empty() || replica.node.empty()) {
      throw InputError(path, std::string("it has no ") + (replica.node.empty() ? "hostname" : "device.uuid") +
                                 ", so it is not known which device it is of: measure it again");
    }
    add_times(i, document);
  }

  void check(const codec::Document& document) {
    for (const model::Difference& each : compare::differences_of(first_.facts, document.facts, allow_)) {
      if (each.blocking && !each.allowed) {
        throw InputError(document.source, "its " + each.field + " is " + in_quotes(each.now) + ", and " +
                                              in_quotes(each.base) + " in " + in_quotes(first_.source) +
                                              ": a fleet has one plan, method and kind of device");
      }
      if (always_other.contains(each.field)) continue;
      const std::scoped_lock lock(mutex_);
      ++made_.differences[each.field];
    }
  }

  void add_times(std::size_t i, const codec::Document& document) {
    if (document.cells.size() != made_.cells.size()) {
      throw InputError(document.source, "it has " + std::to_string(document.cells.size()) + " cells, and " +
                                            in_quotes(first_.source) + " has " +
                                            std::to_string(made_.cells.size()) +
                                            ": a replica has the whole plan; merge task shards first");
    }
    bool any = false;
    for (const codec::DocumentCell& cell : document.cells) {
      const auto column = columns_.find(cell.id);
      if (column == columns_.end())
        throw InputError(document.source, "cell " + in_quotes(cell.id) + " is not in " +
                                              in_quotes(first_.source) + ": a fleet has one plan");
      if (cell.state == codec::CellState::failed) ++made_.documents[i].cells_failed;
      if (cell.state != codec::CellState::ok || cell.elsewhere) continue;
      any = true;
      const std::size_t at = i * made_.cells.size() + column->second;
      made_.device[at] = log_median(cell, model::Metric::device);
      made_.submit[at] = log_median(cell, model::Metric::submit);
    }
    if (!any)
      throw InputError(document.source, "it has no cell that was measured on its device: leave it out");
  }

  std::string_view row_of(const std::vector<double>& table, std::size_t i) const {
    const std::size_t bytes = made_.cells.size() * sizeof(double);
    return {reinterpret_cast<const char*>(table.data()) + i * bytes, bytes};
  }

  // One launch in a folder twice would count twice, under whatever name.
  void check_copies() const {
    std::unordered_map<std::string_view, std::size_t> seen;
    for (std::size_t i = 0; i < files_.size(); ++i) {
      const auto [same, is_new] = seen.try_emplace(row_of(made_.submit, i), i);
      if (is_new || row_of(made_.device, i) != row_of(made_.device, same->second)) continue;
      throw InputError(files_[i],
                       "it holds the same launches as " + in_quotes(files_[same->second]) + ": remove one");
    }
  }

  const std::vector<std::string>& files_;
  const std::vector<std::string>& allow_;
  codec::Document first_;
  std::unordered_map<std::string, std::size_t> columns_;
  Replicas made_;  // threads write rows of their own
  std::atomic<std::size_t> next_ = 0;
  std::mutex mutex_;  // over what follows, and differences
  std::size_t failed_ = std::numeric_limits<std::size_t>::max();
  std::exception_ptr error_;
};

}  // namespace

Replicas read_replicas(const std::vector<std::string>& files, const std::vector<std::string>& allow) {
  compare::check_names(files);
  return Reader(files, allow).read();
}

}  // namespace graphbench::fleet
