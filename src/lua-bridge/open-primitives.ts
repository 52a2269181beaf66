import { shareGlobals, type Bridge, type LuaState } from './kernel/index.js';
import { openAgent } from './agents/agent-primitive.js';
import { openBudget } from './budgets/budget-primitive.js';
import { openCheckpoint } from './procedures/checkpoint-primitive.js';
import { openClassify } from './modules/classify-primitive.js';
import { openContext } from './agents/context-primitive.js';
import { openDefaults } from './models/defaults-primitive.js';
import { openDspyAgent } from './signatures/dspy-agent-primitive.js';
import { openElsewhere } from './retrieval/elsewhere-primitive.js';
import { openError } from './stdlib/error-primitive.js';
import { openEvent } from './events/event-primitive.js';
import { openExperiment } from './scores/experiment-primitive.js';
import { openField } from './procedures/field-primitive.js';
import { openFile } from './files/file-primitive.js';
import { openFilters } from './agents/filters-primitive.js';
import { openGraph } from './graphs/graph-primitive.js';
import { openHistory } from './signatures/history-primitive.js';
import { openHost } from './tools/host-primitive.js';
import { openHttpClient } from './http/http-client-primitive.js';
import { openHuman } from './people/human-primitive.js';
import { openInput } from './procedures/input-primitive.js';
import { openJson } from './stdlib/json-primitive.js';
import { openBase, openDebug } from './stdlib/base.js';
import { openCoroutine } from './stdlib/coroutine.js';
import { openJoin } from './stdlib/join.js';
import { openMath } from './stdlib/math.js';
import { openOs } from './stdlib/os.js';
import { openSplit, openString, openUtf8Clean } from './stdlib/string.js';
import { openLanguageModel } from './models/language-model-primitive.js';
import { openLog } from './progress/log-primitive.js';
import { openMocks } from './mocks/mocks-primitive.js';
import { openMcp } from './tools/mcp-primitive.js';
import { openMessageHistory } from './agents/message-history-primitive.js';
import { openModel } from './models/model-primitive.js';
import { openModule } from './signatures/module-primitive.js';
import { openParallel } from './checkpoints/parallel-primitive.js';
import { openSagas } from './procedures/saga-primitive.js';
import { openProcedure } from './procedures/procedure-primitive.js';
import { openProgress } from './progress/progress-primitive.js';
import { openPython } from './modules/python-primitive.js';
import { openRequire } from './main/require-primitive.js';
import type { Libraries } from './main/snapshots.js';
import { mainOf } from './main/main-procedure.js';
import { openRetry } from './retries/retry-primitive.js';
import { openSignature } from './signatures/signature-primitive.js';
import { openSleep } from './time/sleep-primitive.js';
import { openSpecification } from './specifications/specification-primitive.js';
import { openStage } from './progress/stage-primitive.js';
import { openState } from './state/state-primitive.js';
import { openSystem } from './progress/system-primitive.js';
import { openTask } from './tasks/task-primitive.js';
import { openSessions } from './sessions/open-sessions.js';
import { openTool } from './tools/tool-primitive.js';
import { openToolset } from './tools/toolset-primitive.js';
import type { Drift } from '../contract/specifications/scenario.js';
import type { Shown } from '../contract/runs/run-view.js';
import { Chance, Determinism, isRecorded, strictness } from './determinism/determinism.js';

/** Opens the whole Tactus surface in a fresh Lua state. */
export function openPrimitives(bridge: Bridge): void {
  openField(bridge);
  openInput(bridge);
  openState(bridge);
  openLog(bridge);
  openJson(bridge);
  openCheckpoint(bridge);
  openParallel(bridge);
  openRetry(bridge);
  openSleep(bridge);
  openFile(bridge);
  openHttpClient(bridge);
  openHuman(bridge);
  openModel(bridge);
  const tool = openTool(bridge);
  openMcp(bridge, tool);
  const tools = openToolset(bridge, tool);
  const ask = openAgent(bridge, { ...tools, context: openContext(bridge) });
  openRequire(bridge, tool, ask);
  openClassify(bridge);
  openTask(bridge, openProcedure(bridge));
  openMocks(bridge);
  openSpecification(bridge);
  openMessageHistory(bridge);
  openFilters(bridge);
  openDefaults(bridge);
  openProgress(bridge);
  openStage(bridge);
  openSystem(bridge);
  openHost(bridge);
  openPython(bridge);
  openElsewhere(bridge);
  openLanguageModel(bridge);
  openSignature(bridge);
  openHistory(bridge);
  openModule(bridge);
  openDspyAgent(bridge);
  if (bridge.holds('events')) openEvent(bridge);
  if (bridge.holds('budgets')) openBudget(bridge);
  if (bridge.holds('error-codes')) openError(bridge);
  if (bridge.holds('sessions')) openSessions(bridge, tools.toolset);
  if (bridge.holds('graphs')) openGraph(bridge, tool);
  if (bridge.holds('sagas')) openSagas(bridge);
  if (bridge.holds('experiments')) openExperiment(bridge);
  shareGlobals(bridge);
}

/** What decides on chance and time as the procedure sees them. */
interface ChanceAndTime {
  /** Seed of the procedure's random numbers. */
  seed: string;
  /** null: chance and time are the run's own everywhere. */
  drift: Drift | null;
  warn: (warning: Shown) => void;
}

/** Opens what a fresh Lua state has of Lua's own library. */
export function openLibraries(bridge: Bridge, { seed, drift, warn }: ChanceAndTime): Libraries {
  const { L, run, scheduler } = bridge;
  openBase(bridge);
  openString(L);
  openUtf8Clean(L);
  openSplit(L);
  openJoin(L);
  openDebug(L);
  const isStrict = (): boolean =>
    run.settings.strictDeterminism ?? mainOf(bridge)?.strict ?? strictness.of(bridge).isDeclared;
  const determinism = new Determinism(run.source, scheduler.notes, isStrict, warn);
  const { check } = determinism;
  // Each pass has chance of its own.
  const ownSeed = run.pass === null ? seed : `${seed}/${run.pass.number}`;
  const chance = new Chance(ownSeed, drift);
  openMath(L, chance, check, bridge.holds);
  const now = (thread: LuaState): number =>
    bridge.now() + (drift === null || isRecorded(thread) ? 0 : drift.aheadMs);
  openOs(L, { now, startedAt: run.startedAt, runId: run.id, guard: check, holds: bridge.holds });
  openCoroutine(L, scheduler);
  return { chance, determinism };
}
