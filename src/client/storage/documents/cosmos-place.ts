/** Where records are kept in Cosmos DB. */
export interface CosmosPlace {
  endpoint: string;
  /** Whether it is the account itself: a server that stands for it may say that it is reached elsewhere. */
  isAccount: boolean;
  database: string;
  container: string;
}
