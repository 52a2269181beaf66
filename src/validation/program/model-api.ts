import { fieldOf, textOf, type TableConstructorExpression } from '../syntax/ast.js';

/** Whether an agent or a model is asked by the API that OpenAI calls Responses; what is computed may say so. */
export function wantsResponses(config: TableConstructorExpression | null): boolean {
  const tables = [config, fieldOf(config, 'model'), fieldOf(config, 'model_settings')];
  return tables.some((table) => {
    const type = table?.type === 'TableConstructorExpression' ? fieldOf(table, 'model_type') : undefined;
    return type !== undefined && (textOf(type) ?? 'responses') === 'responses';
  });
}
