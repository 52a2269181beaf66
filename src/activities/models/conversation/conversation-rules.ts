/** What a provider demands of a conversation, beyond what all of them do. */
export interface ConversationRules {
  /** How the id of a tool call may look. */
  callId: RegExp;
  /**
   * System messages stand before all others, and are its instructions; it begins with what a user says, and ends with that, or with
   * what tools gave.
   */
  isStrict: boolean;
  /** User and model take turns: nobody has two messages in a row. */
  takesTurns: boolean;
  /** What tools gave is answered by the model before a user says something. */
  answersTools: boolean;
  /** It answers a system prompt alone; others want a word first. */
  answersPrompts: boolean;
}

/** Whoever answers has the rules that are true of all: OpenAI's limit of length, and Claude's alphabet. */
export const strictRules: ConversationRules = {
  callId: /^[a-zA-Z0-9_-]{1,40}$/,
  isStrict: true,
  takesTurns: false,
  answersTools: false,
  answersPrompts: false,
};

/** OpenAI's own servers, and those of its models in Azure. */
export const looseRules: ConversationRules = { ...strictRules, isStrict: false, answersPrompts: true };

const mistralRules: ConversationRules = {
  callId: /^[a-zA-Z0-9]{9}$/,
  isStrict: true,
  takesTurns: true,
  answersTools: true,
  answersPrompts: false,
};

/** Models of Mistral's, wherever they run: their template looks at the conversation. */
const mistralModel =
  /(^|[^a-z])(open-)?(mistral|mixtral|ministral|magistral|codestral|devstral|pixtral|voxtral|mathstral)/i;

/** Whose templates look at the turns alone. */
const turnsModel = /(^|[^a-z])gemma/i;

/** The rules of a provider's model, given what holds for the provider. */
export function rulesOf(provider: string, model: string, rules: ConversationRules): ConversationRules {
  if (provider === 'mistral' || mistralModel.test(model)) return mistralRules;
  return turnsModel.test(model) ? { ...rules, isStrict: true, takesTurns: true } : rules;
}
