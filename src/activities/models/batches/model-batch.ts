import { createHash } from 'node:crypto';
import { Context } from '@temporalio/activity';
import type {
  BatchedOutcome,
  ContinuedCallInput,
  ModelBatchInput,
  ModelBatchResult,
  ModelCallInput,
} from '../../../contract/activities.js';
import type { ErrorCode } from '../../../contract/errors.js';
import { batchBounds } from '../../../egress/bounded-response.js';
import type { CallUsage, ModelCallResult } from '../../../contract/models/model-call.js';
import { heldResponse, jsonBody } from '../background-response.js';
import { checkModel, type ModelChoice } from '../providers/index.js';
import { answerCall, wholeCall, type ContinuedDeps } from '../model-call.js';
import { atEdge, attemptSignal, Fault, toFailure, type Edge } from '../../retries/failures.js';
import { AttemptNotes, withHeartbeat, type CallNotes } from '../../retries/heartbeat.js';
import { providerFetch } from '../provider-fetch.js';
import type { BatchWay } from '../providers/provider.js';
import { secretsOf } from '../../secrets/secrets.js';
import {
  BatchCalls,
  followBatch,
  type BatchApi,
  type EndedBatch,
  type RequestId,
  type SeatedRequest,
} from './batch-api.js';
import { fileBatches, messageBatches } from './provider-batches.js';
import { jsonSize } from '../../../contract/json/json.js';
import { defaultLimits } from '../../../contract/runs/limits.js';

/** What providers take for answers that may come when they like, of what they take for others. */
const priceShare = 0.5;

const ways: Readonly<Record<BatchWay, (calls: BatchCalls, url: string) => BatchApi>> = {
  files: fileBatches,
  messages: messageBatches,
};

/**
 * Asks for many answers at once, in a provider's batch: begun once, whatever becomes of the worker, and waited for. Calls that
 * it has no answer to, all of them where the provider takes no batches, are to be asked by themselves.
 * @throws ApplicationFailure of type model_call_failed, missing_key, missing_package or unknown_model
 */
export async function modelBatch(use: ContinuedDeps, input: ModelBatchInput): Promise<ModelBatchResult> {
  const { deps } = use;
  const model = input.calls[0]?.call.model ?? null;
  const code = 'model_call_failed';
  const secrets = (): string[] => secretsOf(deps.env);
  const choice = await atEdge({ code, subject: model ?? 'default model', secrets }, async () =>
    checkModel(model, deps.env),
  );
  const edge: Edge = { code, subject: `${choice.provider.name}/${choice.model}`, secrets };
  const way = choice.provider.batches;
  if (way === null) return { batch: null, outcomes: input.calls.map(() => byItself(edge)) };
  const notes = new AttemptNotes();
  return atEdge({ ...edge, tries: input.tries }, () =>
    withHeartbeat(
      (beat) => new Batch({ ...use, ...choice, way, edge, notes, beat }, input).answered(),
      () => notes.details(),
    ),
  );
}

/** Of letters and digits that every provider takes, and as long as Anthropic allows. */
function requestIdOf(idempotencyKey: string): RequestId {
  return `call_${createHash('sha256').update(idempotencyKey).digest('hex').slice(0, 40)}`;
}

function byItself({ code, subject }: Edge): BatchedOutcome {
  return { ok: false, code, message: `${subject}: takes no batches`, isAgain: true };
}

interface BatchUse extends ContinuedDeps, ModelChoice {
  way: BatchWay;
  edge: Edge;
  notes: AttemptNotes;
  beat: () => void;
}

/** One attempt at a batch. */
class Batch {
  private readonly round: BatchRound;
  /** In the order of the calls. */
  private readonly ids: readonly RequestId[];
  private readonly signal = attemptSignal(undefined);

  constructor(
    private readonly use: BatchUse,
    private readonly input: ModelBatchInput,
  ) {
    this.ids = input.calls.map(({ idempotencyKey }) => requestIdOf(idempotencyKey));
    this.round = new BatchRound(this.ids);
  }

  async answered(): Promise<ModelBatchResult> {
    const { use, input } = this;
    const { deps, edge } = use;
    const outcomes = Promise.all(
      this.input.calls.map((call, index) => {
        const id = this.ids[index] ?? '';
        const ask = (notes: CallNotes): Promise<ModelCallResult> => this.answerTo(call, id, notes);
        return batchedOutcome(this.use.edge, ask).finally(() => this.round.leave(id));
      }),
    );
    try {
      const batch = await this.ask();
      const given = fitting(await outcomes);
      await deps.tenantBudgets?.count(input.holds?.tenant, given.flatMap(paidFor), edge.subject);
      return { batch, outcomes: given };
    } catch (error) {
      this.round.fail(error);
      await outcomes;
      throw error;
    }
  }

  private async answerTo(
    given: ModelCallInput | ContinuedCallInput,
    id: RequestId,
    notes: CallNotes,
  ): Promise<ModelCallResult> {
    const { provider, model, local } = this.use;
    // Nothing leaves by this: what is sent is the batch. What doesn't fit is read again, and counted then.
    const { egressPolicy: _, tenantBudgets: __, ...others } = this.use.deps;
    const deps = { ...others, fetch: this.round.fetchAt(id) };
    const input = await wholeCall(this.use, given);
    return answerCall({ provider, model, deps, local, input, notes, beat: () => undefined, priceShare });
  }

  /** Gives the batch's id; null where nothing had to be asked, or the provider's address takes none. */
  private async ask(): Promise<string | null> {
    const requests = await this.round.gathered();
    const [first] = requests.values();
    if (first === undefined) return null;
    const { way, notes, beat, server, deps } = this.use;
    const calls = new BatchCalls(providerFetch(deps, batchBounds), first, this.signal);
    const api = ways[way](calls, first.url);
    const held = heldResponse({ notes, beat, signal: this.signal, server });
    const id = this.input.batch ?? held.id ?? (await this.begin(api, requests));
    if (id === null) return null;
    if (id !== held.id) await held.hold(id);
    this.round.end(this.identified(await followBatch(api, id, held, this.signal)));
    return id;
  }

  /**
   * A batch that 0.8.0 or an older version began has its requests numbered, in the order of all of its calls. Where some answers
   * were handed over before, that order isn't known here: the others have no answer, and are asked by themselves.
   */
  private identified(ended: EndedBatch): EndedBatch {
    if (this.input.batch !== undefined) return ended;
    const answers = [...ended.answers].map(([id, answer]): [RequestId, Response] => [
      /^\d+$/.test(id) ? (this.ids[Number(id)] ?? id) : id,
      answer,
    ]);
    return { ...ended, answers: new Map(answers) };
  }

  /** null: there are no batches at this address, and the calls have failed. */
  private async begin(
    api: BatchApi,
    requests: ReadonlyMap<RequestId, SeatedRequest>,
  ): Promise<string | null> {
    const { idempotencyKey: key } = this.input;
    try {
      const found = Context.current().info.attempt > 1 ? await api.find(key) : null;
      return found ?? (await api.begin(requests, key));
    } catch (error) {
      if (!(error instanceof Fault) || (error.status !== 404 && error.status !== 405)) throw error;
      this.round.end({ answers: new Map(), state: 'the provider takes none' });
      return null;
    }
  }
}

/** What one call of a batch comes to: its failure is none of the others'. */
async function batchedOutcome(
  edge: Edge,
  ask: (notes: CallNotes) => Promise<ModelCallResult>,
): Promise<BatchedOutcome> {
  let spent: CallUsage | null = null;
  const notes: CallNotes = { spent, pay: (paid) => (spent = paid), giveUp: () => undefined };
  try {
    return { ok: true, result: await ask(notes) };
  } catch (error) {
    const { type, message, nonRetryable } = toFailure(error, edge);
    const code = (type ?? edge.code) as ErrorCode;
    const isAgain = nonRetryable !== true;
    return { ok: false, code, message, isAgain, ...(spent === null ? {} : { spent }) };
  }
}

/** What an answer cost that is handed over now. */
function paidFor(outcome: BatchedOutcome | null): CallUsage[] {
  const usage = outcome?.ok === true ? outcome.result.usage : outcome?.spent;
  return usage === undefined ? [] : [usage];
}

/** As many of them as a payload has room for, one at least; null in place of the others. */
function fitting(outcomes: readonly (BatchedOutcome | null)[]): (BatchedOutcome | null)[] {
  let bytes = 0;
  return outcomes.map((outcome, index) => {
    bytes += jsonSize(outcome) + 1;
    return index > 0 && bytes > defaultLimits.payloadBytes ? null : outcome;
  });
}

interface Seat {
  answer(response: Response): void;
  fail(error: unknown): void;
}

/**
 * Calls that ask together. Each has a `fetch` of its own, which keeps the request until what is kept is sent as one batch; its
 * answer is then as if it had been asked alone.
 */
class BatchRound {
  private readonly requests = new Map<RequestId, SeatedRequest>();
  private readonly seats = new Map<RequestId, Seat>();
  private readonly undecided: Set<RequestId>;
  private isComplete: () => void = () => undefined;
  private readonly complete: Promise<void>;

  constructor(ids: readonly RequestId[]) {
    this.undecided = new Set(ids);
    this.complete = new Promise((resolve) => (this.isComplete = resolve));
    this.check();
  }

  fetchAt(id: RequestId): typeof fetch {
    return (input, init = {}) => {
      const url = input instanceof Request ? input.url : String(input);
      this.requests.set(id, { url, headers: new Headers(init.headers), body: jsonBody(init) });
      return new Promise((answer, fail) => {
        this.seats.set(id, { answer, fail });
        init.signal?.addEventListener('abort', () => fail(init.signal?.reason as Error));
        this.leave(id);
      });
    };
  }

  /** It asks for nothing any more: its call has ended before, or its request is kept. */
  leave(id: RequestId): void {
    this.undecided.delete(id);
    this.check();
  }

  /** The requests of all calls that have one, as soon as that is known. */
  async gathered(): Promise<ReadonlyMap<RequestId, SeatedRequest>> {
    await this.complete;
    return this.requests;
  }

  /** Those that the batch has no answer for have failed. */
  end({ answers, state }: EndedBatch): void {
    const fault = new Fault(`its batch has no answer to it (${state})`, { retryable: true });
    for (const [id, seat] of this.seats) {
      const answer = answers.get(id);
      if (answer === undefined) seat.fail(fault);
      else seat.answer(answer);
    }
  }

  fail(error: unknown): void {
    for (const seat of this.seats.values()) seat.fail(error);
  }

  private check(): void {
    if (this.undecided.size === 0) this.isComplete();
  }
}
