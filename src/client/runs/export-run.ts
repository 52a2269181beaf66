import { toProcedureMetadata } from './snapshot.js';
import type { ProcedureMetadata } from '../storage/procedure-metadata.js';
import type { TactusRun } from '../tactus-run.js';
import { describeRun, endOf } from './view-run.js';
import { readExactLog, toLuaState } from './exact-log.js';

/** How often a run is asked anew that goes on while it is asked. */
const mostLooks = 20;

/**
 * A run as a record that the Python Tactus loads: save it as `<procedure_id>.json` in the folder of its `FileStorage`. What
 * it can't express goes along where nothing there reads it, so that a run can be imported from it without a loss.
 * @throws TactusError run_not_found; usage where the run's content isn't shown; payload_too_large
 */
export async function exportRun(run: TactusRun): Promise<ProcedureMetadata> {
  for (let look = 1; ; look++) {
    const description = await describeRun(run);
    const before = await run.status();
    const exact = await readExactLog(run);
    const state = await run.state();
    const { status, pending, version } = await run.status();
    // One that goes on meanwhile would have a state that its log knows nothing of.
    if (look < mostLooks && JSON.stringify(version) !== JSON.stringify(before.version)) continue;
    const end = endOf(description.status.name);
    const metadata = toProcedureMetadata({
      runId: run.runId,
      status: end ?? status,
      state,
      log: exact.entries,
      // One that was terminated would still name what it waited for.
      mark: null,
      waitingOn: end === null ? (pending[0]?.id ?? null) : null,
    });
    return { ...metadata, lua_state: toLuaState(exact) };
  }
}
