export interface FieldIndexLimits {
  /** Models get indexes for a stage when they have more documents than this in it. */
  largeFrom: number
  perPartition: number
  inTotal: number
  /** Milliseconds between two flushes of recorded uses. */
  every: number
  /** Delay of the first flush after the first recorded use, in milliseconds. */
  firstAfter: number
}

export const usualLimits: FieldIndexLimits = {
  largeFrom: 1000,
  perPartition: 64,
  inTotal: 1000,
  every: 30_000,
  firstAfter: 1000,
}
