import { readdirSync, readFileSync } from 'node:fs';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { errorCodes, type ErrorCode } from '../../../src/contract/errors.js';
import { dryProgram } from '../../../src/lua-bridge/index.js';
import { patternOf, textsOfCode } from './messages-of-code.js';

const folder = new URL('../../../docs/errors/', import.meta.url);
const codes = Object.keys(errorCodes) as ErrorCode[];

it('every error code has a page, and every page a code', () => {
  const pages = readdirSync(folder).map((name) => name.replace(/\.md$/, ''));
  expect(pages.sort()).toEqual([...codes].sort());
});

describe('the page of', () => {
  it.each(codes)('%s', (code) => {
    const text = readFileSync(new URL(`${code}.md`, folder), 'utf8');
    const headings = text.split('\n').filter((line) => line.startsWith('#'));
    expect(headings).toEqual([`# ${code}`, '## Why', '## Common causes', '## What to do']);
    expect(text).toMatch(/^```text\n[^`]+\n```$/m);
    expect(text.includes('`pcall` catches it.')).toBe(errorCodes[code].catchable);
    expect(text.split('\n').length).toBeLessThanOrEqual(40);
  });
});

/** What errors of each code may carry, as the types say: the members of an interface or a type of `errors.ts`. */
function declaredDetails(): { common: string[]; byCode: Map<string, string[]> } {
  const text = readFileSync(new URL('../../../src/contract/errors.ts', import.meta.url), 'utf8');
  const { statements } = ts.createSourceFile('errors.ts', text, ts.ScriptTarget.Latest);
  const membersOf = (node: ts.Node | undefined): ts.PropertySignature[] =>
    node !== undefined && (ts.isInterfaceDeclaration(node) || ts.isTypeLiteralNode(node))
      ? node.members.filter(ts.isPropertySignature)
      : [];
  const nameOf = ({ name }: ts.PropertySignature): string => (ts.isIdentifier(name) ? name.text : '');
  const common = statements.find(
    (each) => ts.isTypeAliasDeclaration(each) && each.name.text === 'CommonDetails',
  );
  const own = statements.find((each) => ts.isInterfaceDeclaration(each) && each.name.text === 'ErrorDetails');
  return {
    common: membersOf(
      common !== undefined && ts.isTypeAliasDeclaration(common) ? common.type : undefined,
    ).map(nameOf),
    byCode: new Map(membersOf(own).map((each) => [nameOf(each), membersOf(each.type).map(nameOf)])),
  };
}

/** What stands in backticks in a sentence. */
const quotedIn = (sentence: string): string[] =>
  [...sentence.matchAll(/`(\w+)`/g)].map((each) => each[1] ?? '');

describe('the details of errors', () => {
  const { common, byCode } = declaredDetails();

  it.each(codes)('%s has on its page what its type has', (code) => {
    const text = readFileSync(new URL(`${code}.md`, folder), 'utf8');
    const sentence = /\[`details`\]\([^)]*\) may have ([^\n]*)\./.exec(text)?.[1] ?? '';
    expect(quotedIn(sentence)).toEqual(byCode.get(code) ?? []);
  });

  it('that all may have are on the page of the package', () => {
    const text = readFileSync(new URL('../../../docs/package.md', import.meta.url), 'utf8').replaceAll(
      '\n',
      ' ',
    );
    expect(quotedIn(/Any error may have (.*?) there\./.exec(text)?.[1] ?? '')).toEqual(common);
  });
});

/** The texts of the code that make up the message that a page shows, in this order. */
const printed: Partial<Record<ErrorCode, string[]>> = {
  budget_exhausted: ['a call of {}', '{} is beyond {}', 'the budget of {}', '{} of {}', '{}: {} used'],
  build_refused: ["{} of {} histories don't replay with this build: {}"],
  cancelled: ['{} was cancelled'],
  change_refused: [
    'This would be done a second time, and may be done once alone: {}. To do it all the same, say --yes (mayRepeat); --dry-run shows the whole plan',
  ],
  child_failed: ['Procedure.run: {} failed: {}'],
  codec_failed: [
    ', and no codec is set that decodes it. Name the codec of the application that wrote it: codec in .tactus/config.yml, or a codec server by --codec-endpoint or TEMPORAL_CODEC_ENDPOINT',
  ],
  config_invalid: ['{}: {} must be true or false'],
  dead_letter_unknown: [
    "There is no dead letter {}: its run didn't fail by a call there, and has no unsent intent of that name",
    '{}. tactus-temporal dlq list{} shows those that there are',
  ],
  deadline_exceeded: [
    'Deadline expired before {}. It was {}',
    '{} was not done by its deadline, {}',
    '{} was not done within its deadline of {} s',
  ],
  delivery_failed: ['Channel {}', 'answered {}'],
  egress_denied: ["The worker's egress policy doesn't let {}:{}{} be asked: {}"],
  file_failed: [
    "doesn't exist",
    '; --files, files_folder or {} names another one, and "." is the working folder',
  ],
  forbidden: ["You are signed in as {}, so you can't act as {}"],
  http_failed: ["can't be reached ({})", ' ({})', 'attempt {} of {}'],
  human_request_invalid: ['{} needs a message: the text that the person reads'],
  input_invalid: ['Missing required field: {}'],
  instruction_limit: ['ran {} instructions without an effect; is this loop endless?'],
  internal: ['The workflow bundle is not built; run: npm run build'],
  interrupted: ['A message broke the answer off'],
  memory_limit: ["the procedure's values need more than {} bytes"],
  missing_key: ['The model {} needs {}: set {}{}'],
  missing_package: ["The model {} needs a package that isn't installed: npm install {}"],
  model_call_failed: ['answered {}: {}'],
  no_procedure: ['write Procedure { function(input) … end }'],
  no_worker: ['No worker answers on the task queue "{}" at {}; waited {} s. {}', 'Start one: {}'],
  non_determinism: ['NonDeterminismError at position {}: recorded is {}, the procedure now asks for {}'],
  non_deterministic: ['{}strict_determinism refuses {} outside of a checkpoint'],
  not_yieldable: [
    "can't wait here: table.sort comparators, string.gsub callbacks and __tostring can't be suspended; do it before, and use the result here",
  ],
  outcome_unknown: ['nobody knows whether {} was done: {}'],
  output_invalid: ['Missing required field: {}'],
  payload_too_large: ['{}: a result of {} bytes is larger than the {} that can be kept'],
  plan_invalid: ['Step {} does not exist.'],
  predict_failed: ['Model {}', 'answered {}'],
  rate_limited: ['Too many requests: again in {} s'],
  request_unknown: ['request {} belongs to run {}: send the decision to that run'],
  request_withdrawn: ['{}: {} took the request back{}'],
  requeue_refused: [
    '{} went on after the call at {} had failed, and {} succeeded since ({} at {}), which would be made again. To do that, use tactus-temporal fork {} --at {}',
  ],
  retrieval_failed: ['the corpus {} has no files of text: .md, .txt, .rst, .csv, .tsv or .html'],
  run_conflict: [
    'There is a run {} already, with {}. Choose another id, or go on with that run: tactus-temporal resume {}',
  ],
  run_not_found: ['There is no run {}'],
  run_stuck: [
    "The run {} doesn't answer: it is stuck {}",
    'since {}, on attempt {}: {}. {}',
    'It goes on by itself as soon as a worker without the fault is there',
  ],
  server_unreachable: [
    'No Temporal server answers at {}; waited up to {} s ({}). Start it, or leave the address out (--address, TEMPORAL_ADDRESS) to use the embedded server',
  ],
  snapshot_failed: [
    'SnapshotSerializationError: Unable to serialize session slices: the snapshot has {} bytes, and {} can be kept',
  ],
  snapshot_invalid: ['Slice types not registered: {}'],
  source_not_found: ['Nothing is published as {}, and no folder of this worker has a procedure of that name'],
  state_invalid: ['Field {} must be {}, got {}{}'],
  tool_denied: ['was not called', '{} said no{}'],
  tool_failed: ["unknown tool '{}'"],
  unauthenticated: ['The token has expired'],
  unknown_model: ['Unknown model {}: write it as provider/model, with one of the providers {}'],
  usage: ['--help shows what there is'],
  value_not_json: ["is a {}, which can't be kept or sent"],
  wait_timed_out: ['{}: {} {} not ended after {} s; {} on'],
};

/** A file whose message Lua makes, not our code. */
const made: Partial<Record<ErrorCode, string>> = {
  lua_error: `${'\n'.repeat(10)}Procedure { function() local result = {}\n return result.answer.text end }`,
  source_invalid: `${'\n'.repeat(5)}Procedure { input = {}\n function(input) end }`,
};

describe('the message on the page of', () => {
  const texts = textsOfCode();
  const shownOn = (code: ErrorCode): string =>
    /^```text\n([^]+?)\n```$/m.exec(readFileSync(new URL(`${code}.md`, folder), 'utf8'))?.[1] ?? '';

  it.each(Object.entries(printed) as [ErrorCode, string[]][])('%s is one that code prints', (code, parts) => {
    for (const part of parts) {
      expect(
        [...texts].some((text) => text === part || text.includes(part)),
        `the code has: ${part}`,
      ).toBe(true);
      expect(shownOn(code)).toMatch(patternOf(part));
    }
  });

  it.each(Object.entries(made) as [ErrorCode, string][])('%s is one that Lua makes', (code, source) => {
    const turn = dryProgram({ entry: 'review.tac', files: { 'review.tac': source } }, {}).turn();
    expect(turn).toMatchObject({ kind: 'failed', error: { code, message: shownOn(code) } });
  });

  it('each code is looked at', () => {
    expect([...Object.keys(printed), ...Object.keys(made)].sort()).toEqual([...codes].sort());
  });
});
