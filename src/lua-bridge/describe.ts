import type { Bridge, Fields, FieldType } from './kernel/index.js';
import { declaredAgents } from './agents/agent-declaration.js';
import { mainOf } from './main/main-procedure.js';
import { modelsOf } from './models/model-choice.js';
import { declaredModels } from './models/model-declaration.js';
import { script } from './state/state-store.js';
import { declaredModules, modelOfModule } from './signatures/module-declaration.js';
import type { JsonObject } from '../contract/json/json.js';
import { madeUp } from './mocks/mocks.js';
import type { ProcedureDeclaration } from './procedures/procedure-declaration.js';
import {
  declaredEvaluations,
  declaredSpecifications,
  declaredSteps,
  type SpecificationDeclaration,
} from './specifications/specifications.js';

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

function inputTypes(bridge: Bridge): DeclaredInput | null {
  const fields = mainOf(bridge)?.input ?? script.of(bridge).input;
  if (fields === null) return null;
  return Object.fromEntries(Object.entries(fields).map(([name, { type }]) => [name, type]));
}

/** What a file declares for its tests. */
export interface DeclaredTests {
  specifications: readonly SpecificationDeclaration[];
  /** Steps of the file's own, in the order of their index. */
  steps: { pattern: string; line: number | null }[];
  evaluations: readonly JsonObject[];
  /** As in `Description`. */
  input: DeclaredInput | null;
  /** Input that a script would run with. */
  scriptInput: JsonObject;
  /** What scenarios are given of the required input, where none of their steps says anything else. */
  standIns: JsonObject;
}

export function describeTests(bridge: Bridge): DeclaredTests {
  return {
    specifications: declaredSpecifications.of(bridge),
    steps: declaredSteps.of(bridge).map(({ pattern, line }) => ({ pattern, line })),
    evaluations: declaredEvaluations.of(bridge),
    input: inputTypes(bridge),
    scriptInput: madeUp(requiredOf(script.of(bridge).input ?? {}), testText),
    standIns: standInsFor(mainOf(bridge)),
  };
}

/** Scenarios of the older dialect may leave out what is required: it ran them without. */
function standInsFor(main: ProcedureDeclaration | null): JsonObject {
  return madeUp(requiredOf(main?.ownState === true ? main.input : {}), testText);
}

function requiredOf(fields: Fields): Fields {
  const left = Object.entries(fields).filter(
    ([, { required, default: value }]) => required && value === undefined,
  );
  return Object.fromEntries(left);
}

function testText(name: string): string {
  return `test ${name}`;
}
