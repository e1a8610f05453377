#pragma once

#include <array>
#include <string_view>

// Where each statement of docs/contract/scheduler.md is checked: in every world of the simulator,
// or by a separate test, because real threads, real memory or one exact order matter.
// statements_test.cpp compares this table with the contract and with the code.

namespace millrace::sim {

/// Statements that are checked in every world; the checking code names each.
inline constexpr std::array<std::string_view, 24> kCheckedInEveryWorld = {
    "K1", "K2", "K5", "D4", "D5",  "D6", "I1", "P3", "P4", "P6", "C1", "C2",
    "C3", "C4", "C5", "C7", "C11", "B1", "B2", "B3", "B4", "T1", "T2", "T3"};

struct CheckedElsewhere {
  std::string_view statement;
  std::string_view file;
  std::string_view test;  ///< as in TEST(suite, name)
};

inline constexpr std::array<CheckedElsewhere, 26> kCheckedElsewhere = {{
    {"K3",
     "engine/runtime/warm_run_test.cpp",
     "WarmRunTest, K3_OfSharedNodesTakesNothingFromTheHeap"},
    {"K4",
     "engine/runtime/flow_stress_test.cpp",
     "FlowStressTest, K2_K4_EveryNodeOnceAndAfterItsProducers"},
    {"D1", "engine/runtime/flow_test.cpp", "FlowTest, D1_AChainOfAMillionCheapNodesNeedsNoStack"},
    {"D2", "engine/runtime/worker_test.cpp", "WorkerTest, D2_AChainIsOneStrand"},
    {"D3",
     "engine/runtime/worker_test.cpp",
     "WorkerTest, D3_OthersAreAvailableBeforeTheBestGoesOn"},
    {"D7",
     "engine/runtime/pool_callers_test.cpp",
     "PoolCallersTest, D7_ACallerThatWaitsRunsTheGraphItself"},
    {"D8",
     "engine/runtime/topology/topology_compiler_test.cpp",
     "TopologyCompilerTest, D8_EdgesNameACounterOnlyWhereTokensAreCounted"},
    {"D9",
     "engine/runtime/topology/topology_compiler_test.cpp",
     "TopologyCompilerTest, D9_NodesSayWhatTheyNeedBesideTokens"},
    {"D10",
     "engine/runtime/fairness_test.cpp",
     "FairnessTest, D10_WhatComesWhileAStrandRunsHasItsTurnToo"},
    {"D11",
     "engine/runtime/sharing_prices_test.cpp",
     "SharingPricesTest, D11_ALoneRunOfCheapNodesStaysOnOneWorker"},
    {"D12", "engine/rank/live_rows_test.cpp", "LiveRowsTest, D12_RowsAreFreedAfterTheirLastReader"},
    {"I2", "engine/runtime/loop_scheduler_test.cpp", "LoopSchedulerTest, I2_PrecedenceOfInlining"},
    {"I3",
     "engine/runtime/topology/topology_builder_test.cpp",
     "TopologyBuilderTest, I3_RefusesImpossibleCosts"},
    {"I4",
     "engine/runtime/loop_scheduler_test.cpp",
     "LoopSchedulerTest, I4_RowsDecideWhetherANodeIsInlined"},
    {"C-cost",
     "engine/runtime/topology/cost_model_test.cpp",
     "CostModelTest, CCost_HysteresisInlinesBelowTAndStopsAboveTwiceT"},
    {"P1", "engine/runtime/worker_test.cpp", "WorkerTest, P1_OneWorkerRunsByRankThenDeclaration"},
    {"P2", "engine/runtime/run_test.cpp", "RunTest, P2_ARunKeepsTheOrderItStartedWith"},
    {"P5", "tests/sim/fan_out_test.cpp", "FanOutTest, P5_NarrowFansRunInParallel"},
    {"C6", "engine/runtime/flow_test.cpp", "FlowTest, C6_AnExceptionIsAnErrorOfItsNode"},
    {"C8",
     "engine/runtime/loop_scheduler_test.cpp",
     "LoopSchedulerTest, C8_APendingNodeGivesUpInTimeForItsDependents"},
    {"C9",
     "engine/runtime/loop_deadline_test.cpp",
     "LoopDeadlineTest, C9_TheUpperEstimateMustFitTheTimeThatIsLeft"},
    {"C10",
     "engine/runtime/loop_deadline_test.cpp",
     "LoopDeadlineTest, C10_ABodyOnALoopSeesItsDeadlineAndTheAnswerGoesOutThen"},
    {"C12",
     "engine/runtime/loop_deadline_test.cpp",
     "LoopDeadlineTest, C12_ADeadlineTellsWhatTheRunWasWaitingFor"},
    {"C13",
     "engine/runtime/pool_callers_test.cpp",
     "PoolCallersTest, C13_ACallerWithADeadlineRunsWhatIsShort"},
    {"T4",
     "engine/trace/trace_buffer_test.cpp",
     "TraceBufferTest, T4_FullBufferDropsTheNewestAndCountsIt"},
    {"T5",
     "engine/trace/critical_path_test.cpp",
     "CriticalPathTest, T5_PartsAddUpExactlyOnRandomRuns"},
}};

}  // namespace millrace::sim
