import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import { freePort } from '../../src/worker/server/embedded-server/free-port.js';
import { executablePaths } from './executable-paths.js';
import { temporaryFolder } from './temporary-folder.js';
import { waitUntil } from './wait-until.js';

/** Whether there is one here. `PROMETHEUS_TEST=required`, as in `.ci/run`: where there is none, the tests fail. */
export const hasPrometheus =
  process.env['PROMETHEUS_TEST'] === 'required' || (executablePaths().prometheus ?? null) !== null;

/** @throws Error where the set-up got none */
function programOf(name: 'prometheus' | 'promtool'): string {
  const folder = executablePaths().prometheus ?? null;
  if (folder === null) throw new Error('There is no Prometheus here: `npm test` fetches one on Debian 12');
  return join(folder, name);
}

/** What promtool says, and its exit code. */
export function promtool(...args: string[]): { status: number | null; output: string } {
  const { status, stdout, stderr } = spawnSync(programOf('promtool'), args, { encoding: 'utf8' });
  return { status, output: stdout + stderr };
}

export interface Alert {
  alert: string;
  expr: string;
  for?: string;
  annotations: { summary: string; runbook_url: string };
}

interface Rules {
  groups: { rules: Alert[] }[];
}

const rules = parse(
  readFileSync(join(import.meta.dirname, '../../deploy/prometheus/alerts.yml'), 'utf8'),
) as Rules;

/** The alerts that ship. */
export const alerts = rules.groups.flatMap((group) => group.rules);

/** The expression of an alert without its threshold. */
export function comparedIn({ expr }: Alert): string {
  const compared = expr.replace(threshold, '');
  if (compared === expr) throw new Error(`${expr} has no threshold`);
  return compared;
}

const threshold = / (==|>) [\d.]+$/;

/** They fire at once in place of after minutes, and beyond thresholds of a test in place of theirs. */
export function hastyRules(thresholds: Readonly<Record<string, number>> = {}): Rules {
  const hasty = (rule: Alert): Alert => ({
    ...rule,
    ...(rule.for === undefined ? {} : { for: '1s' }),
    ...(thresholds[rule.alert] === undefined
      ? {}
      : { expr: `${comparedIn(rule)} > ${thresholds[rule.alert]}` }),
  });
  return { groups: rules.groups.map((group) => ({ ...group, rules: group.rules.map(hasty) })) };
}

/** A series of an answer: its labels, and its value now. */
export interface Series {
  metric: Record<string, string>;
  value: number;
}

/** A real Prometheus on this machine, of its own. */
export interface TestPrometheus {
  query(expression: string): Promise<Series[]>;
  /** The names of the alerts that fire now. */
  firing(): Promise<string[]>;
  stop(): Promise<void>;
}

/** It asks these targets each second, and goes by these rules. */
export async function startPrometheus(
  targets: Readonly<Record<string, readonly string[]>>,
  rules: Rules,
): Promise<TestPrometheus> {
  const [port, folder] = [await freePort(), temporaryFolder('prometheus')];
  writeFileSync(join(folder, 'alerts.yml'), stringify(rules));
  const jobs = Object.entries(targets).map(([name, addresses]) => ({
    job_name: name,
    static_configs: [{ targets: addresses }],
  }));
  const times = { scrape_interval: '1s', scrape_timeout: '1s', evaluation_interval: '1s' };
  const configuration = { global: times, rule_files: ['alerts.yml'], scrape_configs: jobs };
  writeFileSync(join(folder, 'prometheus.yml'), stringify(configuration));
  const server = spawn(
    programOf('prometheus'),
    [
      `--config.file=${join(folder, 'prometheus.yml')}`,
      `--storage.tsdb.path=${join(folder, 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
    ],
    { stdio: 'ignore' },
  );
  const ended = once(server, 'exit');
  const url = `http://127.0.0.1:${port}`;
  await waitUntil(async () => (await fetch(`${url}/-/ready`)).ok);
  const query: TestPrometheus['query'] = async (expression) => {
    const answer = await fetch(`${url}/api/v1/query?query=${encodeURIComponent(expression)}`);
    const { status, error, data } = (await answer.json()) as {
      status: string;
      error?: string;
      data: { result: { metric: Record<string, string>; value: [number, string] }[] };
    };
    if (status !== 'success') throw new Error(`${expression}: ${error ?? ''}`);
    return data.result.map(({ metric, value: [, value] }) => ({ metric, value: Number(value) }));
  };
  return {
    query,
    firing: async () =>
      (await query('ALERTS{alertstate="firing"}')).map(({ metric }) => metric['alertname'] ?? ''),
    stop: async () => {
      server.kill('SIGTERM');
      await ended;
    },
  };
}
