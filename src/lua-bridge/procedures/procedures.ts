import type { Bridge } from '../kernel/bridge.js';
import { DeclaredList } from '../kernel/declared-list.js';
import { globalNameOf } from '../vm/handle.js';
import type { ProcedureDeclaration } from './procedure-declaration.js';

export const declaredProcedures = new DeclaredList<ProcedureDeclaration>();

/** The name that a procedure is known by: as declared, else the global variable that holds it. */
export function procedureNameOf(bridge: Bridge, declared: ProcedureDeclaration): string | null {
  declared.name ??= globalNameOf(bridge.L, declared);
  return declared.name;
}

/** The procedure of this name that the file has declared so far. */
export function procedureNamed(bridge: Bridge, name: string): ProcedureDeclaration | undefined {
  return declaredProcedures.of(bridge).find((each) => procedureNameOf(bridge, each) === name);
}
