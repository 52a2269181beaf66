import type { PastRun } from '../../client/runs/index.js';
import { TactusError } from '../../contract/errors.js';
import { canonicalJson, isObject, type JsonValue } from '../../contract/json/json.js';
import { procedureName } from '../../contract/procedures/source.js';
import type { ProgramEnd } from '../../lua-bridge/index.js';
import { recordedAnswers, type RecordedAnswers } from './recorded-answers.js';

/** Characters of a value in a step. */
const mostOfValue = 100_000;
const mostSteps = 5_000;

export interface WrittenSpecification {
  /** Gherkin. */
  text: string;
  /** What isn't in it, each as a sentence: it stands in the text as a comment, too. */
  problems: string[];
}

/**
 * Writes what a run was given, what it was answered and what it came to as one scenario.
 * @throws TactusError usage where the run has no end yet that a scenario can have; payload_too_large
 */
export function writeSpecification(past: PastRun, end: ProgramEnd | null): WrittenSpecification {
  const { runId, started, log } = past;
  const { source, input, task } = started.start;
  if (source === undefined || end === null)
    throw new TactusError('usage', `${runId} has no source of its own: no scenario can be written of it`);
  if (end.status === 'waiting')
    throw new TactusError(
      'usage',
      past.status === 'cancelled' || past.status === 'terminated' || past.status === 'timed_out'
        ? `${runId} was ended from outside (${past.status}): no scenario can say so`
        : `${runId} has not ended: a scenario says what came of a run`,
    );
  const answers = recordedAnswers(
    log,
    log.reduce((least, { at, durationMs }) => Math.min(least, at - durationMs), Infinity),
  );
  const writer = new Writer(answers.problems);
  if (started.pass !== undefined)
    writer.problems.push(
      'The run began again, and this is its last pass: what the passes before left in its state is not given',
    );
  writer.step('Given the procedure has started');
  for (const [key, value] of Object.entries(isObject(input ?? null) ? (input as object) : {}))
    writer.keyed('Given the input', key, 'is', value as JsonValue);
  writeAnswers(writer, answers);
  writer.step(
    task === undefined || task === null ? 'When the procedure runs' : `When the task ${quoted(task)} runs`,
  );
  writeEnd(writer, end);
  for (const [type, count] of answers.requests)
    writer.step(`Then the execution log should contain ${count} ${type} entries`);
  for (const [tool, count] of answers.toolCalls)
    if (/^[-\w]+$/.test(tool)) writer.step(`Then the ${tool} tool should be called exactly ${count} times`);
  if (writer.steps.length > mostSteps)
    throw new TactusError(
      'payload_too_large',
      `The scenario of ${runId} would have ${writer.steps.length} steps, and ${mostSteps} is the most`,
    );
  const name = (text: string): string => text.replace(/\s+/g, ' ').trim();
  const lines = [
    `# The run ${name(runId)}, by tactus-temporal test --from-run.`,
    ...writer.problems.map((problem) => `# Not as in the run: ${name(problem)}.`),
    `Feature: ${name(procedureName(source))}`,
    `  Scenario: as in ${name(runId)}`,
    ...writer.steps.map((step) => `    ${step}`),
  ];
  return { text: `${lines.join('\n')}\n`, problems: writer.problems };
}

class Writer {
  readonly steps: string[] = [];

  constructor(readonly problems: string[]) {}

  step(text: string): void {
    if (text.length > mostOfValue)
      this.problems.push(
        `"${text.slice(0, 80)}…" has ${text.length} characters, and is left out; log has it`,
      );
    else this.steps.push(text);
  }

  /** A step on a name that the step has without quotes. */
  keyed(before: string, key: string, after: string, value: JsonValue): void {
    if (/^(?!should\b)\w+$/.test(key)) this.step(`${before} ${key} ${after} ${valueText(value)}`);
    else
      this.problems.push(
        `${before.replace(/^\w+ /, '')} ${JSON.stringify(key)} has a name that no step can have`,
      );
  }

  /** A step on a name in quotes; '' where it can't be. */
  named(name: string): string | null {
    if (!/["\r\n]/.test(name)) return `"${name}"`;
    this.problems.push(`What ${JSON.stringify(name)} gave has a name that no step can have`);
    return null;
  }
}

function writeAnswers(writer: Writer, answers: RecordedAnswers): void {
  for (const [path, text] of answers.files) {
    const file = writer.named(path);
    if (file !== null) writer.step(`Given the file ${file} contains ${quoted(text)}`);
  }
  for (const [agent, turns] of answers.turns) {
    const who = writer.named(agent);
    if (who === null) continue;
    for (const { text, data, tools } of turns) {
      writer.step(`Given the agent ${who} responds with ${quoted(text)}`);
      if (data !== null) writer.step(`Given the agent ${who} returns data ${valueText(data)}`);
      for (const { name, args } of tools) {
        const tool = writer.named(name);
        const given = valueText(isObject(args) ? args : {});
        if (tool !== null) writer.step(`Given the agent ${who} calls tool ${tool} with args ${given}`);
      }
    }
  }
  for (const [name, calls] of answers.calls) {
    const what = writer.named(name);
    if (what === null) continue;
    const [first] = calls;
    const isOne = new Set(calls.map((call) => canonicalJson(call))).size === 1;
    if (isOne && first !== undefined && 'value' in first)
      writer.step(`Given the tool ${what} returns ${valueText(first.value)}`);
    else
      for (const [index, call] of calls.entries())
        writer.step(
          `Given call ${index + 1} of the tool ${what} ${'value' in call ? `returns ${valueText(call.value)}` : `fails with ${quoted(call.error)}`}`,
        );
  }
  writeDecisions(writer, answers);
  for (const { name, value, afterMs, mayTimeOut } of answers.events) {
    const event = writer.named(name);
    const after = mayTimeOut ? ` after "${Math.max(0, Math.round(afterMs / 1_000))}s"` : '';
    if (event !== null) writer.step(`Given the event ${event} arrives with ${valueText(value)}${after}`);
  }
}

/** Where others say the same, or have it in what they say, and were answered otherwise, the place says which one is meant. */
function writeDecisions(writer: Writer, { decisions }: RecordedAnswers): void {
  for (const { position, message, value } of decisions) {
    const isAlone = decisions.every(
      (other) =>
        !other.message.includes(message) ||
        canonicalJson(other.value ?? 'nobody') === canonicalJson(value ?? 'nobody'),
    );
    // The answer before it may end with one of these.
    const text = quoted(message).replace(/[}\]]/g, escaped);
    const decision =
      value === undefined
        ? `nobody answers ${text}`
        : typeof value === 'boolean'
          ? `the person ${value ? 'approves' : 'rejects'} ${text}`
          : `the person answers ${valueText(value)} to ${text}`;
    writer.step(`Given ${isAlone ? '' : `at ${position}, `}${decision}`);
  }
}

function writeEnd(writer: Writer, { status, output, error }: ProgramEnd): void {
  if (status === 'failed') {
    const { message = '', file = null, line = null, code = '' } = error ?? {};
    const place = `${file}:${line}: `;
    // An edit moves lines, and a scenario has another folder of files.
    const [said = ''] = (message.startsWith(place) ? message.slice(place.length) : message).split('\n');
    writer.step(
      `Then the procedure should fail with ${quoted(said === '' || code === 'file_failed' ? code : said)}`,
    );
    return;
  }
  writer.step('Then the procedure should complete successfully');
  if (output === null) writer.step('Then the output should not exist');
  else if (isObject(output))
    for (const [key, value] of Object.entries(output))
      writer.keyed('Then the output', key, 'should be', value);
  else writer.step(`Then the output should be ${valueText(output)}`);
}

function valueText(value: JsonValue): string {
  if (value === null) return 'None';
  return typeof value === 'string' ? quoted(value) : oneLine(JSON.stringify(value));
}

/** Text between quotes that a step reads back as it is: quotes inside of it are written by their number. */
function quoted(text: string): string {
  const json = JSON.stringify(text).slice(1, -1).replaceAll('\\"', '\\u0022');
  return `"${oneLine(json)}"`;
}

const unread: Partial<Record<string, string>> = { b: '\\u0008', f: '\\u000c' };

/** JSON has two escapes that steps don't read, and characters that end a line of Gherkin. */
function oneLine(json: string): string {
  return json
    .replace(/\\(.)/g, (found, letter: string) => unread[letter] ?? found)
    .replace(/[\u0085\u2028\u2029]/g, escaped);
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
