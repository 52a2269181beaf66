/** What the servers of tests take for an account's key, where the storage looks for it. */
export const cosmosKey = { COSMOS_KEY: Buffer.from('a key of tests alone').toString('base64') };
