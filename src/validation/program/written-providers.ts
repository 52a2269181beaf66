import { providerName, providerOfModel } from '../../contract/models/provider-of-model.js';
import { modelName } from '../../lua-bridge/index.js';
import type { AnalysedProgram } from './analysed-program.js';
import { fieldOf, listItems, textOf, type Expression } from '../syntax/ast.js';
import type { Declared } from './declared.js';

/** Whose models an agent asks, as far as the files write it; null stands for what only a run knows. */
export function writtenProviders({ config }: Declared, { files }: AnalysedProgram): (string | null)[] {
  const default_ = (name: string): string | null => {
    const calls = files.flatMap((file) => file.calls.filter(({ callee }) => callee === name));
    return calls.length === 1 ? textOf(calls[0]?.args[0]) : null;
  };
  const provider = fieldOf(config, 'provider');
  if (provider !== undefined) return [nameOrNull(textOf(provider))];
  const model = fieldOf(config, 'model');
  const models = model === undefined ? [default_('default_model')] : modelsIn(model);
  return models.map((written) => {
    if (written === null) return null;
    const name = modelName(written);
    return (name.includes('/') ? null : nameOrNull(default_('default_provider'))) ?? providerOfModel(name);
  });
}

/** `"a"`, `{"a", "b"}`, `{name = "a"}`. */
function modelsIn(model: Expression): (string | null)[] {
  if (model.type !== 'TableConstructorExpression') return [textOf(model)];
  const items = listItems(model);
  return items.length > 0 ? items.map(textOf) : [textOf(fieldOf(model, 'name'))];
}

function nameOrNull(name: string | null): string | null {
  return name === null ? null : providerName(name);
}
