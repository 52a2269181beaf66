/** Workflows of whoever uses the plugin: the bundler puts the file that they name in its place. */
declare module 'tactus-temporal-own-workflows' {
  export {};
}
