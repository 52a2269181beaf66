/**
 * Versions of what a run lasts by: how it orders what it hears, what it charges for, and what it compares. A run keeps
 * the engine that it began with until it continues as new; then it moves to the newest one where its log means the same to
 * both: see `src/workflows/tactus.ts`.
 *  - 1: 0.1.0. Carries name no engine.
 *  - 2: what arrives is taken in the order of history; all work is charged by the size of what it reads and makes.
 *  - 3: branches of `Parallel` have conversations of their own; `message_history = {mode = …}` of an agent has its effect.
 *  - 4: several models for an agent's turn, one after the other; `model_type` of an agent; a
 *    person where a classifier isn't sure; tools outside of the run, and a policy for calls of tools;
 *    each message of a conversation is sent once.
 *  - 5: budgets; a model is told what is wrong with an answer that doesn't follow its schema, and
 *    may write procedures.
 *  - 6: people say something to an agent that is at work; long conversations are compacted; a model that falls silent
 *    has failed; responses in the background; tools that a provider runs; task queues of models; models are asked in
 *    batches.
 *  - 7: who may decide on a request, how many must agree, and who is asked after them; what a decision is bound to is
 *    looked at again; what a form for the answer shows; an agent's output may be a single value, a tool may be forced by
 *    its name, and end a turn; time in all of retries; channels that tell people of requests.
 *  - 8: models that a worker loads or reaches, one input at a time or many; models that are made of others; tools of
 *    workers in Python; retrievers.
 *  - 9: reads that replay could see differently have entries of their own; what goes out is counted and sent in parts; calls of an
 *    answer that was cut off are not made.
 *  - 10: looks at other runs grow rarer over weeks, however often a run continues as new; what is kept of events and counted
 *    of children that ended is exact, with their calls of models; a run may begin again without its log;
 *    sessions, plans, graphs that run in super-steps, and tools that leave nothing when they fail;
 *    sagas, deferred functions, and questions about what has failed;
 *    looks at files that wait at the same time are one local activity; a run that is under way takes another source;
 *    deadlines of procedures, steps and turns; a long turn of an agent is replayed in slices.
 *
 * What the log keeps of a run on engine 2 doesn't fit 3: such a run stays on 2.
 */
export const newestEngine = 10;

/** What a run asks `patched` for once, when it begins, to know its engine. */
export function patchOf(engine: number): string {
  return `engine-${engine}`;
}

/** Changes of behaviour that a run must not meet on its way, and the engine that each came with. */
const changes = {
  /** Whatever reads or makes something is charged for its size. */
  'charge-by-size': 2,
  /** What the log keeps counts as memory of the run. */
  'log-as-memory': 2,
  /** Digests of effects are made in the version that their identity declares. */
  'versioned-digests': 2,
  /** `Event.wait`. */
  events: 2,
  /** A branch's conversation begins with that before the branches, and is its own then. */
  'branch-conversations': 3,
  /** An agent, or a turn, says that it is to be sent no history, or all of it. */
  'history-mode': 3,
  /** A turn may name several models; an agent's `model_type` and a classifier's `threshold` have their effect. */
  'model-options': 4,
  /** Tools of the worker and of MCP servers are called; calls of tools are judged by a policy. */
  'outside-tools': 4,
  /** `skills` of an agent have their effect. */
  skills: 4,
  /** A model is sent what is new of a conversation; what was put into history is counted so. */
  'conversations-by-parts': 4,
  /** `budget` of a procedure, an agent, branches and runs has its effect. */
  budgets: 5,
  /** An answer that doesn't follow its schema is mended in the conversation. */
  repairs: 5,
  /** An agent may write procedures over its tools. */
  'code-mode': 5,
  /** What people say to an agent reaches its turn, and may break its model's answer off. */
  steering: 6,
  /** `message_history = {compact = …}` of an agent has its effect. */
  compaction: 6,
  /** Calls of some providers' models go to task queues of their own. */
  'model-queues': 6,
  /** `approval` of a toolset has its effect. */
  'toolset-approval': 6,
  /** `idle_timeout`, `background` and tools that a provider runs have their effect. */
  'call-options': 6,
  /** `batch` of `Parallel.map` and `Classify` has its effect; a classifier takes a list of texts. */
  batches: 6,
  /** Several people may have to agree on a request, which may be handed on, and taken back; others are asked in their time. */
  'request-policy': 7,
  /** `preconditions = function` of a request; `metadata`, `label`, `placeholder` and their like have their effect. */
  'request-fields': 7,
  /** An agent is held to an output that is a single value; `tool_choice` may name a tool, `stop_at_tools` has its effect. */
  'turn-options': 7,
  /** `total_seconds` of `retry` has its effect. */
  'retry-time': 7,
  /** A tool that is written `mcp.server["a.b"]` has a name that providers take. */
  'mcp-names': 7,
  /** Who must allow a call is asked whether it was done, and nobody else. */
  'unknown-approvers': 7,
  /** `channels`, `callback_url`, `remind_every` and `on_undelivered` of a request have their effect, and so have channels of a run. */
  channels: 7,
  /** Models of more types than `http`, `llm` and `mock` are asked; many inputs are asked together. */
  'served-models': 8,
  /** `python.name` is a tool of workers in Python, which have a task queue of their own. */
  'python-tools': 8,
  /** `Corpus` and `Retriever` are there, and a `Context` has what they find. */
  retrieval: 8,
  /** `tactus.io.parquet`, `excel` and `hdf5`, `tactus.models` and `tactus.text.classify.naive_bayes` are there. */
  'more-modules': 8,
  /** A question that needs an answer takes no empty one, of whatever kind it is. */
  'needed-answers': 9,
  /** Reminders that are due when others are asked are not sent besides. */
  'one-message-at-once': 9,
  /** A decision that came before its request says so in the log, and doesn't count where it matters who decides. */
  'early-decisions': 9,
  /** Calls of tools in an answer that was cut off aren't made. */
  'whole-calls': 9,
  /** What a model thought is kept, and goes back to it with the conversation. */
  thoughts: 9,
  /** A question of the host that is taken back is no answer: not to a tool that asked it, and nobody said no. */
  'withdrawn-questions': 9,
  /** A file is changed when all that the run did before is recorded. */
  'recorded-before-changes': 9,
  /** JSON that Lua reads keeps integers past 2^53 as texts, and may begin with a byte order mark. */
  'exact-json': 9,
  /** A request isn't handed on where too few could decide it then. */
  'reachable-quorums': 9,
  /** `tactus.io.csv`, `tsv` and `json` lose no column, row or key of what they read and write. */
  'whole-tables': 9,
  /** `expires_at` is a moment that is on the calendar; `os.time` brings the fields of its table into range. */
  'whole-moments': 9,
  /** An Update with a signed decision is answered before its signature has been looked at. */
  'updates-at-once': 9,
  /** A replay reads budgets and what was said to agents as they were at that place of the log. */
  'reads-of-the-log': 9,
  /** What the server bounds is counted, and sent in parts; what has arrived has its turn before a run continues as new. */
  'bounded-sends': 9,
  /** A start whose limits no worker can keep is refused. */
  'limit-ceilings': 9,
  /** What was used by runs and calls that nobody waits for any more counts in budgets, and what an output says of usage doesn't. */
  'all-usage': 9,
  /** A person who gives no more of a budget isn't asked again. */
  'refusals-kept': 9,
  /** A run continues as new, with more time for its workflow tasks, where a replay of its Lua would take too long. */
  'replay-budget': 9,
  /** A run that was reset takes its child runs over that go on, and hears of the end of no others than those that it has started. */
  'children-after-reset': 9,
  /** What the official tests of Lua look at is as they have it: see `scripts/build/fengari-edits/conformance.mjs`. */
  'lua-conformance': 9,
  /** A person is asked before a run makes more calls of models than its settings say. */
  'model-call-ceiling': 9,
  /** `Error.code` is there. */
  'error-codes': 9,
  /** A run goes on with the pauses between its looks at other runs when it continues as new. */
  'lasting-watches': 10,
  /** The size of the events that are kept is counted exactly. */
  'exact-mailbox': 10,
  /** Time to gather for a batch that is over has no effect on the next batch. */
  'batches-gather-anew': 10,
  /** A child that is wanted no longer before the server has started it is cancelled like others: its usage counts once. */
  'unwanted-children': 10,
  /** Calls of models count for the runs above, in their budgets and ceilings; a budget of the run takes the place of its ceiling. */
  'calls-of-children': 10,
  /** `Procedure.continue_as_new` is there. */
  passes: 10,
  /** `Session`, `Plan`, `PlanningTools` and `DurableLoop` are there. */
  sessions: 10,
  /** `Graph` is there. */
  graphs: 10,
  /** The log of a frame may begin at a snapshot: what was recorded in it before isn't handed over. */
  snapshots: 10,
  /** The log of an agent's turn that ran no Lua may begin at its end. */
  'whole-turns': 10,
  /** `transaction` of a tool has its effect. */
  transactions: 10,
  /** `model_name` of a prediction model is its folder. */
  'model-names': 10,
  /** A replay of what failed because a person had given no more of a budget asks nobody for more, whatever the log has at its place. */
  'refusals-replayed': 10,
  /** Looks at files that wait at the same time are one local activity. */
  'looks-together': 10,
  /** What a replay takes counts local activities, not Lua alone. */
  'replay-of-locals': 10,
  /** `Parallel.race` and `Parallel.all_settled` are there. */
  races: 10,
  /** `step` has options: it calls again what has failed, in time, and refuses those that it doesn't know. */
  'step-options': 10,
  /** `Saga` and `defer` are there; a run that is cancelled does what they say first. */
  sagas: 10,
  /** `on_failure` of a step and a procedure has its effect. */
  'failure-questions': 10,
  /** What was used for an answer counts in budgets also where it was handed on before its branch was given up. */
  'late-usage': 10,
  /** The run goes on with another source where the Update `upgrade` says so. */
  upgrades: 10,
  /** The Update `rewind` is there; a child that is given up isn't taken over by who starts another one at its place. */
  rewinds: 10,
  /** The Updates `pause` and `unpause` are there; `paused` of a start has its effect. */
  pauses: 10,
  /** `deadline` of a procedure, a step, an agent and a turn has its effect, and child runs have what is left of it. */
  deadlines: 10,
  /** Calls that are held wait, and begin anew; a start may be held. */
  holds: 10,
  /** A child run that has closed, and whose report was lost with the execution before, is asked how it ended. */
  'lost-reports': 10,
  /** Prompts have the texts that the source has for them apart from its code. */
  'prompts-apart': 10,
  /** `Procedure.label` is there; `labels` of a start have their effect. */
  labels: 10,
  /** `Procedure.score` is there. */
  scores: 10,
  /** `Experiment.variant` is there. */
  experiments: 10,
  /** A slice ends between two tasks, too: a replay of much that JavaScript does comes in slices, as it did the first time. */
  'slices-between-tasks': 10,
  /** `1 ^ x` is 1, and so is `(-1) ^ math.huge`, as in the reference: they were nan. */
  'powers-of-one': 10,
} as const satisfies Record<string, number>;

export type Change = keyof typeof changes;

/** Whether a change holds for a run: always the same answer for as long as its execution lasts, on replay too. */
export type Holds = (change: Change) => boolean;

export function changesOf(engine: number): Holds {
  return (change) => engine >= changes[change];
}

/**
 * What a run brings with it was written by a newer version than this one: a deploy was rolled back. No TactusError, as it
 * must not end the run: the workflow task fails until a worker takes it that knows the version.
 */
export class NewerVersionError extends Error {
  override readonly name = 'NewerVersionError';

  /** `what`: as the beginning of a sentence, such as `The carried log`. */
  constructor(what: string, found: number, known: number) {
    super(
      `${what} has version ${found}, and this worker knows none after ${known}: a newer version of tactus-temporal wrote it. ` +
        'A worker of that version, or a later one, goes on with the run',
    );
  }
}
