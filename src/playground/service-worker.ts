/** Keeps the files of the playground in the browser, so that it works without a network. */
export {};

interface Scope {
  skipWaiting(): Promise<void>;
  clients: { claim(): Promise<void> };
  addEventListener(
    type: 'install' | 'activate',
    listener: (event: { waitUntil(work: Promise<unknown>): void }) => void,
  ): void;
  addEventListener(
    type: 'fetch',
    listener: (event: { request: Request; respondWith(answer: Promise<Response>): void }) => void,
  ): void;
}

/** By the build: what it made, and a name that changes with it. */
declare const files: string[];
declare const version: string;

const name = `tactus-playground-${version}`;
// eslint-disable-next-line no-restricted-syntax -- the types of browsers know no service worker beside the page
const scope = self as unknown as Scope;

scope.addEventListener('install', (event) => {
  event.waitUntil(
    caches
      .open(name)
      .then((cache) => cache.addAll(files))
      .then(() => scope.skipWaiting()),
  );
});

scope.addEventListener('activate', (event) => {
  const dropOld = async (): Promise<void> => {
    for (const key of await caches.keys())
      if (key.startsWith('tactus-playground-') && key !== name) await caches.delete(key);
    await scope.clients.claim();
  };
  event.waitUntil(dropOld());
});

scope.addEventListener('fetch', (event) => {
  if (event.request.method !== 'GET') return;
  event.respondWith(
    caches
      .open(name)
      .then(
        async (cache) => (await cache.match(event.request, { ignoreSearch: true })) ?? fetch(event.request),
      ),
  );
});
