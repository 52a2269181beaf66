import type { Checkpoint, CheckpointType, FollowUp, Outcome } from '../../contract/checkpoints/checkpoint.js';
import type { Compared } from '../../contract/effects/define-effect.js';
import { digestOf } from '../../contract/effects/digest.js';
import { NewerVersionError } from '../../contract/engine.js';
import { errorCodes, TactusError } from '../../contract/errors.js';
import { jsonSize, type JsonValue } from '../../contract/json/json.js';
import { otherEnd } from '../../log/compare.js';
import { Compacting } from './compacting.js';
import {
  callingLine,
  checkNesting,
  checkpointName,
  closeFrame,
  currentFrame,
  errorText,
  LuaRaised,
  newFrame,
  nextPosition,
  openFrame,
  weigh,
  type Bridge,
  type LuaState,
  type Scope,
  type SnapshotFrame,
  type Step,
} from '../kernel/index.js';

/** Instructions that opening and closing a frame costs. */
const checkpointCost = 300;

export interface FrameSpec {
  type: CheckpointType;
  name: string;
  /** What is asked for, for people and for the comparison on replay. */
  input: JsonValue;
  /** Digest of what is compared; '' where only type and name count. */
  digest: string;
  /** What flows into it and what configures it, where another version of the source is compared; left out: `digest` flows into it. */
  compared?: { data: JsonValue; settings?: Record<string, JsonValue> };
  /** Digest of the function that an unnamed checkpoint runs. */
  body?: () => string;
  scope?: Partial<Scope>;
  followUp?: FollowUp;
  /** What pages show in place of the name. */
  title?: string;
  /**
   * It does nothing but give its result and change what a snapshot has: its body isn't run again where one was taken. A function says at
   * the end whether that was so; the snapshot has the difference alone then.
   */
  isWhole?: boolean | (() => boolean);
}

/**
 * Runs a body in a frame of its own and records how it ended. On replay the body runs again, its effects answer
 * from the log, and the recorded result is what counts.
 */
export function* checkpointed(
  bridge: Bridge,
  L: LuaState,
  spec: FrameSpec,
  body: () => Generator<Step, JsonValue, unknown>,
): Generator<Step, JsonValue, unknown> {
  weigh(L, checkpointCost);
  const above = currentFrame(L);
  checkNesting(above, bridge.limits.depth);
  const { type, digest, input } = spec;
  const name = checkpointName(spec.name);
  const title = checkpointName(spec.title ?? spec.name);
  const source = callingLine(L);
  const position = nextPosition(above);
  const key = { position, type, name, digest };
  const { body: digestOfBody } = spec;
  const asked = {
    ...{ ...key, identify: onlyFirst(spec), isFrame: true },
    ...{ compared: () => comparedOf(spec), body: digestOfBody },
  };
  bridge.log.check(asked, source, () => input);
  const around = { position, scope: above.scope };
  const whole = wholeAt(bridge, { ...key, source, input });
  const compacting = compactingOf(bridge, L, { around, isWhole: spec.isWhole ?? false, whole });
  if (whole !== null) return takeWhole(bridge, L, whole, compacting);
  const frame = newFrame(position, { ...above.scope, ...spec.scope, group: { position, name: title } });
  openFrame(L, frame);
  const startedAt = bridge.now();
  let outcome: Outcome;
  let thrown: Error | null = null;
  try {
    const value = yield* body();
    assertKept(bridge, name, value);
    outcome = { ok: true, value };
  } catch (error) {
    outcome = failure(L, error, bridge);
    thrown = error as Error; // a TactusError or a LuaRaised: anything else has passed
  }
  closeFrame(L, frame);
  const at = bridge.now();
  const recorded = bridge.log.append({
    position,
    type,
    name,
    digest,
    outcome,
    at,
    durationMs: at - startedAt,
    source,
    input,
    ...(spec.followUp === undefined ? {} : { followUp: spec.followUp }),
  });
  if (recorded.outcome.ok !== outcome.ok) throw otherEnd(recorded, source);
  if (thrown !== null) throw thrown;
  if (typeof spec.isWhole !== 'function' || spec.isWhole()) compacting?.endFrame(L);
  return recorded.outcome.ok ? recorded.outcome.value : null;
}

/** What may make the frame's log shorter; null: nothing does. */
function compactingOf(
  bridge: Bridge,
  L: LuaState,
  {
    around,
    isWhole,
    whole,
  }: { around: SnapshotFrame; isWhole: boolean | (() => boolean); whole: Checkpoint | null },
): Compacting | null {
  if (isWhole === false && whole?.snapshot === undefined) return null;
  const isDifference = typeof isWhole === 'function' && whole === null;
  return isDifference
    ? new Compacting(bridge, around, bridge.lookAtStart(L, around))
    : new Compacting(bridge, around);
}

/** The checkpoint of a frame of which its end alone is recorded; null: its body runs. */
function wholeAt(
  bridge: Bridge,
  asked: Omit<Checkpoint, 'outcome' | 'at' | 'durationMs'>,
): Checkpoint | null {
  const carried = bridge.log.carriedAt(asked.position);
  if (carried?.whole === true) return carried;
  const answer = bridge.log.takeAnswer(asked, asked.source);
  if (answer === null) return null;
  const { value, at, durationMs } = answer;
  // The clock never goes back, nor does the log.
  return { ...asked, outcome: { ok: true, value }, at: Math.max(at, bridge.now()), durationMs, whole: true };
}

/** @throws TactusError payload_too_large */
function takeWhole(bridge: Bridge, L: LuaState, whole: Checkpoint, compacting: Compacting | null): JsonValue {
  bridge.passTo(whole.at);
  const { outcome, name } = bridge.log.append(whole);
  if (whole.snapshot !== undefined) compacting?.goOnFrame(L, whole.snapshot);
  if (!outcome.ok) throw new TactusError(outcome.code, outcome.message);
  assertKept(bridge, name, outcome.value);
  return outcome.value;
}

/** @throws TactusError payload_too_large where it can't be recorded */
export function assertKept({ limits, meter }: Bridge, name: string, value: JsonValue): void {
  const bytes = jsonSize(value);
  meter.charge(bytes >> 1);
  if (bytes > limits.payloadBytes)
    throw new TactusError(
      'payload_too_large',
      `${name}: a result of ${bytes} bytes is larger than the ${limits.payloadBytes} that can be kept`,
    );
}

function comparedOf({ compared, digest }: FrameSpec): Compared {
  if (compared === undefined) return { data: digest, settings: {} };
  const { data, settings = {} } = compared;
  return {
    data: digestOf(data),
    settings: Object.fromEntries(Object.entries(settings).map(([name, held]) => [name, digestOf(held)])),
  };
}

/** What is compared of a frame has one version. */
function onlyFirst({ type, digest }: FrameSpec): (version: number) => string {
  return (version) => {
    if (version > 1) throw new NewerVersionError(`The digest of a recorded ${type}`, version, 1);
    return digest;
  };
}

/** A checkpoint of what is there at once. */
export function recorded(
  bridge: Bridge,
  L: LuaState,
  spec: FrameSpec,
  value: () => JsonValue,
): Generator<Step, JsonValue, unknown> {
  return checkpointed(bridge, L, spec, function* () {
    yield* [];
    return value();
  });
}

function failure(L: LuaState, error: unknown, bridge: Bridge): Outcome {
  if (error instanceof LuaRaised)
    return { ok: false, code: bridge.scheduler.notes.codeOf(L), message: errorText(L, -1) };
  if (error instanceof TactusError && errorCodes[error.code].catchable)
    return { ok: false, code: error.code, message: error.message };
  throw error;
}
