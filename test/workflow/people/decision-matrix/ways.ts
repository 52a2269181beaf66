import type { TactusRun } from '../../../../src/client/tactus-run.js';
import type { Decision, Verdict } from '../../../../src/contract/people/decision.js';
import { queryNames, signalNames } from '../../../../src/contract/names.js';
import type { ApiServer } from '../../../support/api-server.js';
import type { CliFolder } from '../../../support/cli-folder.js';
import { waitUntil } from '../../../support/wait-until.js';

/** How a decision is sent, and its verdict heard. */
export type Way = (run: TactusRun, decision: Decision) => Promise<Verdict>;

export const byUpdate: Way = (run, decision) => run.decide(decision);

/** Of a signal that changes nothing, a duplicate, no verdict is kept: it is not for those. */
export const bySignal: Way = async (run, decision) => {
  await run.handle.signal(signalNames.decide, decision);
  return waitUntil(() => run.handle.query<Verdict | null, [string]>(queryNames.verdict, decision.id ?? ''));
};

export function byHttp(api: ApiServer, namespace: string): Way {
  return async (_, { request, ...decision }) => {
    const path = `/namespaces/${namespace}/requests/${encodeURIComponent(request)}/decide`;
    return (await api.post(path, decision)).body as unknown as Verdict;
  };
}

export function byCli(folder: CliFolder, server: readonly string[]): Way {
  return async (_, { request, value, by = '' }) => {
    const typed = typeof value === 'boolean' ? (value ? 'y' : 'n') : JSON.stringify(value);
    const args = ['respond', request, typed, '--as', by, ...server, '--json'];
    return (await folder.run(args)).json() as unknown as Verdict;
  };
}
