import { isObject, type JsonValue } from '../../contract/json/json.js';
import type { Message, ModelCall, ModelCallResult, ToolCall } from '../../contract/models/model-call.js';
import type { LogEntryView } from '../../contract/runs/run-view.js';
import type { FullLog } from './full-log.js';
import { jsonText } from '../terminal/json-text.js';
import { logText } from './log-text.js';

type Row = [name: string, text: string];

/** Each entry with what was sent and answered; before them, of the whole log, the input. */
export function fullLogText(log: FullLog, isWhole: boolean): string {
  const { execution_log: entries, input } = log;
  const blocks = entries.map((entry) => {
    const head = logText({ ...log, execution_log: [entry] });
    return [head, ...rowsOf(entry).map(rowText)].join('\n');
  });
  const first = isWhole ? [rowText(['input', valueText(input)]).trimStart()] : [];
  return [...first, ...blocks].join('\n\n');
}

function rowsOf(entry: LogEntryView): Row[] {
  const { type, request, input, result, error } = entry;
  const sent: Row[] =
    type === 'model_call' && isObject(request)
      ? callRows(request as unknown as ModelCall)
      : [['sent', valueText(request ?? input)]];
  if (error !== null) return [...sent, ['error', error]];
  return type === 'model_call' && isObject(result)
    ? [...sent, ...answerRows(result as unknown as ModelCallResult)]
    : [...sent, ['result', valueText(result)]];
}

function callRows({ model, system, messages, tools, outputSchema, settings }: ModelCall): Row[] {
  const rows: Row[] = [['model', model ?? "the worker's default"]];
  if (Object.keys(settings).length > 0) rows.push(['settings', jsonText(settings)]);
  if (outputSchema !== null) rows.push(['schema', jsonText(outputSchema)]);
  for (const { name, description, parameters } of tools)
    rows.push(['tool', `${name}: ${description} ${jsonText(parameters)}`]);
  if (system !== null) rows.push(['system', system]);
  return [...rows, ...messages.flatMap(messageRows)];
}

function messageRows(message: Message): Row[] {
  const { role, content } = message;
  if (role === 'tool') return [['gave', `${message.name} ${content}`]];
  const calls = role === 'assistant' ? (message.toolCalls ?? []) : [];
  return [
    ...(content === '' && calls.length > 0 ? [] : [[role, content] satisfies Row]),
    ...calls.map(callRow),
  ];
}

function callRow({ name, arguments: given, invalid }: ToolCall): Row {
  return ['calls', `${name} ${invalid ?? jsonText(given)}`];
}

function answerRows({ text, toolCalls, finishReason, usage, model }: ModelCallResult): Row[] {
  const tokens = `${usage.input_tokens} tokens in, ${usage.output_tokens} out`;
  return [
    ...(text === '' && toolCalls.length > 0 ? [] : [['answer', text] satisfies Row]),
    ...toolCalls.map(callRow),
    ['', `${model} · ${tokens} · ${finishReason}`],
  ];
}

function valueText(value: JsonValue): string {
  return typeof value === 'string' ? value : jsonText(value, 2);
}

const nameWidth = 10;

function rowText([name, text]: Row): string {
  const lines = text.split('\n');
  const margin = ' '.repeat(2 + nameWidth);
  return `  ${name.padEnd(nameWidth)}${lines.join(`\n${margin}`)}`;
}
