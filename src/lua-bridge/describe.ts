import type { Bridge } from './kernel/bridge.js';
import { declaredAgents } from './agents/agent-declaration.js';
import { mainOf } from './main/main-procedure.js';
import { modelsOf } from './models/model-choice.js';
import { declaredModels } from './models/model-declaration.js';
import { script } from './state/script.js';
import { declaredModules, modelOfModule } from './signatures/module-declaration.js';
import type { FieldType } from './values/schema.js';

/** Types of the fields that a procedure takes, by name. */
export type DeclaredInput = Record<string, FieldType>;

export interface Description {
  /** null where nothing is declared: then anything is taken. */
  input: DeclaredInput | null;
  /** Language models that are asked, as they are named; null stands for the default. */
  models: (string | null)[];
}

/** What a file has declared so far, for those who start it. */
export function describe(bridge: Bridge): Description {
  const asked = [
    ...declaredAgents.of(bridge).map(({ model }) => model),
    ...declaredModels.of(bridge).flatMap(({ source }) => (source.kind === 'llm' ? source.llm.choice : [])),
    ...declaredModules.of(bridge).map((module) => modelOfModule(bridge, module).choice),
  ];
  return {
    input: inputTypes(bridge),
    models: asked.flatMap((choice) => modelsOf(bridge, choice)),
  };
}

export function inputTypes(bridge: Bridge): DeclaredInput | null {
  const fields = mainOf(bridge)?.input ?? script.of(bridge).input;
  if (fields === null) return null;
  return Object.fromEntries(Object.entries(fields).map(([name, { type }]) => [name, type]));
}
