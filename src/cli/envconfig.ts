// The build puts the package itself here: as a dependency it would bring a second SDK wherever another version is used.
// eslint-disable-next-line import-x/no-extraneous-dependencies -- so it isn't one
export { loadClientConnectConfig } from '@temporalio/envconfig';
