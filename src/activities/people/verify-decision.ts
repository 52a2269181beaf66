import { verifyDecision as verify } from '../../authority/signed-decisions.js';
import type { DecisionVerdict, VerifyDecisionInput } from '../../contract/activities.js';
import type { ActivityDeps } from '../activity-deps.js';
import { readSecret } from '../secrets/secrets.js';

/** Whether a decision is signed with one of the worker's keys; whose decision it is, it says itself. */
export function verifyDecision(
  { authorityKeys = {}, env }: ActivityDeps,
  { decision, namespace, runId, at }: VerifyDecisionInput,
): DecisionVerdict {
  return verify(decision, {
    ...{ keys: authorityKeys, secretOf: (name: string) => readSecret(env, name) },
    ...{ namespace, runId, at },
  });
}
