import type { Identifier } from '../syntax/ast.js';
import type { Rule } from '../rule.js';
import { surface } from '../../language/surface.js';

/** Names whose loss is felt: data of the run. Others in lower case are common names of variables. */
const ofTheRun = ['state', 'input'];

/** Names that procedures had as their own before they were of the language: what they define wins. */
const ofAuthors = ['Error'];

/** A variable that takes the name of a part of the language, which is then out of reach. */
export const overwrittenName: Rule = {
  code: 'overwritten_name',
  severity: 'warning',
  *check(file) {
    for (const { node } of file.scopes.writes)
      if (Object.hasOwn(surface, node.name) && isFelt(node.name))
        yield {
          node,
          message: `${node.name} is part of the language: from here on it is this value`,
          suggestion: 'use another name',
        };
    for (const { declared, kind, name } of file.scopes.locals) {
      if (kind !== 'local' || !Object.hasOwn(surface, name) || ofAuthors.includes(name)) continue;
      if (name !== 'state' && !isCapitalised(name)) continue;
      const up = file.parents.get(declared);
      if (up?.type === 'LocalStatement' && keeps(up.init[up.variables.indexOf(declared)], name)) continue;
      yield {
        node: declared,
        message: `${name} is part of the language: here it is a plain variable${name === 'state' ? ', and nothing in it is kept' : ''}`,
        suggestion: 'use another name',
      };
    }
  },
};

/** `local Human = Human` only makes it shorter to reach. */
function keeps(value: { type: string } | undefined, name: string): boolean {
  return value?.type === 'Identifier' && (value as Identifier).name === name;
}

function isFelt(name: string): boolean {
  return !ofAuthors.includes(name) && (isWorthIt(name) || ofTheRun.includes(name));
}

function isWorthIt(name: string): boolean {
  return (
    isCapitalised(name) ||
    /^(string|table|math|os|coroutine|utf8|require|print|pcall|error|pairs|ipairs|type|tostring|tonumber)$/.test(
      name,
    )
  );
}

function isCapitalised(name: string): boolean {
  return /^[A-Z]/.test(name);
}
