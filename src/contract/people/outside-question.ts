import type { OptionValue } from './human-request.js';
import type { JsonObject, JsonValue } from '../json/json.js';

/** What an agent outside wants to know of a person, in its own words: none of them is a fact. */
export interface OutsideQuestion {
  kind: 'approval' | 'input' | 'select';
  message: string;
  /** What it shows beside; null: nothing. */
  shown: JsonValue;
  /** Of `select`. */
  options: OptionValue[];
  /** JSON Schema of an answer of kind `input`; null: any will do. */
  schema: JsonObject | null;
  /** From then on it wants no answer, in ms since 1970; null: it takes one at any time. */
  expiresAt: number | null;
}

/** What a person has said to it. */
export type OutsideAnswer =
  | { action: 'accept'; content: JsonValue; comment?: string }
  /** It is left without an answer. */
  | { action: 'decline'; comment?: string };
