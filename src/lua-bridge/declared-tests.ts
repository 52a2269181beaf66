import type { JsonObject } from '../contract/json/json.js';
import type { Bridge } from './kernel/bridge.js';
import { inputTypes, type DeclaredInput } from './describe.js';
import { mainOf } from './main/main-procedure.js';
import { madeUp } from './mocks/made-up.js';
import type { ProcedureDeclaration } from './procedures/procedure-declaration.js';
import { script } from './state/script.js';
import {
  declaredEvaluations,
  declaredSpecifications,
  declaredSteps,
  type SpecificationDeclaration,
} from './specifications/specifications.js';
import type { Fields } from './values/schema.js';

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
