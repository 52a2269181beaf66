/** Names the folder or the bucket in which payloads are kept that the server refuses for their size. */
export const payloadsVariable = 'TACTUS_TEMPORAL_PAYLOADS';

export const payloadAddressForm = 's3://BUCKET/FOLDER?region=REGION&endpoint=URL';

/** Whether payloads are kept in a bucket, rather than in a folder. */
export function isPayloadBucket(place: string): boolean {
  return place.startsWith('s3:');
}
