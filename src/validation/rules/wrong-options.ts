import { fieldOf, listItems, stringValue } from '../syntax/ast.js';
import { scalarOf } from '../syntax/literal-kind.js';
import type { Rule } from '../rule.js';

/** Options of a human request that nobody can choose between: none, one twice, or a default outside of them. */
export const wrongOptions: Rule = {
  code: 'wrong_options',
  severity: 'error',
  *check(file) {
    for (const { callee, args } of file.calls) {
      const [config] = args;
      if (!/^Human\.(input|review|select)$/.test(callee) || config?.type !== 'TableConstructorExpression')
        continue;
      const options = fieldOf(config, 'options');
      if (options?.type !== 'TableConstructorExpression') continue;
      const items = listItems(options);
      if (items.length !== options.fields.length) continue;
      if (items.length === 0 && callee !== 'Human.input')
        yield {
          node: options,
          message: `${callee} has no options to choose from`,
          suggestion: 'write options = {"yes", "no"}',
        };
      const values = items.map((item) =>
        item.type === 'TableConstructorExpression'
          ? (stringValue(fieldOf(item, 'value', 'label')) ?? undefined)
          : scalarOf(item),
      );
      const twice = items.find((_, i) => values[i] !== undefined && values.indexOf(values[i]) < i);
      if (twice !== undefined)
        yield {
          node: twice,
          message: `${callee} has the same option twice`,
          suggestion: 'leave one of them out',
        };
      const given = fieldOf(config, 'default');
      const chosen = given === undefined ? undefined : scalarOf(given);
      if (
        given !== undefined &&
        chosen !== undefined &&
        items.length > 0 &&
        !values.includes(undefined) &&
        !values.includes(chosen)
      )
        yield {
          node: given,
          message: `The default of ${callee} is not among its options`,
          suggestion: `use one of ${values.map((each) => JSON.stringify(each)).join(', ')}`,
        };
    }
  },
};
