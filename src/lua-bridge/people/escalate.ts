import { invalid } from './human-fields.js';
import type { HumanKind } from './human-kind.js';

const severities = ['info', 'warning', 'error', 'critical'];

/** `Human.escalate`: something a person has to see to; the procedure goes on when one says that it is settled. */
export const escalate: HumanKind = {
  kind: 'escalation',
  type: 'hitl_escalation',
  read: (call, fields) => {
    const { context = null, severity = null } = fields;
    if (severity !== null && (typeof severity !== 'string' || !severities.includes(severity)))
      throw invalid(call, `needs a severity of ${severities.join(', ')}, got ${JSON.stringify(severity)}`);
    return {
      context: { severity: severity ?? 'error', ...(context === null ? {} : { context }) },
      options: [],
      default: fields['default'] ?? null,
    };
  },
};
