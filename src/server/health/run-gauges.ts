import type { MetricGauge, MetricMeter, MetricTags } from '@temporalio/common';
import { BoundedNames } from '../../contract/health/bounded-names.js';
import { groupPrefix } from '../../contract/people/human-request.js';
import type { RunIndex } from '../../read-model/run-index.js';

/** How often the index is asked, in ms. */
const lookMs = 15_000;
const hourMs = 3_600_000;
/** Ages of requests, each with its bound in ms; what is older than all is `older`. */
const ages = { under_1h: hourMs, under_1d: 24 * hourMs, under_7d: 168 * hourMs } as const;
const ageNames = [...Object.keys(ages), 'older'];

export interface RunGaugesOptions {
  index: Pick<RunIndex, 'openCounts'>;
  meter: MetricMeter;
  namespace: string;
  /** Names of the members of each group, as configuration has them now. */
  groups: Readonly<Record<string, readonly string[]>>;
  onTrouble: (problem: string) => void;
  now?: () => number;
}

/**
 * How many runs and requests are open, from the index, among the metrics that the SDK's runtime exports.
 *
 * Owns: the series that it has told.
 * Invariants:
 *  1. A series without runs or requests is 0: a gauge else keeps its last value.
 *  2. No label has the name of a person: who is in no group that is asked is `person`.
 *  3. While the index doesn't answer, it isn't asked again.
 */
export class RunGauges {
  private readonly runs;
  private readonly requests;
  private readonly oldest;
  private readonly procedures = new BoundedNames();
  private readonly approvers = new BoundedNames();
  private readonly told = new Map<MetricGauge, Map<string, MetricTags>>();
  private looking: NodeJS.Timeout | null = null;
  private isAsking = false;

  constructor(private readonly options: RunGaugesOptions) {
    const { meter } = options;
    this.runs = meter.createGauge('tactus_runs_open', 'int', undefined, 'Runs that are open, by status');
    this.requests = meter.createGauge(
      'tactus_requests_open',
      'int',
      undefined,
      'Requests that wait for people',
    );
    this.oldest = meter.createGauge('tactus_requests_oldest', 'float', 's', 'Age of the oldest open request');
  }

  /** Looks now and then, until `end`. */
  begin(everyMs: number = lookMs): void {
    void this.look();
    this.looking ??= setInterval(() => void this.look(), everyMs).unref();
  }

  end(): void {
    if (this.looking !== null) clearInterval(this.looking);
    this.looking = null;
  }

  async look(): Promise<void> {
    if (this.isAsking) return;
    this.isAsking = true;
    try {
      await this.tell();
    } catch (error) {
      this.options.onTrouble(`metrics: the index of runs can't be read: ${(error as Error).message}`);
    } finally {
      this.isAsking = false;
    }
  }

  private async tell(): Promise<void> {
    const { index, namespace, now = Date.now } = this.options;
    const at = now();
    const bounds = Object.values(ages).map((age) => new Date(at - age).toISOString());
    const { runs, requests } = await index.openCounts(bounds);
    const sums = new Sums();
    for (const { procedure, status, count } of runs)
      sums.add({ namespace, procedure: this.procedures.bounded(procedure), status }, count);
    this.set(this.runs, sums);
    const [open, oldest] = [new Sums(), new Sums()];
    for (const { approvers, counts, oldestAt } of requests)
      for (const approver of this.groupsOf(approvers)) {
        const tags = { namespace, approver: this.approvers.bounded(approver) };
        ageNames.forEach((age, i) => open.add({ ...tags, age }, counts[i] ?? 0));
        oldest.raise(tags, Math.max(0, at - Date.parse(oldestAt)) / 1_000);
      }
    this.set(this.requests, open);
    this.set(this.oldest, oldest);
  }

  /** A run keeps names in place of groups: a request is a group's if all of its members may decide. It counts for each of its groups. */
  private groupsOf(approvers: readonly string[]): string[] {
    if (approvers.length === 0) return ['anybody'];
    const asked = Object.entries(this.options.groups).filter(
      ([, members]) => members.length > 0 && members.every((name) => approvers.includes(name)),
    );
    const members = new Set(asked.flatMap(([, names]) => names));
    const others = approvers.some((name) => !members.has(name)) ? ['person'] : [];
    return [...asked.map(([group]) => groupPrefix + group), ...others];
  }

  private set(gauge: MetricGauge, { values }: Sums): void {
    const told = this.told.get(gauge) ?? new Map<string, MetricTags>();
    this.told.set(gauge, told);
    for (const [key, tags] of told) if (!values.has(key)) gauge.set(0, tags);
    for (const [key, { tags, value }] of values) {
      gauge.set(value, tags);
      told.set(key, tags);
    }
  }
}

/** Values by their tags. */
class Sums {
  readonly values = new Map<string, { tags: MetricTags; value: number }>();

  add(tags: MetricTags, value: number): void {
    this.put(tags, (before) => before + value);
  }

  raise(tags: MetricTags, value: number): void {
    this.put(tags, (before) => Math.max(before, value));
  }

  private put(tags: MetricTags, next: (before: number) => number): void {
    const key = JSON.stringify(tags);
    this.values.set(key, { tags, value: next(this.values.get(key)?.value ?? 0) });
  }
}
