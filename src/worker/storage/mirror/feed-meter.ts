import type { MetricMeter, MetricTags } from '@temporalio/common';

/** How much runs have told that waits to be written. `toldAt`: when the oldest of it was told, in ms since 1970; null: nothing waits. */
export interface FeedStanding {
  unwritten: number;
  toldAt: number | null;
}

/** How often it is told how much waits, in ms. */
const standingMs = 5_000;

/** Throughput and lag of a mirror or an index, among the metrics that the SDK's runtime exports. */
export class FeedMeter {
  private readonly writes;
  private readonly failures;
  private readonly entries;
  private readonly lag;
  private readonly unwritten;
  private readonly oldest;
  private telling: NodeJS.Timeout | null = null;

  constructor(
    fed: 'mirror' | 'index',
    meter: MetricMeter,
    private readonly tags: MetricTags,
    private readonly tellMs: number = standingMs,
  ) {
    this.writes = meter.createCounter(`tactus_${fed}_writes`, undefined, 'Writes of records that succeeded');
    this.failures = meter.createCounter(`tactus_${fed}_failures`, undefined, 'Writes of records that failed');
    this.entries =
      fed === 'mirror'
        ? meter.createCounter('tactus_mirror_entries', undefined, 'Checkpoints that were written')
        : null;
    this.lag = meter.createHistogram(
      ...([
        `tactus_${fed}_lag`,
        'float',
        's',
        'Time from when a run tells something until it is written',
      ] as const),
    );
    this.unwritten = meter.createGauge(
      ...([`tactus_${fed}_unwritten`, 'int', undefined, 'Runs that have told what is not written'] as const),
    );
    this.oldest = meter.createGauge(
      ...([
        `tactus_${fed}_oldest`,
        'float',
        's',
        'Age of the oldest that was told and is not written',
      ] as const),
    );
  }

  /** So many entries of a run are written, the oldest of which was told then, in ms since 1970. */
  wrote(entries: number, toldAt: number | null): void {
    this.writes.add(1, this.tags);
    if (entries > 0) this.entries?.add(entries, this.tags);
    if (toldAt !== null) this.lag.record((Date.now() - toldAt) / 1_000, this.tags);
  }

  failed(): void {
    this.failures.add(1, this.tags);
  }

  /** Tells now and then how much waits, until `end`. */
  begin(standing: () => FeedStanding): void {
    const tell = (): void => {
      const { unwritten, toldAt } = standing();
      this.unwritten.set(unwritten, this.tags);
      this.oldest.set(toldAt === null ? 0 : (Date.now() - toldAt) / 1_000, this.tags);
    };
    tell();
    this.telling ??= setInterval(tell, this.tellMs).unref();
  }

  end(): void {
    if (this.telling !== null) clearInterval(this.telling);
    this.telling = null;
  }
}
