"""Mutants of instruments.json, one fault each: see table()."""

from mutants import table

PLACES = {"ENVIRONMENT": "environment", "FLOORS": "environment.floors",
          "CHOICES": "environment.library_choices",
          "LADDER": "environment.floors.ladders.0", "LAUNCH": "cells.1.launches.0",
          "MACHINE": "cells.1.launches.0.machine",
          "MEMORY": "cells.1.memory", "SUMMARY": "cells.1.summary", "PATH": "cells.1.paths.0",
          "CALLER": "cells.1.caller_io",
          "PROFILE": "cells.1.profile", "WITNESS": "cells.1.profile.witness"}

# instruments.json: small.json with everything that instruments can find.
INSTRUMENT_MUTANTS = table("""
plan.cold_l2: "yes"
plan.profile: 1
ENVIRONMENT.machine.governor: 1
ENVIRONMENT.machine.load_average: -1
ENVIRONMENT.machine.pinned: null
ENVIRONMENT.machine.turbo: "on"
ENVIRONMENT.machine.cpu_quota: 0
ENVIRONMENT.machine.fans: 2
ENVIRONMENT.machine.submitter.cpus: [], [1, 1], MISSING
ENVIRONMENT.machine.submitter.locality: "close"
ENVIRONMENT.machine.submitter.cores: null
ENVIRONMENT.device.pci_bus_id: "", "1b"
ENVIRONMENT.monitor: null
ENVIRONMENT.monitor.available: "yes"
ENVIRONMENT.variables: {}, null
ENVIRONMENT.variables.HOME: "/"
CHOICES: [], null
CHOICES.digest: MISSING, "00"
CHOICES.entries: [], MISSING
CHOICES.entries.0.key: "", MISSING
CHOICES.entries.0.algorithm: 1
CHOICES.entries.0.timed: null
CHOICES.entries.0.hit: MISSING
CHOICES.entries.1.plan: "", "other"
CHOICES.entries.0.seconds: 1
ENVIRONMENT.profiler.detail: null
ENVIRONMENT.profiler.available: MISSING
FLOORS: null
FLOORS.clock_pair_seconds: MISSING
FLOORS.kernel_launch_seconds: 2.5e-06
FLOORS.kernel_launch_seconds.count: 0
FLOORS.kernel_launch_seconds.p50: -1e-09
FLOORS.queued_kernel_launch_seconds.p50: "quick"
FLOORS.event_resolution_seconds: -1e-09
FLOORS.speed_of_light: 1
FLOORS.exec_memory: null
FLOORS.exec_memory.points: [], MISSING
FLOORS.exec_memory.points.0.nodes: 0
LADDER.shape: "round"
LADDER.streams: 0
LADDER.points: []
LADDER.points.0.nodes: 0
LADDER.points.0.submit_seconds: MISSING
LADDER.device_seconds_per_node: "half"
MACHINE: null
MACHINE.cpu: -1
MACHINE.throttled: MISSING, null
MACHINE.before.sm_clock_hz: "fast"
MACHINE.before.power_watts: -1
MACHINE.after.throttle: null, ["hot", "hot"]
MACHINE.after.fan: 1
LAUNCH.setups: [], null
LAUNCH.setups.0.capture_seconds: MISSING
LAUNCH.startup: null
LAUNCH.startup.process_seconds: -1, MISSING
LAUNCH.startup.coffee_seconds: 1
MEMORY.used_bytes: 1.5
MEMORY.witness: "neighbour"
LAUNCH.stopped_by: "precision"
LAUNCH.stopped_by.latency: "boredom"
LAUNCH.stopped_by.device: MISSING
LAUNCH.ramp_seconds.0: -1
SUMMARY.steady_after: -1, 1.5
SUMMARY.submit_over_floor: "twice"
SUMMARY.latency_seconds.within_launch: "little"
PROFILE: null
PROFILE.steps: 0
PROFILE.busy_seconds: -1
PROFILE.gap_seconds: MISSING
PROFILE.kernels: 1.5
PROFILE.top: null
PROFILE.top.0.name: ""
PROFILE.top.0.count: -1
PROFILE.device_seconds: "long"
PROFILE.slowdown: 0
PROFILE.latency_seconds: 1e-06
WITNESS.steps: 0
WITNESS.recorded_seconds: -1
WITNESS.difference_seconds: MISSING
WITNESS.events_seconds: MISSING
WITNESS.verdict: "agree"
cells.1.paths: [], null
CALLER.copies: -1
CALLER.updates: -0.5, null
CALLER.steps: 1.5
CALLER.refused.code: "No"
CALLER.colour: "red"
cells.1.counters.skips: MISSING
cells.1.counters.skips.host_op: -1
cells.1.counters.captured: 1.5
cells.1.training.ops: MISSING
cells.1.training.ops.backward: MISSING, -1
cells.1.training.saved_bytes: MISSING, 1.5
cells.1.training.colour: "red"
cells.1.package.plans: "mine"
cells.1.cache.hits: -1, MISSING
cells.1.cache.seconds_saved: -0.5
cells.1.cache.colour: "red"
cache.misses: 1.5
cells.1.training.breaks.0.code: MISSING, "broken"
cells.1.training.evaluation.identical: MISSING, 1
cells.1.shape_walk.recordings_max: MISSING, -1
cells.1.shape_walk.hit_seconds: MISSING, -1
cells.1.shape_walk.traces.0.outcome: "missed"
cells.1.rewrites.0: 7
cells.1.fallback: "whole"
plan.caller.on-skip: "record"
plan.caller.io: "static"
plan.caller.capture-stream: "own"
PATH.path: ""
PATH.ops: 0
PATH.fallback: "", MISSING
""", PLACES)

# What a schema cannot say; see document_rules.py.
BROKEN_INSTRUMENT_RULES = table("""
cache.hits: 99
cells.1.cache.misses: 7
LADDER.points.1.nodes: 1
MACHINE.throttled: true
MEMORY.code_bytes: 1
LAUNCH.setups.0.capture_seconds: 9.0
PROFILE.top.1.seconds: 1.0
PROFILE.slowdown: 3.0
plan.profile: MISSING
cells.4.summary.steady_after: 0
CHOICES.entries.0.algorithm: "engine 7", "z"
SUMMARY.submit_over_floor: 9.0
CALLER.updates: 64
CALLER.instantiations: 0.0
""", PLACES)
