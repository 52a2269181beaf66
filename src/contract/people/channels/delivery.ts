/** Why people are told of an open request. */
export type TellReason = 'asked' | 'reminder' | 'escalated';

/** One message of a request by one channel, and what has become of it. */
export interface Delivery {
  channel: string;
  reason: TellReason;
  /** Which of its kind: the first are those who are asked from the beginning, later ones those whom it was handed on to; the stage of an escalation; the reminder. */
  number: number;
  /** `undelivered`: it could not be sent for some minutes, and is tried again for as long as the request is open. */
  status: 'sending' | 'delivered' | 'undelivered';
  /** Since when; ISO 8601 in UTC. */
  at: string;
  /** Of an escalation: it was time to remind people, too, and the message goes to them as well. */
  reminds?: true;
  /** Why it is undelivered, or who could not be reached by it. */
  problem?: string;
  /** Who has been reached, where each person has a message of their own. */
  told?: string[];
  /** The other side wants to hear when the request is closed. */
  closes?: true;
  /** Nothing is wrong with the channel: this message could not be sent. */
  alone?: true;
}

/** What a request says of who is told of it. */
export interface TellPolicy {
  /** Names of channels; left out: those of the run. */
  channels?: string[];
  /** A URL of its own to be told at. */
  callbackUrl?: string;
  /** People are reminded each time after so long, in ms. */
  remindMs?: number;
  /** Where nobody can be reached, those are asked whose turn would be next. */
  onUndelivered?: 'escalate';
}

/** When people are reminded next. */
export interface Reminder {
  every_ms: number;
  /** ISO 8601 in UTC; null: no more. */
  at: string | null;
  /** How often they were. */
  number: number;
}

/** A channel that can't be reached, and isn't tried for a while. */
export interface ChannelRest {
  /** Its name; the scheme and host of a request's own URL; one message, where nothing is wrong with the channel. */
  lane: string;
  /** How often it was tried for some minutes in vain. */
  windows: number;
  /** In ms since 1970; null: it is never tried again. */
  until: number | null;
}
