// The JSON form of bills, `bills[]` of `graphbench.bill/1`, and of what their processes are asked.
#pragma once

#include "harness/bill/bill.hpp"
#include "harness/bill/bill_process.hpp"
#include "harness/model/codec/result_fields.hpp"

namespace graphbench::model {

GB_DESCRIBE(bill::Growth, pool_bytes, workspace_bytes, code_bytes, exec_bytes);
GB_DESCRIBE(bill::Capture, size, mode, captured, nodes, (inlined(&T::growth)), (later, tensor_bytes),
            (later, leftover_bytes), one_exec_bytes, exec_resolution_bytes, transient_bytes, step_seconds,
            (later, gc_seconds), (inlined(&T::setup)));
GB_DESCRIBE(bill::Amount, expected, low, high);
GB_DESCRIBE(bill::Prediction, captures, bytes, seconds, reserve_bytes, line_bytes, growth, setup, sizes);
GB_DESCRIBE(bill::Measured, bytes, seconds, error, line_error, inside, growth, setup, sizes);
GB_DESCRIBE(bill::ReserveRuns, free_bytes, runs, failed, failed_at, (later, message));
GB_DESCRIBE(bill::Trade, sizes, step_ratio, bytes, seconds);
GB_DESCRIBE(bill::Returned, pool_bytes, workspace_bytes, (later, driver_bytes));
GB_DESCRIBE(bill::Cycle, (message, captures), took, destroyed, emptied, kept, setup, destroy_seconds);
GB_DESCRIBE(bill::Outputs, checked, identical, (later, tolerated), differ_at, (later, message));
GB_DESCRIBE(bill::Sleep, cycles, again, again_seconds, (later, exec_bytes), exec_resolution_bytes, outputs);
GB_DESCRIBE(bill::Account, used_bytes, context_bytes, static_bytes, workspace_bytes, pool_bytes, code_bytes,
            exec_bytes, exec_resolution_bytes, unaccounted_bytes, (later, witness));
GB_DESCRIBE(bill::BillLaunch, index, setup, startup);
GB_DESCRIBE(bill::Bill, id, (inlined(&T::cell)), exec, capture_sizes,
            (custom_field<StatusField<T>>("status")), (custom_field<ReasonField<T>>("reason")), confidence,
            sentence, prediction, (later, measured), (later, verified), (later, trade), (later, sleep),
            memory, launches);

GB_DESCRIBE(bill::BillTask, task, modes, shares_execs, free_bytes, cycles);
GB_DESCRIBE(bill::BillAnswer, status, reason, failed_at, device, choices, startup, start, captures, cycles,
            outputs);

}  // namespace graphbench::model
