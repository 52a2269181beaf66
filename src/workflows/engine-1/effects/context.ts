import type { Limits } from '../../../contract/runs/limits.js';
import type { ProcedureSource } from '../../../contract/procedures/source.js';
import type { StartInput } from '../../../contract/runs/start-input.js';
import type { Usage } from '../../../contract/models/model-call.js';
import type { Children } from '../children.js';
import type { Gate, Inbox } from '../inbox.js';

/** What performers share in one execution of a run. */
export interface EffectContext {
  readonly runId: string;
  readonly firstExecutionId: string;
  readonly source: ProcedureSource;
  readonly start: StartInput & { source: ProcedureSource };
  readonly limits: Limits;
  readonly inbox: Inbox;
  readonly children: Children;
  readonly gate: Gate;
  /** When open timers fire, by position, in ms since 1970: kept over continue-as-new. */
  readonly deadlines: Map<string, number>;
  usage: Usage;
}

export { idempotencyKey } from '../../effects/effect-kind.js';
