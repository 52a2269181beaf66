import { MemoryStorage } from '../../../src/client/storage/memory-storage.js';
import { describeStorageBackend } from './storage-backend.suite.js';

describeStorageBackend('MemoryStorage', () => new MemoryStorage());
