import type { HumanRequest } from '../human-request.js';

/** When something becomes of a request by itself, in ms since 1970: others are asked, people are reminded, or its time is over; null: never. */
export function nextTime({ deadline, escalation = [], reminder }: HumanRequest): number | null {
  const times = escalation.filter(({ asked }) => !asked).map(({ at }) => at);
  if (deadline !== null) times.push(deadline);
  if (reminder !== undefined && reminder.at !== null) times.push(reminder.at);
  return times.length === 0 ? null : Math.min(...times.map((at) => Date.parse(at)));
}
