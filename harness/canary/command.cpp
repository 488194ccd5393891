// Runs graphbench canary, which says in a minute whether a driver's graphs are still what they were.
#include "harness/options/command.hpp"

#include "graphbench_version.hpp"
#include "graphs/base/clock.hpp"
#include "graphs/base/error.hpp"
#include "graphs/base/text.hpp"
#include "harness/canary/canary_fields.hpp"
#include "harness/canary/document.hpp"
#include "harness/canary/judge.hpp"
#include "harness/measure/machine/cpu_state.hpp"
#include "harness/measure/machine/environment.hpp"
#include "harness/model/codec/parse_document.hpp"
#include "harness/model/findings/groups.hpp"
#include "harness/model/statistics/quantiles.hpp"
#include "harness/options/option_table.hpp"
#include "harness/options/own_values.hpp"
#include "harness/sweep/driver.hpp"
#include "harness/sweep/report/print_report.hpp"

namespace graphbench::canary {
namespace {

constexpr const char* canary_footer =
    "Exit codes: 0 same, or measured without --against; 10 slower or broken; 11 blind; 12 another card;\n"
    "13 hung; 1 no GPU; 2 bad usage or input; 130 interrupted (the measurements are kept).\n"
    "docs/reference/floors.md explains it.\n";

// The processes end by then, so that all takes 90 seconds, unless the user asks for a number of them.
constexpr double floors_seconds_max = 70;
constexpr std::int64_t processes_usual = 50;

struct CanaryArguments {
  std::string against;
  std::int64_t processes = 0;  // 0: the usual number, within the usual time
  double soak_seconds = 5;
  double hang_seconds = 30;
};

options::ReadValue into_seconds(double& target, double low) {
  return [&target, low](const std::string& where, const std::string& text) {
    const auto seconds = options::parse_real(text);
    if (!seconds || *seconds < low || *seconds > 86'400)
      throw InputError(
          where, in_quotes(text) + " is not valid: give seconds from " + shortest_text(low) + " to 86400");
    target = *seconds;
  };
}

void add_options(options::Options& options, CanaryArguments& asked) {
  options.own(
      {"--against", "DOC", "compare with this document of an earlier canary", options::into(asked.against)});
  options.own(
      {"--processes", "N", "processes that measure the floors (default: 50, or as many as 70 s allow)",
       options::into(asked.processes,
                     {static_cast<std::int64_t>(processes_min), static_cast<std::int64_t>(processes_max)},
                     " is not valid: give a number of processes from ")});
  options.own({"--soak", "SECONDS", "run two graphs beside a copy for this long; 0: do not (default: 5)",
               into_seconds(asked.soak_seconds, 0)});
  options.own({"--hang", "SECONDS", "a call that does not return for this long hangs (default: 30)",
               into_seconds(asked.hang_seconds, 1)});
}

struct ProbeRow {
  Ask ask;
  const char* name;
};
constexpr ProbeRow probe_rows[] = {{Ask::failed_capture, "a failed capture leaves the device usable"},
                                   {Ask::cluster_update, "an update keeps clusters"},
                                   {Ask::programmatic_edge, "a capture keeps programmatic edges"},
                                   {Ask::conditional, "a conditional node takes its branch"},
                                   {Ask::soak, "two graphs beside a copy"}};

class CanaryJob final : public sweep::Job {
 public:
  CanaryJob(const CanaryArguments& asked, const options::SweepOptions& options,
            const sweep::ReportFormat& format, bool wants_json)
      : asked_(asked), options_(options), format_(format), wants_json_(wants_json) {}

  std::string name() const override { return "canary"; }

  void check() override {
    if (!asked_.against.empty()) read_base();
    made_.measured_at = utc_now();
  }

  std::vector<sweep::Output> outputs() override {
    return {{"--json", wants_json_ ? options_.json : "", [&] { return to_json(made_); },
             options::Stdout::allowed}};
  }

  std::optional<int> plan(process::ProcessSupervisor&) override { return std::nullopt; }

  sweep::Outlook outlook(const sweep::Earlier&) const override {
    constexpr double process_seconds = 1.2;
    double seconds = static_cast<double>(processes()) * process_seconds;
    if (asked_.processes == 0) seconds = std::min(seconds, floors_seconds_max);
    return {.what = model::plural(processes() + probes(), "process"),
            .seconds = seconds + process_seconds * static_cast<double>(probes()) + asked_.soak_seconds,
            .checked = false};
  }

  bool measure(sweep::Run& run) override {
    try {
      if (!measure_floors(run)) return true;
      for (const ProbeRow& row : probe_rows) {
        if (row.ask == Ask::soak && asked_.soak_seconds == 0) continue;
        run_probe(run, row);
        if (made_.hang) return true;
      }
    } catch (const process::Interrupted&) {
      if (made_.processes == 0) throw;
      made_.complete = false;
    }
    return made_.complete;
  }

  void summarise() override {
    made_.tool_version = GRAPHBENCH_VERSION;
    made_.tool_commit = GRAPHBENCH_COMMIT;
    if (made_.processes == 0) {  // the first process hung or crashed, so nothing is known of the device
      facts_.kind = options_.device == "host" ? "host" : "cuda";
      facts_.name = "unknown";
    }
    made_.environment = measure::read_environment(facts_);
    made_.environment.machine = measure::read_cpu_state(options_.instruments);
    made_.soak_seconds = asked_.soak_seconds;
    for (const FloorRow& row : floor_rows()) {
      const auto found = values_.find(std::string(row.name));
      if (found == values_.end()) continue;
      made_.floors.push_back(
          {found->first, std::string(row.unit), model::median(found->second), found->second});
    }
    if (made_.verdict == Verdict::other_card) return;
    base_ ? compare(*base_, made_) : describe_alone(made_);
  }

  sweep::Findings findings(bool) override {
    sweep::Findings found{.report = report_of(made_),
                          .format = format_.format(),
                          .document = outputs().front().text,
                          .exit_code = exit_code_of(made_.verdict)};
    if (!options_.quiet) return found;
    found.report.emplace().closing.push_back({made_.sentence});
    found.format = nullptr;
    return found;
  }

 private:
  std::int64_t processes() const { return asked_.processes > 0 ? asked_.processes : processes_usual; }
  std::int64_t probes() const { return std::ssize(probe_rows) - (asked_.soak_seconds == 0 ? 1 : 0); }

  void read_base() {
    const std::string where = "--against: " + in_quotes(asked_.against);
    if (wants_json_ && options::same_file(asked_.against, options_.json))
      throw InputError("--json", in_quotes(options_.json) +
                                     " is the document of --against, which would be lost: give another file");
    base_ = read_canary(model::read_text(asked_.against).view(), where);
    if (base_->processes == 0)
      throw InputError(where,
                       "its first process did not end, so it names no card and has no floors: give a "
                       "document with values");
    const std::optional<model::CpuState>& machine = base_->environment.machine;
    if (machine && machine->pinned != options_.instruments.pin)
      throw InputError("--no-pin", machine->pinned
                                       ? "BASE's launches were pinned to a CPU: leave the option out"
                                       : "BASE's launches were not pinned to a CPU: give it here too");
  }

  CanaryAnswer ask(sweep::Run& run, Ask what, const char* name) {
    progress_.worker = name;
    progress_.elapsed_seconds = watch_.seconds();
    progress_.cells_total = progress_.tasks_total = processes() + probes();
    run.progress.update(progress_);
    const CanaryRequest request{options_.device, what, asked_.hang_seconds, asked_.soak_seconds,
                                options_.instruments};
    CanaryAnswer answer = ask_canary(run.supervisor, process::own_command(canary_role), request);
    made_.hang = answer.hang;
    progress_.cells_done = ++progress_.tasks_done;
    return answer;
  }

  // Returns false if no more is to be measured.
  bool measure_floors(sweep::Run& run) {
    while (made_.processes < processes()) {
      const CanaryAnswer answer = ask(run, Ask::floors, "floors");
      if (answer.hang) return false;
      if (answer.reason && answer.reason->code == "crashed" && (made_.processes > 0 || base_)) {
        made_.probes.push_back({std::string(every_process), Answer::no, answer.reason->message});
        return true;
      }
      if (answer.reason) fail(*answer.reason);
      for (const auto& [name, value] : answer.values) values_[name].push_back(value);
      if (made_.processes++ == 0 && is_other_card(answer.facts)) return false;
      if (asked_.processes == 0 && watch_.seconds() > floors_seconds_max) break;
    }
    made_.probes.push_back({std::string(every_process), Answer::yes});
    return true;
  }

  [[noreturn]] void fail(const model::Reason& reason) const {
    // A value that the user gave, a device's name or a variable, may be the cause.
    if (reason.code == name_of(ErrorCode::invalid_argument))
      throw InputError(options_.where("device"), reason.message);
    throw Error(ErrorCode::device_failed, reason.message);
  }

  bool is_other_card(const model::DeviceFacts& facts) {
    facts_ = facts;
    if (!base_) return false;
    const model::DeviceFacts& before = base_->environment.device;
    if (before.kind == facts.kind && before.name == facts.name) return false;
    made_.verdict = Verdict::other_card;
    made_.sentence = "another card: " + facts.name + ", and " + before.name + " in " + asked_.against;
    return true;
  }

  void run_probe(sweep::Run& run, const ProbeRow& row) {
    const CanaryAnswer answer = ask(run, row.ask, row.name);
    const bool failed = answer.status != model::CellStatus::ok || answer.hang;
    made_.probes.push_back(
        {row.name, failed ? Answer::no : answer.answer, answer.reason ? answer.reason->message : ""});
  }

  const CanaryArguments& asked_;
  const options::SweepOptions& options_;
  const sweep::ReportFormat& format_;
  const bool wants_json_;
  std::optional<Canary> base_;
  Canary made_;
  model::Progress progress_;
  Stopwatch watch_;
  model::DeviceFacts facts_{};
  std::map<std::string, std::vector<double>> values_;
};

class CanaryCommand final : public options::Command {
 public:
  explicit CanaryCommand(options::Options& options) : options_(options), format_(options) {
    options.footer(canary_footer);
    add_options(options, asked_);
    options.sweep_options(options::options_for("canary"));
    options.describe("--json", "write the measurements as a document to FILE; - for stdout (default: none)");
    options.describe("--device", "cuda, cuda:N or host (default: cuda)");
    options.describe("--dry-run", "print the number of processes and the estimated time, and stop");
  }

  void check() override {
    format_.check();
    raw_ = options_.sweep();
    if (!raw_.contains("device")) raw_["device"].push_back({"cuda", "--device"});
  }

  int run(const options::Invocation&) override {
    const options::SweepOptions options = options::check_options(raw_);
    CanaryJob job(asked_, options, format_, options_.given("--json"));
    return sweep::drive(job, options);
  }

 private:
  const options::Options& options_;
  sweep::ReportFormat format_;
  CanaryArguments asked_;
  options::RawOptions raw_;
};

}  // namespace

std::unique_ptr<options::Command> make_canary(options::Options& options) {
  return std::make_unique<CanaryCommand>(options);
}

}  // namespace graphbench::canary
