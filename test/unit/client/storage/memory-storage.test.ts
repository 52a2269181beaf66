import { MemoryStorage } from '../../../../src/client/storage/memory-storage.js';
import { describeStorageBackend } from './storage-backend.suite.js';

const places = new Map<string, MemoryStorage>();

describeStorageBackend({
  name: 'MemoryStorage',
  real: 'this process',
  many: 100_000,
  open: (place) => {
    const storage = places.get(place) ?? new MemoryStorage();
    places.set(place, storage);
    return storage;
  },
});
