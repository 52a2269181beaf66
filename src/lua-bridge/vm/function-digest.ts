import { digestOf } from '../../contract/effects/digest.js';
import type { JsonValue } from '../../contract/json/json.js';
import { decodeLossy, lua, type LuaState, type TValue } from './fengari.js';

/** What fengari compiles a function to. */
interface Prototype {
  k: TValue[];
  p: Prototype[];
  code: { code: number }[];
  upvalues: { name: { getstr(): Uint8Array } | null }[];
  numparams: number;
  is_vararg: boolean;
}

/**
 * Tells two functions of one source, or of two versions of it, apart by what they do: lines, comments and the names of their locals
 * make no difference. Upvalues count by name, for their places change with each local that is declared before.
 */
export function functionDigest(L: LuaState, index: number): string {
  const closure = lua.lua_topointer(L, index) as { p?: Prototype } | null;
  return closure?.p === undefined ? '' : digestOf(whatItDoes(closure.p));
}

function whatItDoes({ k, p, code, upvalues, numparams, is_vararg: isVararg }: Prototype): JsonValue {
  return {
    code: code.map((instruction) => instruction.code),
    constants: k.map(constant),
    functions: p.map(whatItDoes),
    upvalues: upvalues.map(({ name }) => (name === null ? null : decodeLossy(name.getstr()))),
    parameters: numparams,
    isVararg,
  };
}

function constant({ type, value }: TValue): JsonValue {
  const isText = value !== null && typeof value === 'object' && 'getstr' in value;
  return [type, isText ? decodeLossy((value as { getstr(): Uint8Array }).getstr()) : String(value)];
}
