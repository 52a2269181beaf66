import type { Prediction } from '../../contract/predictions/prediction.js';
import type { ServedModel } from '../../contract/predictions/served-model.js';
import { DeclaredList } from '../kernel/declared-list.js';
import type { Schema } from '../values/schema.js';
import type { Combination } from './combined-model.js';
import type { LlmModel } from './llm-model.js';

/** Who answers. */
export type ModelSource =
  | { kind: 'simple'; backend: Prediction['backend'] }
  | { kind: 'llm'; llm: LlmModel }
  | { kind: 'served'; backend: ServedModel; batch: number }
  | { kind: 'combined'; combination: Combination; members: readonly ModelDeclaration[] }
  /** Models of this type can be declared and mocked here, and nothing else. */
  | { kind: 'none' };

export interface ModelDeclaration {
  name: string | null;
  /** Lower-case `model` gives raw values, `Model` wraps them as `{output = …}`. */
  raw: boolean;
  /** As it is written: one of `modelTypes`. */
  type: string;
  source: ModelSource;
  input: Schema | null;
  output: Schema | null;
}

export const declaredModels = new DeclaredList<ModelDeclaration>();
