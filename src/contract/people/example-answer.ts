import type { HumanItem, HumanRequest, OptionValue } from './human-request.js';
import type { JsonValue } from '../json/json.js';
import { quotedWord, singleQuoted } from '../text/shell-word.js';

/** An answer as one types it behind `respond REQUEST`: quoted for a shell. */
export function exampleAnswer(request: Pick<HumanRequest, 'kind' | 'options' | 'form'>): string {
  const { kind, options, form } = request;
  const [option] = options;
  if (kind === 'approval') return 'y';
  if (kind === 'upload') return './FILE';
  if (form?.type === 'items')
    return quoted(Object.fromEntries(form.items.map((item) => [item.id, valueOf(item)])));
  if (form?.type === 'select' && form.multiple) return quoted(options.slice(0, Math.max(1, form.min)));
  if (option === undefined) return '"…"';
  return typeof option === 'string' ? quotedWord(option) : JSON.stringify(option);
}

function valueOf({ kind, options, form }: HumanItem): JsonValue {
  const first: OptionValue = options[0] ?? '…';
  if (kind === 'approval') return true;
  if (kind === 'upload') return { name: 'FILE', path: '…' };
  return form?.type === 'select' && form.multiple ? [first] : first;
}

function quoted(value: JsonValue): string {
  return singleQuoted(JSON.stringify(value));
}
