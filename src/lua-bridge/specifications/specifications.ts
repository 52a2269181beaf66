import type { JsonObject } from '../../contract/json/json.js';
import { DeclaredList } from '../kernel/declared-list.js';

/** A step of Specifications that the file brings itself. */
export interface StepDeclaration {
  /** Regular expression, matched from the beginning of a step's text. */
  pattern: string;
  /** Registry reference of the Lua function. */
  body: number;
  line: number | null;
}

/** Gherkin text, or the name of a file that has it. */
export interface SpecificationDeclaration {
  text: string | null;
  from: string | null;
  /** Line of the call in the procedure's file. */
  line: number | null;
}

export const declaredSteps = new DeclaredList<StepDeclaration>(true);
export const declaredSpecifications = new DeclaredList<SpecificationDeclaration>(true);
export const declaredEvaluations = new DeclaredList<JsonObject>(true);
