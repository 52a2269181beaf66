import type { Bridge } from './bridge.js';
import { openAgent } from './primitives/agent.js';
import { openCheckpoint } from './primitives/checkpoint.js';
import { openField } from './primitives/field.js';
import { openFile } from './primitives/file.js';
import { openHuman } from './primitives/human.js';
import { openInput } from './primitives/input.js';
import { openJson } from './primitives/json.js';
import { openLog } from './primitives/log.js';
import { openMocks } from './primitives/mocks.js';
import { openModel } from './primitives/model.js';
import { openParallel } from './primitives/parallel.js';
import { openProcedure } from './primitives/procedure.js';
import { openRequire } from './primitives/require.js';
import { openRetry } from './primitives/retry.js';
import { openSleep } from './primitives/sleep.js';
import { openSpecification } from './primitives/specification.js';
import { openState } from './primitives/state.js';
import { openTool } from './primitives/tool.js';

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
  openHuman(bridge);
  openModel(bridge);
  const tool = openTool(bridge);
  openAgent(bridge, tool);
  openRequire(bridge, tool);
  openProcedure(bridge);
  openMocks(bridge);
  openSpecification(bridge);
}
