import { Command } from 'commander';
import { readRequestedEffects, wholeRequest, type RequestedEffects } from '../../client/runs/index.js';
import { describeRun, endOf, readSuperSteps, refuseStuck } from '../../client/index.js';
import type { LogEntryView, LogPage } from '../../contract/runs/run-view.js';
import { TactusError, lastArgument, act, exitCodes, jsonText } from '../command.js';
import { withSession } from '../session.js';
import { isObject, jsonAs, type JsonValue } from '../../contract/json/json.js';
import type { Message, ModelCall, ModelCallResult, ToolCall } from '../../contract/models/model-call.js';
import { groupedLog, logLines, type GroupedLog, type LogLine } from '../graphs/log-groups.js';
import { mermaidLabel } from '../../graph/graph-mermaid.js';

type Row = [name: string, text: string];

/** Each entry with what was sent and answered; before them, of the whole log, the input. */
function fullLogText(log: FullLog, isWhole: boolean): string {
  const { execution_log: entries, input } = log;
  const blocks = entries.map((entry) => {
    const head = tableOf({ ...log, execution_log: [entry] });
    return [head, ...rowsOf(entry).map(rowText)].join('\n');
  });
  const first = isWhole ? [rowText(['input', valueText(input)]).trimStart()] : [];
  return [...first, ...blocks].join('\n\n');
}

function rowsOf(entry: LogEntryView): Row[] {
  const { type, request, input, result, error } = entry;
  const sent: Row[] =
    type === 'model_call' && isObject(request)
      ? callRows(jsonAs<ModelCall>(request))
      : [['sent', valueText(request ?? input)]];
  if (error !== null) return [...sent, ['error', error]];
  return type === 'model_call' && isObject(result)
    ? [...sent, ...answerRows(jsonAs<ModelCallResult>(result))]
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

interface LogFlags {
  mermaid?: boolean;
  full?: boolean;
  all?: boolean;
}

/** `log RUN [POSITION]`: the execution log, or one entry with all that was sent and answered. */
export function logCommand(): Command {
  return new Command('log')
    .description('show the execution log of a run')
    .argument('<run>', 'id of the run')
    .argument('[position]', 'position of a checkpoint: show everything that it sent and received')
    .option(
      '--full',
      'show everything that was sent and answered: messages, system prompts, tools, settings, the input',
    )
    .option('--all', 'show what stands before as well: earlier passes, and what snapshots stand for')
    .option('--mermaid', 'draw it as a Mermaid diagram')
    .action(
      act(async (context, { mermaid, full, all = false }: LogFlags, runId: string, position?: string) =>
        withSession(context, async (session) => {
          const isFull = full === true || position !== undefined;
          if (isFull && mermaid === true)
            throw new TactusError('usage', 'A diagram shows the whole log, and nothing of what was sent');
          const run = session.tactus.attach(runId);
          const description = await describeRun(run);
          const end = endOf(description.status.name);
          await refuseStuck(run, description);
          if (isFull && all)
            throw new TactusError(
              'usage',
              '--all shows the log alone: what was sent is known of this pass only',
            );
          const last = end === null ? null : await session.lastAnswers(runId, description.runId);
          const isKept = last?.log != null && !(all && last.log.pass !== undefined);
          const known = isKept ? run.after(last) : null;
          const told = await (known?.log() ?? session.ask(() => run.log({ all })));
          // A run that was terminated knows nothing of it.
          const ended = end === null ? told : { ...told, status: end };
          const groups =
            known === null ? session.ask(() => readSuperSteps(run, ended)) : readSuperSteps(known, ended);
          const log = groupedLog(ended, await groups);
          if (isFull) {
            const asked = await session.ask(() => readRequestedEffects(run));
            const whole = fullLog(position === undefined ? log : onlyAt(log, position), asked);
            context.screen.answer(whole, () => fullLogText(whole, position === undefined));
            return exitCodes.done;
          }
          const drawing = mermaid === true ? logMermaid(log) : null;
          context.screen.answer(
            drawing === null ? log : { ...log, mermaid: drawing },
            () => drawing ?? logText(log),
          );
          return exitCodes.done;
        }),
      ),
    );
}

/** @throws TactusError usage where the log has no such position */
function onlyAt<T extends LogPage>(log: T, position: string): T {
  const found = log.execution_log.filter((entry) => entry.position === position);
  if (found.length > 0) return { ...log, execution_log: found };
  throw new TactusError(
    'usage',
    `${log.procedure_id} has no checkpoint ${position} that has ended; tactus-temporal log ${lastArgument(log.procedure_id)} shows those that there are`,
  );
}

/** The log with all that was sent: `log --full --json`. */
interface FullLog extends LogPage {
  /** What the run was started with. */
  input: JsonValue;
  task: string | null;
}

/** Gives each entry that asked for something its whole request: of a model call `{model, system, messages, tools, …}`. */
export function fullLog(log: LogPage, asked: RequestedEffects): FullLog {
  const { started } = asked;
  const whole = (entry: LogEntryView): LogEntryView => {
    const request = wholeRequest(asked, entry.position);
    return request === undefined ? entry : { ...entry, request };
  };
  return {
    ...log,
    input: started.start.input ?? {},
    task: started.start.task ?? null,
    execution_log: log.execution_log.map(whole),
  };
}

/**
 * The log as a table: position, type, name, time, source line, and the error or what else is to be known of it. Entries of a super-step
 * stand under what it did.
 */
export function logText(log: LogPage | GroupedLog): string {
  return [...passNote(log), tableOf(log)].join('\n');
}

/** Of a run that began again: where the checkpoints of its passes before are. */
function passNote({ procedure_id: id, pass, replay_index: all, execution_log: entries }: LogPage): string[] {
  const missing = all - entries.length;
  if (pass === undefined || missing <= 0) return [];
  return entries.length > all - pass.checkpoints
    ? [`${missing} checkpoints of the first passes are no longer kept by the server`]
    : [
        `${pass.number === 0 ? '' : `pass ${pass.number + 1}, `}after ${missing} checkpoints: tactus-temporal log ${lastArgument(id)} --all`,
      ];
}

function tableOf(log: LogPage | GroupedLog): string {
  const lines = logLines(log);
  if (lines.length === 0) return 'nothing yet';
  const rows = lines.flatMap((line) => ('entry' in line ? [cellsOf(line)] : []));
  const widths = [0, 1, 2, 3, 4].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return lines
    .map((line) => {
      if ('text' in line) return `${indent(line)}${short(line.text, 160)}`;
      const padded = cellsOf(line).map((cell, column) => cell.padEnd(widths[column] ?? 0));
      return padded.join('  ').trimEnd();
    })
    .join('\n');
}

function cellsOf(line: LogLine & { entry: LogEntryView }): string[] {
  const { entry } = line;
  return [
    `${indent(line)}${entry.position}`,
    entry.type,
    short(entry.name, 60),
    timeOf(entry),
    placeOf(entry),
    short(entry.error ?? (entry.early === true ? 'answered before it was asked' : ''), 100),
  ];
}

function indent({ depth }: LogLine): string {
  return '  '.repeat(depth);
}

/** The log as a flow chart in Mermaid's language, from its first checkpoint to the last. */
function logMermaid({ procedure_id, execution_log, status }: LogPage): string {
  const lines = ['flowchart TD', `  start([${mermaidLabel(procedure_id)}])`];
  let before = 'start';
  for (const [index, entry] of execution_log.entries()) {
    const node = `n${index}`;
    const text = mermaidLabel(
      `${entry.position} ${entry.type} · ${short(entry.name, 60)} · ${timeOf(entry)}`,
    );
    lines.push(
      entry.type.startsWith('hitl_') ? `  ${node}{{${text}}}` : `  ${node}[${text}]`,
      `  ${before} --> ${node}`,
    );
    if (entry.status === 'failed') lines.push(`  style ${node} stroke:#c00`);
    before = node;
  }
  lines.push(`  over([${mermaidLabel(status)}])`, `  ${before} --> over`);
  return lines.join('\n');
}

function timeOf({ duration_ms }: LogEntryView): string {
  return duration_ms >= 1_000 ? `${(duration_ms / 1_000).toFixed(1)} s` : `${duration_ms} ms`;
}

function placeOf({ source }: LogEntryView): string {
  return source === null ? '' : `${source.file}:${source.line}`;
}

function short(text: string, longest: number): string {
  const line = text.replace(/\s+/g, ' ');
  return line.length > longest ? `${line.slice(0, longest - 1)}…` : line;
}
