import { workflowInfo } from '@temporalio/workflow';
import { defined } from '../../contract/json/json.js';
import { postponeRequests } from '../../contract/people/ledger.js';
import type { Carry, StartInput } from '../../contract/runs/start-input.js';
import { withChange } from '../../contract/changes/run-change.js';
import type { Checkpoint } from '../../contract/checkpoints/checkpoint.js';
import { packCarried } from '../../log/pack.js';
import type { Program } from '../../lua-bridge/index.js';
import type { RunContext } from '../effects/effect-kind.js';
import type { OpenEffects } from '../effects/open-effects.js';
import type { Cut, Gone } from '../changes/changing.js';
import { handedOver } from '../effects/performers.js';

/** What an execution is handed, of a run that had ended: what was left of each time then is left now. @param now ms since 1970 */
export function fromItsEnd<S extends StartInput>(start: S, now: number): S {
  const { endedAt, ...carry } = start.carry ?? {};
  if (start.carry === undefined || endedAt === undefined) return start;
  const ms = Math.max(0, now - endedAt);
  const { deadline } = start.parent ?? {};
  const deadlines = Object.entries(start.carry.deadlines).map(([position, end]) => [position, end + ms]);
  return {
    ...start,
    ...(start.parent === undefined || deadline === undefined
      ? {}
      : { parent: { ...start.parent, deadline: deadline + ms } }),
    carry: {
      ...carry,
      deadlines: Object.fromEntries(deadlines) as Carry['deadlines'],
      ledger: postponeRequests(start.carry.ledger, ms),
    },
  };
}

/** What an execution knows that the next one goes on with. */
export interface HandedParts {
  context: RunContext;
  /** What this execution was handed. */
  carry: Carry;
  program: Program;
  effects: OpenEffects;
  /** Checkpoints that the mirror has been told. */
  readonly mirrored: number;
}

/** The start of the next execution, without its log. */
export function nextStart(parts: HandedParts): StartInput & { carry: Carry } {
  const { context, program } = parts;
  const { passEnd, start, changing } = context;
  const carry = nextCarry(parts);
  const { source = null, cut = null, gone = null } = changing.agreed ?? {};
  if (changing.agreed !== null) {
    const { published: _, ...own } = start;
    const next = source === null ? start : { ...own, source };
    const last = cut === null ? carry : rewound(carry, cut);
    return { ...next, carry: gone === null ? last : without(last, gone, context.runId) };
  }
  if (passEnd === null) return { ...start, carry };
  const { spent: _, watches: __, earlier: ___, ...kept } = carry;
  const pass = program.nextPass(passEnd, workflowInfo().runId);
  // Nothing of this pass is under way in the next.
  const pause = context.pausing.handedOver(() => []);
  return {
    ...start,
    input: passEnd.input,
    carry: { ...kept, deadlines: {}, pass, ...defined({ pause }) },
  };
}

function nextCarry({ context, carry: before, program, effects, mirrored }: HandedParts): Carry {
  const { agreed } = context.changing;
  const { cancelled: _, spent: __, cancelledChildren: ___, watches: ____, pause: _____, ...carry } = before;
  return {
    ...carry,
    engine: context.engine,
    ledger: context.inbox.ledger,
    usage: context.usage,
    deadlines: Object.fromEntries(effects.deadlines),
    ...context.children.carried(),
    ...defined({ watches: context.watches.handedOver(context.children.places.areTaken) }),
    // What a snapshot stands for from now on is read in this execution.
    ...(program.log.isCompacted ? { earlier: workflowInfo().runId } : {}),
    ...(program.unspent.length === 0 ? {} : { spent: [...program.unspent] }),
    mirrored,
    kept: handedOver(context.kept),
    ...(agreed === null ? {} : { changes: withChange(before.changes ?? [], agreed.record) }),
    ...defined({ pause: context.pausing.handedOver(() => effects.underWay) }),
  };
}

/** Of a run that goes back: what came about before, and nothing that a later question could take for its own. */
function rewound(carry: Carry, { key, requests, events, outcomes, earlier }: Cut): Carry {
  const { earlier: _, ...kept } = carry;
  const { ledger } = carry;
  const isKept = ({ id }: { id: string }): boolean => requests.has(id);
  const waiting = carry.kept?.['event'];
  return {
    ...kept,
    ...defined({ earlier }),
    ledger: {
      ...ledger,
      ...{ open: ledger.open.filter(isKept), early: [] },
      closed: ledger.closed.filter((each) => each.answer !== null && isKept(each)),
    },
    kept: {
      ...carry.kept,
      event: [...events, ...(Array.isArray(waiting) ? waiting : [])],
    },
    children: [...carry.children, ...Object.keys(outcomes)],
    childOutcomes: { ...carry.childOutcomes, ...outcomes },
    firstExecutionId: key,
    mirrored: 0,
  };
}

/** Of a run whose log loses checkpoints: their requests are no answers to what is asked there next. */
function without(carry: Carry, { positions, spent }: Gone, runId: string): Carry {
  const { ledger } = carry;
  const closed = ledger.closed.filter(({ id }) => !positions.has(id.slice(runId.length + 1)));
  return {
    ...carry,
    ...(spent.length === 0 ? {} : { spent: [...(carry.spent ?? []), ...spent] }),
    ledger: { ...ledger, closed },
    mirrored: 0,
  };
}

/** The log that the next execution begins with: that of this pass, or nothing where the pass ends here. */
export function nextLog({ context, program }: Pick<HandedParts, 'context' | 'program'>): Uint8Array {
  const { digests = {}, cut = null, gone = null } = context.changing.agreed ?? {};
  if (cut !== null) return cut.log;
  const kept = program.log.needed.filter(({ position }) => gone?.positions.has(position) !== true);
  const needed = kept.map((entry): Checkpoint => {
    const digest = digests[entry.position];
    return digest === undefined ? entry : { ...entry, digest };
  });
  return packCarried(context.passEnd === null ? needed : [], program.answersLeft, program.trial);
}
