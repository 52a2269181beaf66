import { fieldOf, listItems, namedFields, type TableConstructorExpression } from '../ast.js';
import type { Finding, Rule } from '../rule.js';

const unmet: Readonly<Record<string, string>> = {
  placeholder: 'put it into the message: it is shown nowhere else',
};

/** A question to people that promises more than is done for it. */
export const unmetRequest: Rule = {
  code: 'unmet_request',
  severity: 'warning',
  *check(file) {
    for (const { callee, args } of file.calls) {
      const given = callee === 'Hitl' ? args[1] : callee?.startsWith('Human.') === true ? args[0] : undefined;
      if (given?.type !== 'TableConstructorExpression') continue;
      for (const table of [given, ...questionsIn(given)]) yield* unmetIn(table);
    }
  },
};

function* unmetIn(table: TableConstructorExpression): Generator<Finding, void, undefined> {
  for (const { key, node } of namedFields(table)) {
    const suggestion = Object.hasOwn(unmet, key) ? unmet[key] : undefined;
    if (suggestion !== undefined) yield { node, message: `${key} has no effect here`, suggestion };
  }
}

/** `Human.inputs{{id = …}, …}`, or below `items`. */
function questionsIn(given: TableConstructorExpression): TableConstructorExpression[] {
  const items = fieldOf(given, 'items');
  const lists = items?.type === 'TableConstructorExpression' ? [given, items] : [given];
  return lists
    .flatMap(listItems)
    .filter((item): item is TableConstructorExpression => item.type === 'TableConstructorExpression');
}
