import { describe, expect, it } from 'vitest';
import { readRetry } from '../../../src/client/changes/retry.js';
import type { TactusRun } from '../../../src/client/tactus-run.js';
import { effectTypes } from '../../../src/contract/effects/effects.js';
import type { JsonValue } from '../../../src/contract/json/json.js';
import type { ProcedureSource } from '../../../src/contract/procedures/source.js';
import { answerRequests } from '../../support/answer-requests.js';
import { expectReplays } from '../../support/histories-below.js';
import type { ProviderRequest } from '../../support/provider-stand-in.js';
import { sampled } from '../../support/sampled.js';
import { edited, inOrder, namesOf, place, procedures, serverWithShop } from './changed-procedures.js';

const around = serverWithShop();
const start = (source: ProcedureSource): Promise<TactusRun> =>
  around.server.tactus.start(source, { shop: around.shop.url });

/** The output of a run; null: it has failed. */
async function finish(run: TactusRun): Promise<JsonValue> {
  const people = answerRequests(around.server.tactus, run.runId, () => true);
  const output = await run.result().catch(() => null);
  await people.stop();
  return output;
}

/** What was sent to the shop or the provider, told apart by what it asks for. */
const keyOf = ({ method, path, body }: ProviderRequest): string => {
  const { messages } = body;
  return `${method} ${path} ${JSON.stringify(Array.isArray(messages) ? messages.at(-1) : null)}`;
};
const allSent = (): ProviderRequest[] => [...around.provider.requests, ...around.shop.requests];
const resetSent = (): void => {
  around.provider.requests.length = 0;
  around.shop.requests.length = 0;
};
const chargesIn = (requests: readonly ProviderRequest[]): string[] =>
  requests.filter(({ method, path }) => method === 'POST' && !path.startsWith('/v1')).map(({ path }) => path);

/** Has ended a run while a payment beside it was under way. */
const isBesidePayment = (key: string): boolean => key.includes('"left"');
/** Fails in a step that is tried again by itself. */
const isInAttempts = ({ files }: ProcedureSource): boolean =>
  files['main.tac']?.includes('error("broken") return http_client.post(input.shop .. "/pay"') === true;

/** The same source, broken in one place each: by an error of its own before each statement. A race goes on without who failed. */
function brokenSources({ entry, files }: ProcedureSource): ProcedureSource[] {
  return Object.entries(files).flatMap(([file, text]) =>
    [...text.matchAll(/\breturn (?!checkpoint|"slow"|"fast")|^ *(?:local|File|Sleep|for|http_client)\b/gm)]
      .filter(({ index }) => index > text.indexOf('Procedure {'))
      .map(({ index }) => ({
        entry,
        files: { ...files, [file]: `${text.slice(0, index)} error("broken") ${text.slice(index)}` },
      })),
  );
}

const same = (source: ProcedureSource): ProcedureSource => source;

type Entry = Awaited<ReturnType<TactusRun['log']>>['execution_log'][number];

/** What a run and those that it has started have recorded: positions of a child run stand after that of its call. */
async function logsOf(run: TactusRun): Promise<Entry[]> {
  const { execution_log: own } = await run.log();
  const all = [...own];
  for (const { position, type } of own) {
    if (type !== 'procedure_call' && type !== 'procedure_spawn') continue;
    const below = await logsOf(around.server.tactus.attach(`${run.runId}/${position}`));
    all.push(...below.map((each) => ({ ...each, position: `${position}/${each.position}` })));
  }
  return all;
}

/** Tries a run again that has failed, and compares what then happens with the plan. */
async function retryAsPlanned(
  run: TactusRun,
  source: ProcedureSource,
  { before, expected }: { before: ProviderRequest[]; expected: JsonValue },
): Promise<void> {
  const { tactus } = around.server;
  const failed = await logsOf(run);
  const { plan } = await readRetry(run, { source, dryRun: true });
  expect(plan.diverges).toBeNull();
  const sent = allSent().length;
  const repeated = plan.again.filter(({ repeats }) => repeats);
  if (repeated.length > 0)
    await expect(readRetry(run, { source })).rejects.toMatchObject({ code: 'change_refused' });
  const retry = await readRetry(run, { source, mayRepeat: true });
  expect(retry.plan).toEqual(plan);
  expect(allSent()).toHaveLength(sent);
  resetSent();
  await tactus.startFork(retry);
  const output = await finish(run);
  const log = await logsOf(run);
  const recorded = new Map(failed.map(({ position, timestamp }) => [position, timestamp]));
  const kept = new Set(
    log.filter((each) => recorded.get(each.position) === each.timestamp).map(({ position }) => position),
  );
  expect([...kept].filter((each) => !each.includes('/'))).toHaveLength(plan.kept);
  const placesWhere = (fate: string): string[] =>
    plan.children
      .filter(({ becomes }) => becomes === fate)
      .map(({ run_id: id }) => id.slice(run.runId.length + 1));
  const [adopted, anew] = [placesWhere('adopted'), placesWhere('started_anew')];
  const did = log.filter(
    ({ type, position }) => effectTypes.has(type) && !kept.has(position) && !adopted.includes(position),
  );
  const names = did.map(({ position, type }) => `${position} ${type}`);
  const again = plan.again.filter(({ type }) => effectTypes.has(type));
  const known = new Set(again.map(({ position }) => position));
  expect(namesOf(again)).toEqual(inOrder(names.filter((each) => known.has(place(each)))));
  // The plan ends where an answer is needed that the run never had: what is done beside it was never done before.
  const inFull = ({ position, type, name }: Entry): string => `${position} ${type} ${name}`;
  // What is deferred is done at each end.
  const isAtEnd = ({ name }: Entry): boolean => name.endsWith('/unlock');
  const succeeded = new Set(
    failed.filter((each) => each.status === 'completed' && !isAtEnd(each)).map(inFull),
  );
  const isPlanned = ({ position }: Entry): boolean =>
    known.has(position) || anew.some((each) => position.startsWith(`${each}/`));
  expect(did.filter((each) => !isPlanned(each) && succeeded.has(inFull(each)))).toEqual([]);
  expect(allSent()).toHaveLength(did.filter(({ type }) => type === 'http' || type === 'model_call').length);
  const twice = chargesIn(around.shop.requests).filter((path) => chargesIn(before).includes(path));
  const charges = repeated.filter(({ type }) => type === 'http');
  expect(charges.map(({ name }) => new URL(name.replace(/^\w+ /, 'http://')).pathname)).toEqual(twice);
  expect((await run.status()).changes).toMatchObject([{ kind: 'retry', kept: plan.kept }]);
  expect(output).toEqual(expected);
  await expectReplays(tactus, run.runId);
}

describe.each(Object.entries(procedures))('%s, failed at any position', (_, source) => {
  it.each([
    ['by the same source', same],
    ['by an edited one', edited],
  ])('is tried again as the plan says: a call that fails, %s', async (__, edit) => {
    resetSent();
    const output = await finish(await start(source));
    const keys = [...new Set(allSent().map(keyOf))];
    for (const key of sampled(keys, 4, isBesidePayment)) {
      resetSent();
      around.fails = (request) => keyOf(request) === key;
      const run = await start(source);
      const failed = await finish(run);
      around.fails = () => false;
      // A tool that fails is told to the model.
      if (failed !== null) continue;
      await retryAsPlanned(run, edit(source), { before: allSent(), expected: output });
    }
  });

  it('is tried again as the plan says: a source that fails, by one that is mended', async () => {
    const output = await finish(await start(source));
    for (const broken of sampled(brokenSources(source), 4, isInAttempts)) {
      resetSent();
      const run = await start(broken);
      expect(await finish(run)).toBeNull();
      await retryAsPlanned(run, source, { before: allSent(), expected: output });
    }
  });
});
