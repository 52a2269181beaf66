import type { Holds } from '../../contract/engine.js';
import type { CheckpointType } from '../../contract/checkpoints/checkpoint.js';
import type { HumanAsk, HumanRequestKind } from '../../contract/people/human-request.js';
import type { JsonObject } from '../../contract/json/json.js';

/** What a call adds to what all of them have: message, timeout, approvers and metadata. */
export type KindParts = Pick<HumanAsk, 'context' | 'options' | 'default'> & Pick<Partial<HumanAsk>, 'form'>;

/** One function of `Human` that asks and waits. */
export interface HumanKind {
  kind: HumanRequestKind;
  type: CheckpointType;
  /** @throws TactusError human_request_invalid naming the field */
  read: (call: string, fields: JsonObject, holds: Holds) => KindParts;
  /** The message, where the author gives none; left out: there must be one. */
  message?: (fields: JsonObject) => string;
}
