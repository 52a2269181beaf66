import type { Checkpoint } from '../../contract/checkpoints/checkpoint.js';
import { effectDigest, effectVersion } from '../../contract/effects/effect-digest.js';
import { compareAsked, isSamePlace } from '../../log/compare.js';
import type { Bridge } from '../kernel/bridge.js';
import { checkpointName } from '../scheduler/checkpoint-name.js';
import type { EffectAsk } from '../scheduler/scheduler.js';

/** Whether what the log has where something is to be paid for is that very thing. */
export type IsRecorded = (recorded: Checkpoint) => boolean;

/** Whether it is this very effect. */
export function isEffect({ holds }: Bridge, { type, name, effect }: EffectAsk): IsRecorded {
  return (recorded) => {
    const identify = (version: number): string => effectDigest(effect, version);
    const digest = identify(effectVersion(effect, holds));
    const asked = { position: recorded.position, type, name: checkpointName(name), digest };
    return compareAsked(recorded, { ...asked, identify }) === null;
  };
}

/** Whether it is an effect of this type and name: what else it has isn't known yet. */
export function isNamed({ type, name }: Pick<EffectAsk, 'type' | 'name'>): IsRecorded {
  return (recorded) => isSamePlace(recorded, { ...recorded, type, name: checkpointName(name) });
}
