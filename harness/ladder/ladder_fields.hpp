// The JSON form of ladders that served traffic, `ladders[]` of a result document.
#pragma once

#include "harness/ladder/ladder.hpp"
#include "harness/ladder/serve.hpp"
#include "harness/model/codec/result_fields.hpp"

namespace graphbench::model {

GB_NAMES(ladder::LadderPad, "up", "none");
GB_NAMES(ladder::LadderBeyond, "eager", "split", "refuse");
GB_NAMES(ladder::CaptureOrder, "largest", "smallest");
GB_NAMES(ladder::CaptureWhen, "startup", "lazy");
GB_NAMES(ladder::MutatedInputs, "refuse", "copy_back");
GB_NAMES(ladder::WarmupBy, "capture", "requests");
GB_NAMES(ladder::ExecOf, "own", "shared", "switch");

GB_DESCRIBE(ladder::LadderPolicy, pad, beyond, (field("capture_order", &T::order)),
            (field("capture_when", &T::when)), (later, mutated_inputs), (later, warmup_by), (later, exec),
            (later, graphs_max));
GB_DESCRIBE(ladder::LadderSteps, exact, padded, eager_below, eager_beyond, captured_now, (later, warming));
GB_DESCRIBE(ladder::LadderPadding, rows, graph_rows, waste, seconds);
GB_DESCRIBE(ladder::LadderStalls, count, seconds, longest_seconds);
GB_DESCRIBE(ladder::FirstRequests, count, p50_seconds, max_seconds, seconds, (later, noise_seconds));
GB_DESCRIBE(ladder::LadderTuning, tuned_captured, tuned_eager, general_captured, general_eager);
GB_DESCRIBE(ladder::LadderExecs, groups, updates, update_seconds, bytes_saved);
GB_DESCRIBE(ladder::LadderEvictions, count, seconds, returned_bytes);
GB_DESCRIBE(ladder::LadderMemory, pool_bytes, exec_bytes, static_bytes, workspace_bytes, line_bytes,
            (later, exec_resolution_bytes), (later, new_weights_bytes));
GB_DESCRIBE(ladder::RowCount, rows, count);
GB_DESCRIBE(ladder::LadderSize, size, uses, rows, setup, step_seconds, eager_seconds, breakeven_steps,
            exec_bytes, pool_bytes, (later, dropped), (later, mode), (later, first_request_seconds),
            (later, served_seconds), (later, exec_resolution_bytes), (later, warmups));
GB_DESCRIBE(ladder::LadderEager, rows, uses, step_seconds, (later, served_seconds));
GB_DESCRIBE(ladder::LadderPlacement, latency_seconds, submit_seconds, busy_seconds);
GB_DESCRIBE(ladder::LadderLaunch, index, startup, steps, split_steps, hit_rate, padding, stalls, memory,
            latency_seconds, submit_seconds, (later, wait_seconds), (later, response_seconds),
            rows_per_second, busy_seconds, predicted_seconds, sizes, eager, (later, placements),
            (later, first_requests), (later, tuning), (later, execs), (later, evictions));
GB_DESCRIBE(ladder::LadderSummary, latency_seconds, submit_seconds, busy_seconds, over_eager, over_every,
            over_engine, (later, over_modes));
GB_DESCRIBE(ladder::TrafficMode, mode, count, served);
GB_DESCRIBE(ladder::LadderTraffic, name, digest, steps, rows, sizes, arrivals, rate, (later, modes),
            (later, note));
// Computed whenever a document is written, and never read back.
template <typename T>
struct SentenceField {
  std::optional<Json> write(const T& of) const {
    std::string text = sentence_of(of);
    return text.empty() ? std::nullopt : std::optional<Json>(std::move(text));
  }
};

GB_DESCRIBE(ladder::Ladder, id, (inlined(&T::cell)), role, (left_out, also), sizes, policy, traffic,
            (custom_field<StatusField<T>>("status")), (custom_field<ReasonField<T>>("reason")), check,
            launches, summary, (computed_field<SentenceField<T>>("sentence")));
GB_DESCRIBE(ladder::FrontierPoint, sizes, step_seconds, (later, captured));
GB_DESCRIBE(ladder::RivalList, name, sizes, step_seconds, (later, beyond_budget), verified_step_seconds,
            (later, over), (interval("over_ci95", &T::over_ci95_low, &T::over_ci95_high)));
GB_DESCRIBE(ladder::BestSize, size, mode, step_seconds, margin, over_eager);
GB_DESCRIBE(ladder::BestModes, (inlined(&T::cell)), sizes, no_gain_from, no_gain_from_tokens);
GB_DESCRIBE(ladder::EngineFlag, engine, (text, flag), (later, none));
GB_DESCRIBE(ladder::Suggestion, (inlined(&T::cell)), from, sizes, interpolated, step_seconds,
            eager_step_seconds, startup_seconds, memory_bytes, frontier, (later, few), (later, rivals),
            (later, trust), (left_out, trace), (text, verified_by), verified_step_seconds,
            (later, verified_memory_bytes), (later, memory_max_bytes), eager,
            (later, eager_verified_step_seconds), (later, over_eager),
            (interval("over_eager_ci95", &T::over_eager_ci95_low, &T::over_eager_ci95_high)),
            (later, no_suggestion), (later, note), (later, flags),
            (computed_field<SentenceField<T>>("sentence")));
GB_DESCRIBE(ladder::ClosedPoint, batch, step_seconds, captured);
GB_DESCRIBE(ladder::Closed, (inlined(&T::cell)), from, traffic, rate, tokens, prefill_seconds, most, points,
            (later, none), hit_rate, (later, note), (computed_field<SentenceField<T>>("sentence")));
GB_DESCRIBE(ladder::ServeTask, task, sizes, modes, policy, rows, arrivals, placements);
GB_DESCRIBE(ladder::ServeAnswer, status, reason, check, device, choices, launch);

}  // namespace graphbench::model
