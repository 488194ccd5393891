// Writes the conclusions on what limits an eager step: the device's idle time, and the CPU time of
// enqueueing.
#include <fmt/format.h>

#include <string>
#include <utility>

#include "graphs/base/text.hpp"
#include "harness/model/axes.hpp"
#include "harness/model/findings/groups.hpp"
#include "harness/model/vocabulary.hpp"
#include "reporters/format.hpp"

namespace graphbench::model {
namespace {

// Batches in ascending order, each with a share of eager's latency.
struct Shares {
  std::vector<std::int64_t> batches;
  std::vector<double> of_latency;

  void add(std::int64_t batch, double share) {
    batches.push_back(batch);
    of_latency.push_back(share);
  }
  // "76 %" or, from the first batch to the last, "76 % to 51 %".
  std::string text() const {
    const std::string first = fmt::format("{:.0f} %", 100 * of_latency.front());
    const std::string last = fmt::format("{:.0f} %", 100 * of_latency.back());
    return first == last ? first : first + " to " + last;
  }
};

void conclude_idle_time(const CellGroup& group, std::vector<Conclusion>& conclusions) {
  Conclusion conclusion = group.conclusion("bound");
  Shares all, launch, between, device;
  for (const std::int64_t batch : group.batches) {
    const CellResult* eager = group.at(batch, reference_mode().name);
    if (eager == nullptr || !eager->summary.launch_bound) continue;
    const double idle = *eager->summary.launch_bound;
    all.add(batch, idle);
    (idle >= launch_bound_share ? launch : idle > device_bound_share ? between : device).add(batch, idle);
    conclusion.cells.push_back(id_of(eager->cell));
  }
  if (all.batches.empty()) return;
  const char* of_latency = " of eager's latency";  // once in the sentence
  std::string& text = conclusion.text;
  for (const auto& [name, bound] : {std::pair{"launch-bound", &launch}, {"device-bound", &device}}) {
    if (bound->batches.empty()) continue;
    text += text.empty() ? "Steps are " : " and ";
    text += fmt::format("{} at batch {} (the device idles {}{})", name, group.batches_text(bound->batches),
                        bound->text(), std::exchange(of_latency, ""));
  }
  if (!between.batches.empty()) {
    text += text.empty() ? "The device idles " : "; it idles ";
    text += between.text() + of_latency + " at batch " + group.batches_text(between.batches);
  }
  conclusion.figures = {{"idle_first", all.of_latency.front()}, {"idle_last", all.of_latency.back()}};
  const CellResult* eager = group.at(all.batches.front(), reference_mode().name);
  if (eager->summary.predicted_gain) {
    text += fmt::format("; from its kernels alone, one graph is predicted to gain {} over eager at batch {}",
                        reporters::format_ratio(*eager->summary.predicted_gain), all.batches.front());
    conclusion.figures["predicted_gain"] = *eager->summary.predicted_gain;
  }
  text += ".";
  conclusions.push_back(std::move(conclusion));
}

void conclude_enqueueing(const CellGroup& group, std::vector<Conclusion>& conclusions) {
  Conclusion conclusion = group.conclusion("enqueueing");
  Shares shares;
  for (const std::int64_t batch : group.batches) {
    const CellResult* eager = group.at(batch, reference_mode().name);
    if (eager == nullptr || !eager->summary.submit_seconds || !eager->summary.latency_seconds ||
        eager->summary.latency_seconds->p50 <= 0)
      continue;
    shares.add(batch, eager->summary.submit_seconds->p50 / eager->summary.latency_seconds->p50);
    conclusion.cells.push_back(id_of(eager->cell));
  }
  if (shares.batches.empty()) return;
  conclusion.text =
      fmt::format("Eager's CPU enqueues for {} of the latency at batch {}: a graph frees that CPU time.",
                  shares.text(), group.batches_text(shares.batches));
  conclusion.figures = {{"share_first", shares.of_latency.front()}, {"share_last", shares.of_latency.back()}};
  conclusions.push_back(std::move(conclusion));
}

}  // namespace

void conclude_bounds(const CellGroup& group, std::vector<Conclusion>& conclusions) {
  // On the host device a foreign step's submit time is that of handing the step over to the device's thread.
  if (group.result.environment.device.kind == "host" && group.cells.front()->cell.preset == of_its_own)
    return;
  conclude_idle_time(group, conclusions);
  conclude_enqueueing(group, conclusions);
}

}  // namespace graphbench::model
