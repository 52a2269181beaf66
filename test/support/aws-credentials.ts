/** What the servers of tests take for credentials, where the SDK of AWS looks first. */
export const awsCredentials = { AWS_ACCESS_KEY_ID: 'local', AWS_SECRET_ACCESS_KEY: 'secret' };
