import { CosmosStore } from './cosmos-store.js';
import { DocumentStorage } from './document-storage.js';
import { DynamoDbStore } from './dynamodb-store.js';
import { FirestoreStore } from './firestore-store.js';
import { S3Store } from './s3-store.js';
import type { StorageBackend } from '../storage-backend.js';

/** A storage in a table of DynamoDB. @throws TactusError missing_package; usage where the address is none */
export async function openDynamoDb(address: string): Promise<StorageBackend> {
  return new DocumentStorage(await DynamoDbStore.open(address));
}

/** A storage in a bucket of S3, or of what speaks its protocol. @throws as above */
export async function openS3(address: string): Promise<StorageBackend> {
  return new DocumentStorage(await S3Store.open(address));
}

/** A storage in a container of Azure Cosmos DB. @throws as above */
export async function openCosmos(address: string): Promise<StorageBackend> {
  return new DocumentStorage(await CosmosStore.open(address));
}

/** A storage in a collection of Google Cloud Firestore. @throws as above */
export async function openFirestore(address: string): Promise<StorageBackend> {
  return new DocumentStorage(await FirestoreStore.open(address));
}
