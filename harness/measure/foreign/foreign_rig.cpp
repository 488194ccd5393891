// Opens a foreign step for each batch of a task, and compares its outputs with those of the eager step.
#include "harness/measure/foreign/foreign_rig.hpp"

#include <cstdio>
#include <cstring>
#include <nlohmann/json.hpp>
#include <utility>

#include "graphs/abi/text.hpp"
#include "graphs/base/clock.hpp"
#include "graphs/base/text.hpp"
#include "harness/measure/foreign/heartbeat.hpp"
#include "harness/measure/worker/task_rig.hpp"
#include "harness/measure/worker/to_float.hpp"
#include "harness/model/vocabulary.hpp"

namespace graphbench::measure {
namespace {

// The largest relative error that another order of the same operations can cause: the norm of the difference
// over the norm of eager's output. bf16 has 8 significant bits, and PyTorch may compute fp32 products with 11
// (TF32).
double tolerance_of(std::int32_t dtype) {
  return dtype == GB_BF16 ? 0.02 : dtype == GB_FP16 ? 0.005 : 0.002;
}

std::string three_digits(double value) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.3g", value);
  return text;
}

struct Output {
  std::string name;
  std::int32_t dtype;
  std::vector<std::byte> bytes;
};

std::vector<Output> outputs_of(ForeignStep& step, Stream& stream, bool on_host) {
  std::vector<Output> copies;
  for (const gb_step_output& output : step.outputs()) {
    Output& copy = copies.emplace_back();
    copy.name = output.name == nullptr ? "" : output.name;
    copy.dtype = output.dtype;
    copy.bytes.resize(static_cast<std::size_t>(output.bytes));
    if (on_host) {
      std::memcpy(copy.bytes.data(), output.data, copy.bytes.size());
    } else {
      stream.copy_to_host(copy.bytes.data(), output.data, copy.bytes.size());
    }
  }
  stream.synchronize();
  return copies;
}

// Numbers and truth values stay what they are. A list becomes a text.
void add_facts(std::map<std::string, model::LibraryFact>& facts, const std::string& name,
               const nlohmann::json& value) {
  if (!value.is_object()) {
    const bool is_text = !value.is_number() && !value.is_boolean();
    facts[name] = {value.is_string() ? value.get<std::string>() : value.dump(), is_text};
    return;
  }
  for (const auto& [key, field] : value.items())
    add_facts(facts, name.empty() ? key : name + "." + key, field);
}

// Takes a part out of a report, so that it does not become a fact of the library.
nlohmann::json taken(nlohmann::json& report, const char* key) {
  nlohmann::json part = report.value(key, nlohmann::json());
  report.erase(key);
  return part;
}

std::optional<double> seconds_of(const nlohmann::json& stages, const std::string& name) {
  const auto found = stages.find(name);
  const double seconds = found == stages.end() ? 0 : found->get<double>();
  if (seconds < 0)
    throw Error(ErrorCode::step_failed,
                "report: stages." + name + " is " + found->dump() + ": give the seconds that it took");
  return seconds > 0 ? std::optional(seconds) : std::nullopt;
}

// Without stages, what a mode of the library's own needs cannot be told from what eager needs: all of `open`
// is then taken for it. In the other modes the graphs are made after `open`.
void read_stages(nlohmann::json& report, double opened_seconds, const std::string& mode, StepReport& of) {
  const nlohmann::json stages = taken(report, "stages");
  double rest = opened_seconds;
  if (stages.is_null() && model::is_step_mode(mode)) {
    of.opening.record_seconds = std::exchange(rest, 0);
  } else if (!stages.is_null()) {
    for (const auto& [name, member] : {std::pair{"build", &model::Opening::build_seconds},
                                       std::pair{"compile", &model::Opening::compile_seconds},
                                       std::pair{"record", &model::Opening::record_seconds}}) {
      of.opening.*member = seconds_of(stages, name);
      rest -= (of.opening.*member).value_or(0);
    }
    of.between_captures_seconds = seconds_of(stages, "between_captures");
    of.compiled_from = abi::printable(stages.value("compiled_from", "").c_str());
    for (const nlohmann::json& piece : stages.value("pieces", nlohmann::json::array()))
      of.compiled_pieces.push_back({.part = piece.at("part").get<std::int64_t>(),
                                    .compile_seconds = piece.at("seconds").get<double>(),
                                    .compiled_from = abi::printable(piece.value("from", "").c_str())});
  }
  if (rest > 0) of.opening.open_seconds = rest;
}

constexpr std::string_view skip_reasons[] = {"cpu_device",      "mutated_input",   "dynamic_shape",
                                             "incompatible_op", "several_devices", "other"};

void read_skips(nlohmann::json& report, std::vector<model::CaptureSkip>& skips) {
  for (const nlohmann::json& skip : taken(report, "capture_skips")) {
    const auto text = [&](const char* key) { return abi::printable(skip.value(key, "").c_str()); };
    const std::string reason = text("reason");
    skips.push_back({contains(skip_reasons, reason) ? reason : "other", text("words"), text("line")});
  }
}

// A size of --tune-sizes has code of its own.
std::vector<std::pair<std::string, std::string>> axes_of(const model::WorkerTask& task, std::int64_t batch) {
  auto axes = task.more_axes;
  const model::CallerOptions& caller = task.settings.caller;
  if (!caller.tune_sizes.empty() && model::is_tuned(caller, batch)) axes.erase("torch-dynamic");
  return {axes.begin(), axes.end()};
}

}  // namespace

ForeignRig::ForeignRig(const model::WorkerTask& task, Device& device, const gb_step& record,
                       const std::function<void(std::int64_t batch, std::string_view name)>& phase,
                       const Rank& rank)
    : Rig(task, device), record_(record), phase_(phase), rank_(rank) {
  for (const std::int64_t batch : largest_first(task.batches)) {
    if (!open(batch, task_.mode)) return;
  }
}

bool ForeignRig::open(std::int64_t batch, const std::string& mode) {
  phase_(batch, "open");
  // A process of `bill` is no launch, and measures no compilation: it takes what the compiler has kept.
  const Opening opening{.batch = batch,
                        .launch = task_.batches.empty() ? 1 : task_.launch,
                        .mode = mode,
                        .device_uuid = device().info().kind == "host" ? "" : device().info().uuid,
                        .split_ops = task_.settings.split_ops,
                        .axes = axes_of(task_, batch),
                        .serves = serves_};
  auto& [step, failure, seconds] = opened_[batch];
  step.reset();
  failure.reset();
  const Stopwatch watch;
  try {
    const Heartbeat at_work([&] { phase_(batch, "open"); });
    step = std::make_unique<ForeignStep>(record_, opening, stream());
    seconds = watch.seconds();
  } catch (const Error& error) {
    failure = error;
  }
  failure = rank_.settle(failure);
  return !failure || survives(failure->code());
}

ForeignStep& ForeignRig::step_at(std::int64_t batch) {
  if (task_.batches.empty() && !opened_.contains(batch)) open(batch, task_.mode);
  const Opened& opened = opened_[batch];
  if (opened.failure) throw Error(*opened.failure);
  if (!opened.step)
    throw Error(ErrorCode::step_failed,
                "open: not tried, because a larger batch failed to open in this process");
  return *opened.step;
}

ForeignStep& ForeignRig::opened(std::int64_t batch, const std::string& mode) {
  if (!opened_.contains(batch)) open(batch, mode);
  return step_at(batch);
}

void ForeignRig::drop(std::int32_t what) {
  for (const auto& [batch, opened] : opened_) {
    if (opened.step) opened.step->drop(what);
  }
}

std::unique_ptr<execution::Executor> ForeignRig::make_executor(std::int64_t batch, bool eagerly) {
  const std::string eager(execution::name_of(execution::ExecutionMode::eager));
  // After a skip the step of that mode may only be closed.
  if (eagerly && task_.mode != eager) open(batch, eager);
  return std::make_unique<ForeignExecutor>(device(), stream(), step_at(batch),
                                           eagerly || task_.mode == eager);
}

std::optional<double> ForeignRig::between_captures(std::int64_t batch) {
  if (step_at(batch).parts().size() < 2) return std::nullopt;
  return step_report(batch).between_captures_seconds;
}

StepReport ForeignRig::step_report(std::int64_t batch) {
  const std::string text = step_at(batch).report();
  auto parsed = text.empty() ? nlohmann::json::object() : nlohmann::json::parse(text, nullptr, false);
  if (!parsed.is_object())
    throw Error(ErrorCode::step_failed, "report: the text is not a JSON object: " + text.substr(0, 100));
  StepReport report;
  try {
    read_stages(parsed, opened_[batch].seconds, step_at(batch).mode(), report);
    read_skips(parsed, report.skips);
  } catch (const nlohmann::json::exception& error) {
    throw Error(
        ErrorCode::step_failed,
        std::string("report: stages or capture_skips are not as graphbench_abi.h says: ") + error.what());
  }
  add_facts(report.library, "", parsed);
  return report;
}

namespace {

// A step that ran nothing on the device, or has other work than eager, is said together with what is missing.
std::string lost_work(const model::StepRecords* records) {
  if (records == nullptr || !model::is_other_program(*records)) return "";
  return "; " + model::program_text(*records);
}

void read_verdict(const nlohmann::json& verdict, bool renews, model::Check& check) {
  check.identical = verdict.at("identical").get<bool>();
  check.max_abs_error = verdict.at("max_abs_error").get<double>();
  if (const auto tolerated = verdict.at("tolerated").get<std::string>(); !tolerated.empty())
    check.tolerated = abi::printable(tolerated.c_str());
  for (const auto& remark : verdict.at("remarks"))
    check.remarks.push_back(abi::printable(remark.get<std::string>().c_str()));
  const nlohmann::json& state = verdict.at("state");
  model::CheckedState& found = check.state.emplace();
  found.count = state.at("count").get<std::int64_t>();
  found.bytes = state.at("bytes").get<std::int64_t>();
  for (const auto& name : state.at("names"))
    found.names.push_back(abi::printable(name.get<std::string>().c_str()));
  found.generators = state.at("generators").get<std::int64_t>();
  found.before_steps = state.at("before_steps").get<std::int64_t>();
  found.before_steps_bytes = state.at("before_steps_bytes").get<std::int64_t>();
  found.without_copy = state.at("without_copy").get<std::int64_t>();
  if (!renews) return;
  const nlohmann::json& inputs = verdict.at("inputs");
  model::CheckedInputs& renewed = check.inputs.emplace();
  renewed.renewed = inputs.at("renewed").get<std::int64_t>();
  renewed.kept_because = abi::printable(inputs.at("why").get<std::string>().c_str());
  if (!inputs.at("changed_outputs").is_null())
    renewed.changed_outputs = inputs.at("changed_outputs").get<bool>();
  if (!inputs.at("build_seconds").is_null()) renewed.build_seconds = inputs.at("build_seconds").get<double>();
}

}  // namespace

void ForeignRig::let_step_check(ForeignStep& step, execution::Executor& executor,
                                const model::StepRecords* records, std::optional<model::Check>& check) {
  constexpr int turns_max = 64;
  const bool is_eager = &executor.eager() == &executor;
  nlohmann::json heard{{"renew", task_.launch == 0}};
  if (records != nullptr) heard["same_kernels"] = !model::is_other_program(*records);
  if (records != nullptr && records->operations == 0 && !is_eager)
    throw Error(ErrorCode::recorded_nothing, "check: the step runs nothing on the device");
  for (int turn = 0; turn < turns_max; ++turn) {
    const std::string said = step.check(heard.dump());
    const auto asked = nlohmann::json::parse(said, nullptr, false);
    const auto unclear = [&] {
      return Error(ErrorCode::step_failed,
                   "check: the step asks for " + said.substr(0, 100) +
                       R"(: give {"run": "eager"}, {"run": "mode"} or {"verdict": ...})");
    };
    if (!asked.is_object()) throw unclear();
    heard = nlohmann::json::object();
    if (const auto run = asked.find("run"); run != asked.end() && run->is_string()) {
      (*run == "eager" ? executor.eager() : executor).submit();
      stream().synchronize();
      continue;
    }
    if (!asked.contains("verdict")) throw unclear();
    const nlohmann::json& verdict = asked.at("verdict");
    check = model::Check{.reference = is_eager ? "eager_again" : "eager",
                         .identical = false,
                         .max_abs_error = 0,
                         .tolerated = {},
                         .state = {},
                         .inputs = {},
                         .remarks = {}};
    try {
      read_verdict(verdict, task_.launch == 0, *check);
      if (const auto failed = verdict.at("failed").get<std::string>(); !failed.empty())
        throw Error(ErrorCode::check_failed,
                    "check: " + abi::printable(failed.c_str()) + lost_work(is_eager ? nullptr : records));
    } catch (const nlohmann::json::exception& error) {
      throw Error(ErrorCode::step_failed, std::string("check: the verdict is not complete: ") + error.what());
    }
    if (records != nullptr && records->operations == 0)
      check->remarks.emplace_back("the step runs nothing on the device");
    return;
  }
  throw Error(ErrorCode::step_failed,
              "check: the step asked for " + std::to_string(turns_max) + " turns and gave no verdict");
}

void ForeignRig::check(execution::Executor& executor, std::int64_t batch, const model::StepRecords* records,
                       std::optional<model::Check>& check) {
  ForeignStep& step = step_at(batch);
  if (step.checks_itself()) {
    let_step_check(step, executor, records, check);
    return;
  }
  const bool on_host = device().info().kind == "host";
  const auto run = [&](execution::Executor& runner) {
    step.fill(seed_for(task_, SeedUse::check, batch));
    runner.submit();
    stream().synchronize();
    return outputs_of(step, stream(), on_host);
  };
  const std::vector<Output> expected = run(executor.eager());
  const std::vector<Output> actual = run(executor);
  const bool is_eager = &executor.eager() == &executor;
  check = model::Check{.reference = is_eager ? "eager_again" : "eager",
                       .identical = true,
                       .max_abs_error = 0,
                       .tolerated = std::nullopt,
                       .state = {},
                       .inputs = {},
                       .remarks = {}};
  const auto fail = [&](const std::string& why) {
    check->identical = false;
    throw Error(ErrorCode::check_failed, "check: " + why);
  };
  if (expected.empty()) fail("the step has no output to compare");
  if (expected.size() != actual.size())
    fail("eager's step has " + std::to_string(expected.size()) + " outputs, but this step has " +
         std::to_string(actual.size()));
  double worst = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const Output& wanted = expected[i];
    if (same_bytes(wanted.bytes, actual[i].bytes)) continue;
    const std::string name = "output " + (wanted.name.empty() ? std::to_string(i) : wanted.name);
    check->identical = false;
    if (wanted.bytes.size() != actual[i].bytes.size() || wanted.dtype != actual[i].dtype)
      fail(name + " has another shape or type than eager's");
    const auto difference = difference_of_step(wanted.dtype, wanted.bytes, actual[i].bytes);
    if (!difference) fail(name + " differs from eager's");
    check->max_abs_error = std::max(check->max_abs_error, difference->largest);
    const double limit = tolerance_of(wanted.dtype);
    if (!(difference->relative <= limit))
      fail(name + " differs from eager's by " + three_digits(difference->relative) +
           " of the norm of eager's, and the limit is " + three_digits(limit));
    worst = std::max(worst, difference->relative);
  }
  if (!check->identical)
    check->tolerated = "outputs differ from the eager outputs by " + three_digits(worst) +
                       " of their norm at most, within the limit";
}

}  // namespace graphbench::measure
