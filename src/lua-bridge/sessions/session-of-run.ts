import { asJson, jsonAs } from '../../contract/json/json.js';
import type { SessionContent } from '../../contract/sessions/session-content.js';
import {
  addTransactionPart,
  currentFrame,
  PerRun,
  type Bridge,
  type LuaState,
  type OpenTransaction,
} from '../kernel/index.js';
import { SessionStore } from './session-store.js';

/** The session of the run: its branches share it. What a call changes that may yet be undone isn't in it. */
export const session = new PerRun(
  (bridge) => {
    const store = new SessionStore(bridge);
    const { pass } = bridge.run;
    if (pass?.session !== undefined) store.content = pass.session;
    return store;
  },
  {
    name: 'session',
    take: ({ content }) => asJson(content),
    put: (store, taken) => void (store.content = jsonAs<SessionContent>(taken)),
  },
);

/** Of calls that may yet be undone. */
const copies = new WeakMap<OpenTransaction, SessionStore>();

/** The session as code in this thread has it. */
export function sessionAt(bridge: Bridge, L: LuaState): SessionStore {
  return sessionOf(bridge, currentFrame(L).scope.transaction ?? null);
}

function sessionOf(bridge: Bridge, transaction: OpenTransaction | null): SessionStore {
  return (transaction === null ? undefined : copies.get(transaction)) ?? session.of(bridge);
}

addTransactionPart({
  mayRefuse: true,
  begin: (bridge, _, transaction) =>
    void copies.set(transaction, sessionOf(bridge, transaction.outer).apart()),
  end: (bridge, _, transaction, isKept) => {
    const copy = copies.get(transaction);
    copies.delete(transaction);
    if (copy !== undefined) sessionOf(bridge, transaction.outer).join(copy, isKept);
  },
});
