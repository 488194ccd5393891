// Runs graphbench bill, which predicts what captured sizes cost in memory and start-up.
#include "harness/options/command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <limits>

#include "graphs/base/clock.hpp"
#include "graphs/base/digest.hpp"
#include "graphs/base/error.hpp"
#include "graphs/base/text.hpp"
#include "harness/bill/bill_fields.hpp"
#include "harness/bill/bill_process.hpp"
#include "harness/bill/bill_table.hpp"
#include "harness/bill/predict.hpp"
#include "harness/ladder/traffic.hpp"
#include "harness/model/axes.hpp"
#include "harness/model/codec/documents.hpp"
#include "harness/model/findings/findings.hpp"
#include "harness/model/findings/groups.hpp"
#include "harness/model/vocabulary.hpp"
#include "harness/options/option_table.hpp"
#include "harness/options/output.hpp"
#include "harness/options/own_values.hpp"
#include "harness/options/raw_options.hpp"
#include "harness/sweep/asker.hpp"
#include "harness/sweep/driver.hpp"
#include "harness/sweep/identity.hpp"
#include "harness/sweep/planning.hpp"
#include "harness/sweep/report/print_report.hpp"

namespace graphbench::bill {
namespace {

constexpr const char* bill_footer =
    "Exit codes: 0 done; 2 bad usage or input; 3 some sizes could not be captured, the reserve was too "
    "small, or outputs\ndiffer after --cycles; 130 interrupted (the measurements are kept). "
    "docs/reference/bill.md explains the "
    "prediction.\n";

constexpr const char* both_modes = "both";
constexpr double driver_quantum_bytes = 2 << 20;
// A prediction is narrow enough if half of its interval is at most this share of its value.
constexpr double narrow = 0.05;

struct BillRequest {
  std::string capture_sizes = "1,2,4,8:512:+8";
  std::size_t predict_from = 3;
  double confidence = 0.99;
  bool all = false;
  std::vector<std::string> execs = {"own"};
  std::string traffic;
  std::int64_t verify = 0;
  std::int64_t cycles = 0;
  std::vector<std::int64_t> sizes;
  std::vector<std::int64_t> rows;  // the size of each step of the traffic
};

options::ReadValue into_share(double& target) {
  return [&target](const std::string& where, const std::string& text) {
    const bool percent = text.ends_with('%');
    const auto share = options::parse_real(text.substr(0, text.size() - (percent ? 1 : 0)));
    if (!percent || !share || *share < 50 || *share > 99.99)
      throw InputError(where, in_quotes(text) + " is not valid: give a confidence from 50% to 99.99%");
    target = *share / 100;
  };
}

void add_options(options::Options& options, BillRequest& asked) {
  options.own({"--capture-sizes", "LIST", "sizes to capture (default: 1,2,4,8:512:+8)",
               options::into(asked.capture_sizes)});
  options.own(
      {"--predict-from", "K",
       "sizes to capture per mode for the prediction; more are captured if the prediction's interval "
       "is wider than 5 % (default: 3)",
       options::into(asked.predict_from, {3, 65'536}, " is not valid: give a number of captures from ")});
  options.own({"--confidence", "PERCENT", "confidence of the intervals and the reserve (default: 99%)",
               into_share(asked.confidence)});
  options.own({"--measure", "needed|all",
               "needed: capture only what the prediction needs; all: also capture every size, in another "
               "process, to check the prediction (default: needed)",
               [&asked](const std::string& where, const std::string& text) {
                 require_known(where, text, "value of --measure", {"needed", "all"});
                 asked.all = text == "all";
               }});
  options.own(
      {"--exec", "own|shared",
       "own: each size has its own execs; shared: sizes whose graphs differ only in parameters share one "
       "exec; own,shared: a bill for own and a bill for shared (default: own)",
       [&asked](const std::string& where, const std::string& text) {
         asked.execs = split(text, ',');
         for (const std::string& word : asked.execs) require_known(where, word, "exec", {"own", "shared"});
       }});
  options.own(
      {"--traffic", "TRAFFIC",
       "traffic, as for ladder: also predict what happens if only half of the sizes are captured: how "
       "much longer steps of this traffic take, and how much memory and start-up time is saved",
       options::into(asked.traffic)});
  options.own(
      {"--verify", "N",
       "test the reserve, which is the memory to keep free: capture all sizes N times with exactly this "
       "much free, and N times with 10 % less (default: 0)",
       options::into(asked.verify, {0, 10'000}, " is not a number of runs: give ")});
  options.own({"--cycles", "N",
               "N times, as a server that sleeps and wakes: capture all sizes, destroy their graphs, empty "
               "the pool; then "
               "capture and check them once more; says what comes back and how long it takes (default: 0)",
               options::into(asked.cycles, {0, 1'000}, " is not a number of cycles: give ")});
}

BillRequest completed(BillRequest request, std::int64_t seed) {
  request.sizes = ladder::parse_sizes("--capture-sizes", request.capture_sizes);
  if (!request.traffic.empty())
    request.rows = ladder::make_trace(ladder::read_traffic("--traffic", request.traffic),
                                      {.steps = 10'000, .rate = {}, .seed = static_cast<std::uint64_t>(seed)})
                       .rows;
  return request;
}

// Removes "both" from --mode, because sweeps have no such mode. Returns whether it was there. Without another
// mode, sets `alone` and puts piecewise in its place.
bool take_both(std::vector<options::RawItem>& items, bool& alone) {
  const std::string where = items.front().where;
  std::vector<std::string> words = options::words_of(items, "mode");
  const bool both = std::erase(words, both_modes) > 0;
  alone = both && words.empty();
  if (alone) words = {"piecewise"};
  items.clear();
  for (const std::string& word : words) {
    if (model::mode_named(word) == model::reference_mode().name)
      throw InputError(where, "mode eager captures no graph: give whole, piecewise or both");
    items.push_back({word, where});
  }
  return both;
}

class Biller {
 public:
  Biller(const BillRequest& request, const options::SweepOptions& options, sweep::Run& run,
         model::Result& result)
      : request_(request), options_(options), supervisor_(run.supervisor), asker_(run), result_(result) {}

  void expect(std::int64_t processes) { asker_.expect(processes); }

  // Fills in `made`. Throws process::Interrupted if the user interrupts; `made` then has the results so far.
  void make(const BillTask& asked, Bill& made) {
    made.capture_sizes = request_.sizes;
    made.confidence = request_.confidence;
    made.exec = asked.shares_execs ? "shared" : "own";
    made.cell = model::cell_of(asked.task, request_.sizes.back());
    if (asked.modes.size() > 1) made.cell.mode = both_modes;
    std::string text = made.exec;
    for (const std::int64_t size : request_.sizes) text += "," + std::to_string(size);
    made.id = model::id_of(made.cell) + "/bill-" + sha256_hex(text).substr(0, 8);
    // The first run tunes, which takes memory, and fills the cache with the choices. Later runs do not tune.
    if (request_.verify > 0) ask(asked, request_.sizes, made);
    if (!predict(asked, made) || (request_.all && !measure(asked, made))) return;
    if (request_.cycles > 0 && !sleep(asked, made)) return;
    for (const double share : {1.0, 0.9}) {
      if (request_.verify > 0) verify(asked, share, made);
    }
  }

 private:
  BillAnswer ask(BillTask task, const std::vector<std::int64_t>& sizes, Bill& made) {
    task.task.batches = sizes;
    BillTask same = task;
    same.task = sweep::without_place(std::move(same.task));
    const sweep::Question question{made.id + ": " + std::to_string(sizes.size()) + " of " +
                                       model::plural(std::ssize(request_.sizes), "size"),
                                   model::write_data(same), task.free_bytes.has_value()};
    const auto answer = asker_.ask<BillAnswer>(question, [&](const process::TickHandler& on_tick) {
      return ask_bill(supervisor_, sweep::child_command(options_, options::bill_role), task,
                      options_.worker_timeout_seconds, on_tick);
    });
    model::add_choices(result_.environment.library_choices, answer.choices);
    return answer;
  }

  // A process that must first tune takes longer than later ones, which find the choices in the cache. The
  // bill is about later ones: after a process that tuned, a second one measures, unless the cache keeps no
  // choices.
  BillAnswer ask_as_tuned(const BillTask& task, const std::vector<std::int64_t>& sizes, Bill& made) {
    const auto has_tuned = [](const BillAnswer& answer) {
      return std::ranges::any_of(answer.choices, [](const auto& each) { return each.timed && !each.hit; });
    };
    BillAnswer answer = ask(task, sizes, made);
    if (!cache_keeps_choices_ || !has_tuned(answer)) return answer;
    answer = ask(task, sizes, made);
    cache_keeps_choices_ = !has_tuned(answer);
    return answer;
  }

  // Returns false if a process failed; the bill then has the reason.
  static bool succeeded(const BillAnswer& answer, Bill& made) {
    if (answer.status == model::CellStatus::ok) return true;
    made.status = answer.status;
    made.reason = answer.reason;
    std::vector<std::string> when;
    if (answer.failed_at > 0) when.push_back(fmt::format("size {}", answer.failed_at));
    if (!answer.cycles.empty()) when.push_back("after " + model::plural(std::ssize(answer.cycles), "cycle"));
    if (!when.empty()) made.reason->message += " (" + join(when, ", ") + ")";
    return false;
  }

  // Returns false if the sizes could not be captured; the bill then has the reason, and no prediction.
  static bool settle(const BillAnswer& answer, Bill& made) {
    if (succeeded(answer, made)) return true;
    made.prediction.reset();
    made.measured.reset();
    made.trade.reset();
    made.memory.reset();
    made.launches.clear();
    made.sentence.clear();
    return false;
  }

  // `of`: Prediction or Measured.
  void close(const BillAnswer& answer, const auto& of, Bill& made) const {
    made.memory = account_of(answer.start, of.growth, of.sizes);
    made.launches = {{.index = 0, .setup = of.setup, .startup = answer.startup}};
  }

  // While the interval is too wide, and the last process changed it, another one captures about twice as
  // many sizes. Returns false like settle().
  bool predict(const BillTask& asked, Bill& made) {
    double half_before = std::numeric_limits<double>::infinity();
    for (std::size_t count = request_.predict_from;; count = 2 * count - 1) {
      const BillAnswer answer = ask_as_tuned(asked, sample_of(request_.sizes, count), made);
      if (!settle(answer, made)) return false;
      const double quantum = answer.start.context_bytes ? driver_quantum_bytes : 0;
      made.prediction = bill::predict({request_.sizes, asked.modes}, answer.captures,
                                      {.confidence = request_.confidence, .quantum_bytes = quantum});
      if (!request_.rows.empty()) made.trade = trade_of(*made.prediction, request_.rows);
      made.sentence = sentence_of(made);
      made.status = model::CellStatus::ok;
      close(answer, *made.prediction, made);
      const Amount& bytes = made.prediction->bytes;
      const double half = bytes.high - bytes.expected;
      if (request_.all || count >= request_.sizes.size() || half <= narrow * bytes.expected ||
          (half > 0.9 * half_before && half < 1.1 * half_before))
        return true;
      half_before = half;
    }
  }

  bool measure(const BillTask& asked, Bill& made) {
    const BillAnswer answer = ask_as_tuned(asked, request_.sizes, made);
    if (!settle(answer, made)) return false;
    made.measured = measured_of(*made.prediction, answer.captures);
    close(answer, *made.measured, made);
    return true;
  }

  bool sleep(BillTask asked, Bill& made) {
    asked.cycles = request_.cycles;
    BillAnswer answer = ask_as_tuned(asked, request_.sizes, made);
    if (!succeeded(answer, made)) return false;  // what was predicted and measured before stays
    made.sleep = sleep_of(std::move(answer.cycles), answer.captures, std::move(answer.outputs));
    made.sentence = sentence_of(made);
    return true;
  }

  void verify(BillTask asked, double share, Bill& made) {
    ReserveRuns& runs = made.verified.emplace_back();
    runs.free_bytes = std::floor(share * made.prediction->reserve_bytes);
    asked.free_bytes = runs.free_bytes;
    for (; runs.runs < request_.verify; ++runs.runs) {
      const BillAnswer answer = ask(asked, request_.sizes, made);
      if (answer.status == model::CellStatus::ok) continue;
      ++runs.failed;
      runs.failed_at = answer.failed_at;
      runs.message = answer.reason.value().message;
    }
  }

  const BillRequest& request_;
  const options::SweepOptions& options_;
  process::ProcessSupervisor& supervisor_;
  sweep::Asker asker_;
  model::Result& result_;
  bool cache_keeps_choices_ = true;
};

// Refuses --mode both and --exec shared for a foreign step: a process runs the step in only one mode, and
// each size has its own exec.
void refuse_for_step(const sweep::CheckedPlan& checked, bool both, const BillRequest& request) {
  if (checked.plan.facts.axes.preset.front() != model::of_its_own) return;
  if (both)
    throw InputError("--mode", "a foreign step has only one mode per process: give whole or piecewise");
  const auto owned = std::ranges::find_if(checked.plan.tasks, [](const model::WorkerTask& task) {
    return task.mode.starts_with("torch.") && task.mode != "torch.replay";
  });
  if (request.cycles > 0 && owned != checked.plan.tasks.end())
    throw InputError("--cycles", "in mode " + owned->mode +
                                     " torch owns the graphs, so they cannot be destroyed alone: give whole, "
                                     "piecewise or torch.replay");
  if (std::ranges::count(request.execs, "shared") > 0)
    throw InputError("--exec", "a bill has an exec for each size of a foreign step: give own");
}

std::string bill_document(const model::Result& result, const std::vector<Bill>& bills) {
  std::string text =
      model::document_of("graphbench.bill/1", model::JsonWriter(model::Form::document).write(result));
  text.resize(text.size() - 2);  // the closing "\n}"
  return text + model::lines_of("bills", bills) + "\n}\n";
}

// The option --mode both.
struct Both {
  bool given = false;
  bool alone = false;  // without other modes
};

class BillJob final : public sweep::Job {
 public:
  BillJob(const BillRequest& asked, options::SweepOptions& options, const options::Invocation& invocation,
          Both both, const sweep::ReportFormat& format)
      : asked_(asked), options_(options), invocation_(invocation), both_(both), format_(format) {}

  std::string name() const override { return "bill"; }

  void check() override {
    request_ = completed(asked_, options_.seed);
    options_.axes.batch = request_.sizes;
    options_.launches = 1;
    if (both_.given) options_.more_modes = {"piecewise", "whole"};
    result_.started_at = utc_now();
  }

  std::vector<sweep::Output> outputs() override {
    return {{options_.where("json"), options_.json, [&] { return bill_document(result_, bills_); },
             options::Stdout::allowed},
            {options_.where("prometheus-textfile"), options_.prometheus.textfile,
             [&] { return bills_text(checked_.plan.device, bills_); }}};
  }

  std::optional<int> plan(process::ProcessSupervisor& supervisor) override {
    checked_ = sweep::make_checked_plan(options_, invocation_.argv, supervisor);
    refuse_for_step(checked_, both_.given, request_);
    if (request_.verify > 0 && checked_.plan.device.starts_with("host") &&
        std::getenv("GRAPHBENCH_HOST_MEMORY_BYTES") == nullptr)
      throw InputError(
          "--verify",
          "--verify fills the device's memory, and the host device may take nearly all memory of this "
          "machine: set GRAPHBENCH_HOST_MEMORY_BYTES to the number of bytes that it may take");
    tasks_ = tasks_of(checked_.plan, request_);
    return std::nullopt;
  }

  sweep::Outlook outlook(const sweep::Earlier& earlier) const override {
    const std::int64_t answered =
        std::ranges::count(earlier.finished, earlier.here, &sweep::FinishedTask::on);
    const auto processes = static_cast<double>(processes_min());
    return {model::plural(std::ssize(tasks_), "bill") + " of " +
                model::plural(std::ssize(request_.sizes), "size"),
            estimated_seconds() * std::max(0.0, 1 - static_cast<double>(answered) / processes),
            std::to_string(answered) + " of at least " + std::to_string(processes_min()) + " processes"};
  }

  std::optional<sweep::Resumable> resumable() const override {
    std::string more = "bill\n";
    for (BillTask task : tasks_) {
      task.task = sweep::without_place(std::move(task.task));
      more += model::write_data(task) + "\n";
    }
    more += fmt::format("{} {} {} {} {}\n", request_.predict_from, request_.confidence, request_.all,
                        request_.verify, request_.cycles);
    return sweep::resumable_of(checked_, options_, more);
  }

  bool measure(sweep::Run& run) override {
    Biller biller(request_, options_, run, result_);
    biller.expect(processes_min());
    try {
      for (const BillTask& task : tasks_) biller.make(task, bills_.emplace_back());
    } catch (const process::Interrupted&) {
      interrupted_ = true;
      std::erase_if(bills_.back().verified, [](const ReserveRuns& each) { return each.runs == 0; });
      if (!bills_.back().prediction) bills_.pop_back();
      if (bills_.empty()) throw;
    }
    return !interrupted_;
  }

  void summarise() override {
    std::ranges::sort(bills_, {}, &Bill::id);  // the plan's tasks are shuffled
    sweep::finish_result(checked_, result_);
    result_.complete = !interrupted_;
    // Launches are no option of a bill.
    result_.trust_elsewhere = model::trust_in(result_.environment).text;
  }

  sweep::Findings findings(bool) override {
    sweep::Findings found{
        .report = report_of(bills_), .format = format_.format(), .document = outputs().front().text};
    judge(bills_, found);
    if (!options_.quiet) return found;
    found.report.emplace();
    found.format = nullptr;
    for (const Bill& bill : bills_) {
      if (!bill.sentence.empty()) found.report->closing.push_back({bill.sentence});
    }
    return found;
  }

 private:
  // The processes that run if each first prediction is narrow enough and nothing must be tuned.
  std::int64_t processes_min() const {
    const std::int64_t of_bill = 1 + (request_.all ? 1 : 0) + (request_.cycles > 0 ? 1 : 0) +
                                 (request_.verify > 0 ? 1 + 2 * request_.verify : 0);
    return of_bill * std::ssize(tasks_);
  }

  double estimated_seconds() const {
    constexpr double start_seconds = 2, size_seconds = 0.1;
    const auto all = static_cast<double>(request_.sizes.size());
    const double predicted = std::min(all, static_cast<double>(request_.predict_from));
    double seconds = 0;
    for (const BillTask& task : tasks_) {
      const auto modes = static_cast<double>(task.modes.size());
      seconds += static_cast<double>(processes_min()) / static_cast<double>(tasks_.size()) *
                     (start_seconds + size_seconds * modes * all) +
                 size_seconds * modes * all * static_cast<double>(request_.cycles) -
                 size_seconds * modes * (all - predicted);
    }
    return seconds;
  }

  std::vector<BillTask> tasks_of(const model::Plan& plan, const BillRequest& request) const {
    std::vector<BillTask> tasks;
    for (const model::WorkerTask& task : plan.tasks) {
      for (const std::string& exec : request.execs) {
        if (!both_.alone) tasks.push_back({task, {task.mode}, exec == "shared"});
        if (!both_.given || task.mode != plan.tasks.front().mode) continue;
        tasks.push_back({task, {"piecewise", "whole"}, exec == "shared"});
        tasks.back().task.mode = "piecewise";
      }
    }
    return tasks;
  }

  const BillRequest& asked_;
  options::SweepOptions& options_;
  const options::Invocation& invocation_;
  const Both both_;
  const sweep::ReportFormat& format_;
  BillRequest request_;
  sweep::CheckedPlan checked_;
  std::vector<BillTask> tasks_;
  model::Result result_;
  bool interrupted_ = false;
  std::vector<Bill> bills_;
};

class BillCommand final : public options::Command {
 public:
  explicit BillCommand(options::Options& options) : options_(options), format_(options) {
    options.footer(bill_footer);
    add_options(options, asked_);
    options.sweep_options(options::options_for("bill"));
    options.describe(
        "--mode", "graph modes, one bill for each; both: every size in piecewise and whole (default: whole)");
    options.describe("--warmup", "eager steps before each capture (default: 3)");
    options.describe("--dry-run", "print the number of bills and sizes and the estimated time, and stop");
  }

  void check() override {
    format_.check();
    raw_ = options_.sweep();
    if (!raw_.contains("mode")) raw_["mode"].push_back({"whole", "--mode"});
    both_.given = take_both(raw_["mode"], both_.alone);
    if (!raw_.contains("warmup")) raw_["warmup"].push_back({"3", "--warmup"});
  }

  int run(const options::Invocation& invocation) override {
    options::SweepOptions options = options::check_options(raw_);
    BillJob job(asked_, options, invocation, both_, format_);
    return sweep::drive(job, options);
  }

 private:
  const options::Options& options_;
  sweep::ReportFormat format_;
  BillRequest asked_;
  options::RawOptions raw_;
  Both both_;
};

}  // namespace

std::unique_ptr<options::Command> make_bill(options::Options& options) {
  return std::make_unique<BillCommand>(options);
}

}  // namespace graphbench::bill
