import { ownIndex, type Checkpoint } from '../../contract/checkpoints/checkpoint.js';
import { TactusError } from '../../contract/errors.js';
import { isObject, type JsonValue } from '../../contract/json/json.js';
import { currentFrame, upcomingPosition, type Bridge, type LuaState, type Step } from '../kernel/index.js';
import { Compacting } from './compacting.js';
import { checkpointed, type FrameSpec } from './checkpointed.js';

/** What a round gives: what the next one goes on from, and what it did for whoever reads the log. */
export interface Round {
  kept: JsonValue;
  result: JsonValue;
  isLast: boolean;
}

/**
 * Runs rounds, each in a frame of its own, until one is the last. What a round hands to the next is `kept` alone, as the log
 * has it: `{kept, result, is_last}` is the recorded value of the frame. The log of the frame around may begin at a snapshot
 * after any of them.
 * @param spec the frame of a round
 * @param first what the first round goes on from
 * @param round rounds are counted from 1
 * @param onEnded told of each round once it is recorded
 * @returns the last round
 */
export function* inRounds(
  bridge: Bridge,
  L: LuaState,
  spec: (kept: JsonValue, index: number) => FrameSpec,
  first: JsonValue,
  round: (kept: JsonValue, index: number) => Generator<Step, Round, unknown>,
  onEnded: (ended: Round) => void = () => undefined,
): Generator<Step, Round, unknown> {
  const frame = currentFrame(L);
  const begin = frame.next;
  const { scope } = frame;
  const compacting = new Compacting(bridge, { position: upcomingPosition(frame), scope });
  let kept = first;
  const begun = compacting.begun;
  if (begun !== null) {
    ({ kept } = takeRound(bridge, begun));
    compacting.goOnLoop(L, begun);
    frame.next = ownIndex(begun.position) + 1;
  }
  for (;;) {
    const before = kept;
    const index = frame.next - begin + 1;
    const recorded = yield* checkpointed(bridge, L, spec(before, index), function* () {
      const { kept: after, result, isLast } = yield* round(before, index);
      return { kept: after, result, is_last: isLast };
    });
    const ended = readRound(recorded);
    compacting.endRound(L, frame.next, ended.isLast);
    onEnded(ended);
    if (ended.isLast) return ended;
    kept = ended.kept;
  }
}

/** The round after which the log of its frame begins. */
function takeRound(bridge: Bridge, begun: Checkpoint): Round {
  bridge.passTo(begun.at);
  const { outcome } = bridge.log.append(begun);
  return readRound(outcome.ok ? outcome.value : null);
}

/** @throws TactusError non_determinism where the log has something else */
function readRound(recorded: JsonValue): Round {
  if (!isObject(recorded) || typeof recorded['is_last'] !== 'boolean')
    throw new TactusError('non_determinism', 'the log has a round that is none: {kept, result, is_last}');
  const { kept = null, result = null, is_last: isLast } = recorded;
  return { kept, result, isLast };
}
