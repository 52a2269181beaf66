import { getOwn } from '../contract/json/json.js';
import { language } from './language.generated.js';
import { kindsOf, parametersOf, perText, withCoercions, type ValueKinds } from './type-notation.js';

/** How a function is called. */
export interface Signature {
  parameters: readonly SignatureParameter[];
  /** Without so many arguments a call fails. */
  needed: number;
  /** What doesn't fit is taken, and without effect. */
  isLenient: boolean;
}

interface SignatureParameter {
  type: string;
  kinds: ValueKinds;
  isOptional: boolean;
}

/**
 * Of a function, or of a library that is called. What can be called in several ways takes at each place what any of them
 * takes there. null where it isn't known, as of names that declare and call alike: `Agent`.
 */
export function signatureOf(callee: string): Signature | null {
  const isDeclared = Object.hasOwn(language.functions, callee) || Object.hasOwn(language.values, callee);
  return isDeclared ? signatureOfDeclared(callee) : null;
}

const signatureOfDeclared = perText((callee): Signature | null => {
  const declared = getOwn(language.functions, callee);
  if (declared !== undefined) {
    const ways = [declared.parameters, ...declared.overloads.map(parametersOf)];
    const isLua = declared.place.file.startsWith('lua/');
    return {
      ...merged(ways.map((way) => signature(way, declared.generics, isLua))),
      isLenient: declared.isLenient,
    };
  }
  const value = getOwn(language.values, callee);
  const [call, ...others] =
    value === undefined ? [] : (getOwn(language.classes, value.type)?.overloads ?? []);
  return call === undefined || others.length > 0 ? null : signature(parametersOf(call), [], false);
});

function signature(
  given: readonly { name: string; type: string; isOptional: boolean }[],
  generics: readonly string[],
  coerces: boolean,
): Signature {
  const parameters = given
    .filter(({ name }) => name !== '...')
    .map(({ type, isOptional }) => {
      const kinds = coerces ? withCoercions(kindsOf(type, generics)) : kindsOf(type, generics);
      return { type, kinds, isOptional };
    });
  const needed = parameters.findLastIndex(({ isOptional }) => !isOptional) + 1;
  return { parameters, needed, isLenient: false };
}

function merged(ways: readonly Signature[]): Signature {
  const longest = Math.max(...ways.map(({ parameters }) => parameters.length));
  const parameters = Array.from({ length: longest }, (_, i): SignatureParameter => {
    const there = ways.flatMap((way) => way.parameters[i] ?? []);
    const kinds = [...new Set(there.flatMap((each) => each.kinds.split('|')))];
    return {
      type: [...new Set(there.map(({ type }) => type))].join('|'),
      kinds: kinds.includes('any') ? 'any' : kinds.join('|'),
      isOptional: there.length < ways.length || there.some(({ isOptional }) => isOptional),
    };
  });
  return { parameters, needed: Math.min(...ways.map(({ needed }) => needed)), isLenient: false };
}
