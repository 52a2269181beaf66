import {
  ActivityFailure,
  ApplicationFailure,
  CancellationScope,
  isCancellation,
  sleep,
  TimeoutFailure,
} from '@temporalio/workflow';
import type { TellPeopleFailure, TellPeopleResult } from '../../contract/people/channels/tell-people.js';
import {
  dueMessages,
  nextMessages,
  type DueMessage,
  type Undelivered,
} from '../../contract/people/ledger.js';
import { messageInput, type TellingRun } from './message-input.js';
import type { RequestLedger } from './request-ledger.js';
import { tellingActivities } from '../effects/activities.js';
import { failedOutcome } from '../effects/outcomes.js';
import type { Sequence } from '../sequence.js';
import { plainText } from '../../contract/text/plain-text.js';

interface UnderWay {
  message: DueMessage;
  scope: CancellationScope;
  sent: Promise<TellPeopleResult>;
}

/** So long a run that has ended waits for those who are to hear of its end, in ms. */
const lastWordMs = 20_000;

/**
 * Messages to people about the requests of a run. They are sent beside everything else, and nothing waits for them.
 *
 * Owns: the messages that this execution is sending, and a timer for each channel that is tried again later.
 * Asks: `RequestLedger` for what is due, and to note what arrived or failed.
 * Invariants:
 *  1. What is to be sent is in the ledger, so that a later execution sends what this one has not.
 *  2. A message is sent by one activity at a time. One that was delivered is not sent again.
 *  3. Nothing is sent before `resume` or between `hold` and `release`, except the last messages of a run that has ended.
 *  4. A channel that is tried again later has at most one timer.
 */
export class Delivering {
  private readonly underWay = new Map<string, UnderWay>();
  /** Timers of channels that rest, by lane. */
  private readonly timers = new Map<string, { until: number; scope: CancellationScope }>();
  /** What was begun and hasn't had its turn. */
  private unheard = 0;
  private isReady = false;
  private holds = false;

  constructor(
    private readonly requests: RequestLedger,
    /** Something becomes of these requests at another time than before. */
    private readonly moved: (ids: readonly string[]) => void,
    private readonly sequence: Sequence,
    private readonly run: () => TellingRun,
  ) {}

  /** The run hears of something by another way than a signal. */
  get isUnderWay(): boolean {
    return this.unheard > 0;
  }

  /** A worker is sending: another execution would send it once more. */
  get isSending(): boolean {
    return this.underWay.size > 0;
  }

  /** The procedure has run for the first time here: what an execution before has left may go on. */
  resume(): void {
    this.isReady = true;
    this.advance();
  }

  /** Begins nothing more, and breaks off what is being tried again. */
  hold(): void {
    this.holds = true;
    for (const { scope } of this.underWay.values()) scope.cancel();
    this.stopTimers();
  }

  release(): void {
    this.holds = false;
    this.advance();
  }

  /** Something about requests has changed. */
  advance(): void {
    const { requests } = this;
    if (!this.isReady || this.holds || this.isIdle) return;
    requests.tidyDeliveries();
    const due = new Set(dueMessages(requests.current).map(({ key }) => key));
    for (const [key, { scope }] of this.underWay) if (!due.has(key)) scope.cancel();
    for (const message of nextMessages(requests.current, this.lanes, requests.now())) this.send(message);
    this.keepTimers(new Set(dueMessages(requests.current).map(({ lane }) => lane)));
  }

  /** There is nothing to be sent, and nothing is. */
  get isIdle(): boolean {
    const { open, closing, rests } = this.requests.current;
    return (
      this.unheard === 0 &&
      closing === undefined &&
      rests === undefined &&
      open.every(({ deliveries }) => deliveries === undefined)
    );
  }

  /** The run has ended: nobody is asked any longer, and who wants to hear of that is told, if it can be done soon. */
  async end(): Promise<void> {
    const { requests } = this;
    this.holds = true;
    this.stopTimers();
    for (const request of requests.current.open)
      if (request.deliveries !== undefined) requests.cancel(request.id);
    await Promise.race([this.sendLast(), sleep(lastWordMs, { summary: 'for those who hear of the end' })]);
  }

  private async sendLast(): Promise<void> {
    const before = [...this.underWay.values()];
    for (const { message, scope } of before) if (!('notice' in message)) scope.cancel();
    await Promise.all(
      before.map(({ message, sent }) =>
        sent.then(
          (result) => this.arrived(message, result),
          () => undefined,
        ),
      ),
    );
    const { requests } = this;
    const tried = new Map(before.map(({ message }) => [message.key, '']));
    for (;;) {
      const notices = nextMessages(requests.current, tried, requests.now()).filter(
        (each) => 'notice' in each,
      );
      if (notices.length === 0) return;
      await Promise.all(
        notices.map((message) =>
          this.begin(message).then(
            (result) => this.arrived(message, result),
            (error: unknown) => this.failed(message, undeliveredBy(error)),
          ),
        ),
      );
    }
  }

  private get lanes(): Map<string, string> {
    return new Map([...this.underWay].map(([key, { message }]) => [key, message.lane]));
  }

  private send(message: DueMessage): void {
    const scope = new CancellationScope({ cancellable: true });
    const sent = scope.run(() => this.begin(message));
    this.underWay.set(message.key, { message, scope, sent });
    this.unheard++;
    const heard = (note: () => void): void => {
      this.unheard--;
      this.underWay.delete(message.key);
      note();
      this.advance();
    };
    this.sequence.follow(
      sent,
      (result) => heard(() => this.arrived(message, result)),
      (error) =>
        heard(() => {
          if (!isCancellation(error)) this.failed(message, undeliveredBy(error));
        }),
    );
  }

  private begin(message: DueMessage): Promise<TellPeopleResult> {
    const run = this.run();
    const input = messageInput(message, run);
    const summary = `${input.channel}: ${input.why} ${input.request.id}`;
    return tellingActivities(summary, run.heartbeatMs).tellPeople(input);
  }

  private arrived(message: DueMessage, result: TellPeopleResult): void {
    if (result.gone === true)
      return this.failed(message, { problem: 'takes no more messages (410)', gone: true });
    this.requests.noteDelivered(message, result);
  }

  private failed(message: DueMessage, why: Undelivered): void {
    this.moved(this.requests.noteUndelivered(message, why, this.lanes));
  }

  /** One for each channel that rests, and by which something is to be sent. */
  private keepTimers(wanted: ReadonlySet<string>): void {
    const { requests } = this;
    const rests = new Map((requests.current.rests ?? []).map(({ lane, until }) => [lane, until]));
    for (const [lane, { until, scope }] of this.timers)
      if (rests.get(lane) !== until || !wanted.has(lane)) {
        this.timers.delete(lane);
        scope.cancel();
      }
    for (const [lane, until] of rests)
      if (until !== null && until > requests.now() && wanted.has(lane) && !this.timers.has(lane))
        this.wait(lane, until);
  }

  private wait(lane: string, until: number): void {
    const scope = new CancellationScope({ cancellable: true });
    const timer = { until, scope };
    this.timers.set(lane, timer);
    this.unheard++;
    const heard = (): void => {
      this.unheard--;
      if (this.timers.get(lane) === timer) this.timers.delete(lane);
      this.advance();
    };
    const ms = Math.max(1, until - this.requests.now());
    this.sequence.follow(
      scope.run(() => sleep(ms, { summary: `until ${lane} is tried again` })),
      heard,
      heard,
    );
  }

  private stopTimers(): void {
    for (const { scope } of this.timers.values()) scope.cancel();
    this.timers.clear();
  }
}

const longestProblem = 300;

/** What a message that could not be sent tells of itself. Of a worker that died meanwhile, who had been told by its last word. */
function undeliveredBy(error: unknown): Undelivered {
  const outcome = failedOutcome(error, 'delivery_failed');
  const problem = outcome.ok ? '' : plainText(outcome.message).slice(0, longestProblem);
  const cause = error instanceof ActivityFailure ? error.cause : undefined;
  if (cause instanceof ApplicationFailure) return { problem, ...detailsOf(cause.details?.[0]) };
  if (cause instanceof TimeoutFailure) return { problem, ...detailsOf(cause.lastHeartbeatDetails) };
  return { problem };
}

function detailsOf(given: unknown): TellPeopleFailure {
  if (typeof given !== 'object' || given === null) return {};
  const { told, alone, retryAfterMs } = given as TellPeopleFailure;
  return {
    ...(Array.isArray(told) ? { told } : {}),
    ...(alone === true ? { alone } : {}),
    ...(typeof retryAfterMs === 'number' ? { retryAfterMs } : {}),
  };
}
