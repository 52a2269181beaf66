import { useRef, useState } from 'preact/hooks';
import type { Verdict } from '../../../contract/people/decision.js';
import { messageOf } from '../../api/api.js';
import type { AskedRequest } from '../../api/shapes.js';
import { useSession } from '../../shell/session.js';

export type Verb = 'decide' | 'delegate' | 'withdraw';

export interface Deciding {
  isBusy: boolean;
  verdict: (Verdict & { verb: Verb }) | null;
  /** Whether it counts isn't known: the same may be sent again. */
  problem: string | null;
  send: (verb: Verb, body: object) => Promise<Verdict | null>;
}

/**
 * Sends decisions on a request as it is shown. The same decision sent again, after an answer that was lost, has the same id,
 * and so is one decision; another is another.
 */
export function useDecision({ id, digest }: Pick<AskedRequest, 'id' | 'digest'>): Deciding {
  const { api, me, name } = useSession();
  const [isBusy, setBusy] = useState(false);
  const [verdict, setVerdict] = useState<Deciding['verdict']>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const last = useRef({ content: '', id: '' });

  const send = async (verb: Verb, body: object): Promise<Verdict | null> => {
    const by = me.name === null && name.trim() !== '' ? { by: name.trim() } : {};
    const sent = { ...body, ...by, digest };
    const content = JSON.stringify([verb, sent]);
    if (last.current.content !== content) last.current = { content, id: newId() };
    setBusy(true);
    setVerdict(null);
    setProblem(null);
    try {
      const given = await api.decide(id, verb, { ...sent, id: last.current.id });
      setVerdict({ ...given, verb });
      return given;
    } catch (error) {
      setProblem(messageOf(error));
      return null;
    } finally {
      setBusy(false);
    }
  };
  return { isBusy, verdict, problem, send };
}

/** `crypto.randomUUID` is there on pages by HTTPS alone. */
function newId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return `page-${[...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}
