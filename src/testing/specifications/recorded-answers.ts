import {
  comparePositions,
  outerPosition,
  type Checkpoint,
  type Position,
} from '../../contract/checkpoints/checkpoint.js';
import { isObject, type JsonObject, type JsonValue } from '../../contract/json/json.js';
import type { MockCall } from '../../contract/mocks/mock-plan.js';

/** One turn of an agent, as it is recorded. */
export interface RecordedTurn {
  position: Position;
  text: string;
  data: JsonObject | null;
  tools: { name: string; args: JsonValue }[];
}

export interface RecordedDecision {
  position: Position;
  message: string;
  /** Left out: nobody decided in time. */
  value?: JsonValue;
}

/** What the log of a run says that mocks can give again. */
export interface RecordedAnswers {
  turns: Map<string, RecordedTurn[]>;
  /** Of tools, models, experiments and requests, in the order in which they were called. */
  calls: Map<string, MockCall[]>;
  /** How often each tool was called and gave something. */
  toolCalls: Map<string, number>;
  decisions: RecordedDecision[];
  /** How many requests there were of each type. */
  requests: Map<string, number>;
  events: { name: string; value: JsonValue; afterMs: number; mayTimeOut: boolean }[];
  /** Files as they were first read. */
  files: Map<string, string>;
  /** What no mock can give, each as a sentence. */
  problems: string[];
}

/** Where a mock answers, nothing inside is asked for. */
const answeredWhole = new Set<string>(['agent_turn', 'tool_call', 'model_predict', 'compaction']);
/** What is done again in a test as it was done in the run, or has nothing to give. */
const doneAgain = new Set<string>([
  ...['step', 'procedure_call', 'plan', 'graph', 'super_step', 'graph_node', 'round', 'score', 'sleep'],
  ...['compaction', 'steering', 'tool_list', 'continue_as_new', 'scheduled_continuation'],
  ...['procedure_wait', 'procedure_status', 'procedure_cancel'],
]);

/** @param startedAt in ms since 1970 */
export function recordedAnswers(log: readonly Checkpoint[], startedAt: number): RecordedAnswers {
  const answers: RecordedAnswers = {
    ...{ turns: new Map(), calls: new Map(), toolCalls: new Map(), decisions: [], requests: new Map() },
    ...{ events: [], files: new Map(), problems: [] },
  };
  new Reader(log, answers, startedAt).read();
  return answers;
}

class Reader {
  private readonly byPosition: ReadonlyMap<Position, Checkpoint>;
  /** Paths that the run has looked at or written. */
  private readonly paths = new Set<string>();

  constructor(
    log: readonly Checkpoint[],
    private readonly answers: RecordedAnswers,
    private readonly startedAt: number,
  ) {
    this.byPosition = new Map(log.map((each) => [each.position, each]));
  }

  read(): void {
    const all = [...this.byPosition.values()].sort((a, b) => comparePositions(a.position, b.position));
    for (const checkpoint of all) this.take(checkpoint);
  }

  private take(checkpoint: Checkpoint): void {
    const { type, position } = checkpoint;
    const around = this.answeredAround(position);
    if (around !== null && !(around.type === 'agent_turn' && type === 'tool_call')) {
      if (type.startsWith('hitl_'))
        this.problem(checkpoint, `was asked inside of ${around.type} '${around.name}', which a mock answers`);
      return;
    }
    if (type === 'agent_turn') this.takeTurn(checkpoint);
    else if (type === 'tool_call') this.takeToolCall(checkpoint, around);
    else if (type === 'model_predict') this.takePrediction(checkpoint);
    else if (type === 'experiment') this.takeCall(this.nameOf(checkpoint), checkpoint);
    else if (type === 'http') this.takeCall('http_client', checkpoint);
    else if (type === 'event_wait') this.takeEvent(checkpoint);
    else if (type === 'file') this.takeFile(checkpoint);
    else if (type.startsWith('hitl_')) this.takeDecision(checkpoint);
    else if (type === 'explicit_checkpoint')
      this.problem(checkpoint, 'is computed again, and may come to something else');
    else if (type === 'parallel')
      this.problem(
        checkpoint,
        'has branches: calls of one name in several of them may get each other’s answers',
      );
    else if (type === 'procedure_spawn' || (type === 'procedure_call' && this.isElsewhere(checkpoint)))
      this.problem(
        checkpoint,
        'is a run of its own: what it asked for is not here, and gets mocks of the same names',
      );
    else if (!doneAgain.has(type)) this.problem(checkpoint, 'has no mock');
  }

  private takeTurn(checkpoint: Checkpoint): void {
    const { outcome, position } = checkpoint;
    if (!outcome.ok) {
      this.problem(checkpoint, `failed (${outcome.message}), and a mocked turn does not fail`);
      return;
    }
    const { output = null } = isObject(outcome.value) ? outcome.value : {};
    const turn: RecordedTurn = {
      position,
      text: typeof output === 'string' ? output : JSON.stringify(output),
      data: isObject(output) ? output : null,
      tools: [],
    };
    listed(this.answers.turns, this.nameOf(checkpoint)).push(turn);
  }

  private takeToolCall(checkpoint: Checkpoint, turn: Checkpoint | null): void {
    const { outcome, input } = checkpoint;
    const name = this.nameOf(checkpoint);
    if (turn !== null) {
      if (!outcome.ok) {
        this.problem(checkpoint, `failed (${outcome.message}), which a mocked turn can't go on after`);
        return;
      }
      const of = this.answers.turns
        .get(this.nameOf(turn))
        ?.find(({ position }) => position === turn.position);
      of?.tools.push({ name, args: input });
    }
    if (outcome.ok) this.answers.toolCalls.set(name, (this.answers.toolCalls.get(name) ?? 0) + 1);
    this.takeCall(name, checkpoint);
  }

  private takePrediction(checkpoint: Checkpoint): void {
    const { outcome } = checkpoint;
    const name = this.nameOf(checkpoint);
    const value = outcome.ok && isObject(outcome.value) ? outcome.value : {};
    const { output, outputs } = value;
    // Of an effect the answer has its cost beside it; what is recorded of another model is the answer itself.
    if (checkpoint.digest !== '' && 'cost' in value && Array.isArray(outputs))
      listed(this.answers.calls, name).push(...outputs.map((each) => ({ value: each })));
    else if (checkpoint.digest !== '' && 'cost' in value && output !== undefined)
      listed(this.answers.calls, name).push({ value: output });
    else this.takeCall(name, checkpoint);
  }

  private takeCall(name: string, { outcome }: Checkpoint): void {
    listed(this.answers.calls, name).push(outcome.ok ? { value: outcome.value } : { error: outcome.message });
  }

  private takeDecision(checkpoint: Checkpoint): void {
    const { type, position, input, outcome, name } = checkpoint;
    this.answers.requests.set(type, (this.answers.requests.get(type) ?? 0) + 1);
    const message = isObject(input) && typeof input['message'] === 'string' ? input['message'] : name;
    const value = outcome.ok && isObject(outcome.value) ? outcome.value : null;
    if (value === null) {
      // One that nobody needs to answer gives nothing.
      if (!outcome.ok) this.problem(checkpoint, `failed (${outcome.message}), which no person decides`);
      return;
    }
    const isLate = value['timed_out'] === true;
    this.answers.decisions.push({ position, message, ...(isLate ? {} : { value: value['value'] ?? null }) });
  }

  private takeEvent(checkpoint: Checkpoint): void {
    const { outcome, at } = checkpoint;
    const name = this.nameOf(checkpoint);
    const { events } = this.answers;
    const value = outcome.ok && isObject(outcome.value) ? outcome.value : {};
    if ('value' in value)
      events.push({ name, value: value['value'] ?? null, afterMs: at - this.startedAt, mayTimeOut: false });
    else if (value['timed_out'] === true)
      this.problem(checkpoint, 'got no event in time; later ones of this name come as late as they did');
    const hasTimedOut = value['timed_out'] === true;
    for (const event of events) if (event.name === name) event.mayTimeOut ||= hasTimedOut;
  }

  private takeFile(checkpoint: Checkpoint): void {
    const { input, outcome } = checkpoint;
    const path = isObject(input) && typeof input['path'] === 'string' ? input['path'] : null;
    const [operation = ''] = this.nameOf(checkpoint).split(' ');
    if (path === null) return this.problem(checkpoint, 'has no mock');
    const isFirst = !this.paths.has(path);
    this.paths.add(path);
    if (!isFirst || ['write', 'append', 'delete'].includes(operation)) return;
    if (operation === 'read' && outcome.ok && typeof outcome.value === 'string')
      this.answers.files.set(path, outcome.value);
    else if (!outcome.ok) this.problem(checkpoint, `failed (${outcome.message}), which no step brings about`);
    else if (outcome.value !== false && outcome.value !== null)
      this.problem(checkpoint, `looked at ${path}, which the scenario does not have; keep it among fixtures`);
  }

  /** The outermost of what stands around it that a mock answers as a whole; null: nothing does. */
  private answeredAround(position: Position): Checkpoint | null {
    let found: Checkpoint | null = null;
    for (let outer = outerPosition(position); outer !== ''; outer = outerPosition(outer)) {
      const checkpoint = this.byPosition.get(outer);
      if (checkpoint === undefined || !answeredWhole.has(checkpoint.type)) continue;
      // A tool's call in a turn answers for all that is inside of it.
      if (found !== null && checkpoint.type === 'agent_turn') return found;
      found = checkpoint;
    }
    return found;
  }

  /** Within a run, no time passes in a procedure that asks for nothing. */
  private isElsewhere({ position, durationMs }: Checkpoint): boolean {
    return durationMs > 0 && !this.byPosition.has(`${position}.0`);
  }

  /** Without the name of the step that it stands in. */
  private nameOf({ name, position }: Checkpoint): string {
    let own = name;
    for (let outer = outerPosition(position); outer !== ''; outer = outerPosition(outer)) {
      const around = this.byPosition.get(outer)?.name;
      const rest = name.startsWith(`${around}.`) ? name.slice(`${around}.`.length) : name;
      if (around !== undefined && rest.length < own.length) own = rest;
    }
    return own;
  }

  private problem({ position, type, name }: Checkpoint, what: string): void {
    this.answers.problems.push(`${type} '${name}' at ${position} ${what}`);
  }
}

function listed<T>(map: Map<string, T[]>, name: string): T[] {
  const list = map.get(name) ?? [];
  map.set(name, list);
  return list;
}
