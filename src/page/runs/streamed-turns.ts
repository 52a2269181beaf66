import type { StoredEvent } from '../../contract/streams/stream-event.js';
import type { JsonValue } from '../../contract/json/json.js';

type TurnPart =
  | { type: 'text'; text: string }
  | { type: 'tool'; call_id: string; tool: string; arguments: JsonValue; result: string | null };

/** What an agent says in one call of its model. */
export interface StreamedTurn {
  position: string;
  agent: string;
  parts: TurnPart[];
  /** Its answer is complete, or nothing more of it comes. */
  isDone: boolean;
  isBroken: boolean;
  /** Events that were lost. */
  lost: number;
}

/** So many turns are kept on the screen. */
const mostTurns = 30;

/** Adds an event of the stream. A restart makes void what was said at its position before. */
export function addTurnEvent(turns: readonly StreamedTurn[], { event }: StoredEvent): StreamedTurn[] {
  const { position, agent } = event;
  const known = turns.find((turn) => turn.position === position);
  const before = known ?? { position, agent, parts: [], isDone: false, isBroken: false, lost: 0 };
  const after = added(before, event);
  return known === undefined
    ? [...turns, after].slice(-mostTurns)
    : turns.map((turn) => (turn === known ? after : turn));
}

function added(turn: StreamedTurn, event: StoredEvent['event']): StreamedTurn {
  const { parts } = turn;
  switch (event.type) {
    case 'text': {
      const last = parts.at(-1);
      return last?.type === 'text'
        ? { ...turn, parts: [...parts.slice(0, -1), { ...last, text: last.text + event.text }] }
        : { ...turn, parts: [...parts, { type: 'text', text: event.text }] };
    }
    case 'tool_call': {
      const { call_id, tool, arguments: args } = event;
      return { ...turn, parts: [...parts, { type: 'tool', call_id, tool, arguments: args, result: null }] };
    }
    case 'tool_result': {
      const isIts = (part: TurnPart): boolean => part.type === 'tool' && part.call_id === event.call_id;
      return {
        ...turn,
        parts: parts.map((part) => (isIts(part) ? { ...part, result: event.content } : part)),
      };
    }
    case 'answer':
      return { ...turn, isDone: true };
    case 'restart':
      return { ...turn, parts: [], isDone: false, isBroken: false };
    case 'interrupted':
      return { ...turn, isDone: true, isBroken: true };
    case 'gap':
      return { ...turn, lost: turn.lost + event.lost };
  }
}
