import type { Prediction } from '../../contract/prediction.js';
import { DeclaredList } from '../kernel/declared-list.js';
import type { Schema } from '../values/schema.js';
import type { LlmModel } from './llm-model.js';

export interface ModelDeclaration {
  name: string | null;
  /** Lower-case `model` gives raw values, `Model` wraps them as `{output = …}`. */
  raw: boolean;
  /** As it is written: one of `modelTypes`. */
  type: string;
  /** null: models of this type can be declared and mocked here, and nothing else. */
  backend: Prediction['backend'] | null;
  /** Of the type `llm` alone: what a run asks itself. */
  llm: LlmModel | null;
  input: Schema | null;
  output: Schema | null;
}

export const declaredModels = new DeclaredList<ModelDeclaration>();
