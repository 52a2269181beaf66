/** Encoding of what stands in place of a payload that is kept in a payload store. Its data is the key. */
export const claimEncoding = 'binary/tactus-claim';

/** The key of a payload in a store: its SHA-256, in hexadecimal. */
export const claimKey = /^[0-9a-f]{64}$/;

/** Under this key a store has the id of the server for which it was pruned. */
export const prunedForKey = 'pruned-for';

/** Before the key of a payload that nothing refers to any more: it is deleted later. */
export const unusedPrefix = 'unused-';
