export interface FieldIndexLimits {
  /** A model gets indexes for a stage if it has more documents than this in the stage. */
  largeFrom: number
  perPartition: number
  inTotal: number
  /** Minimum time between two flushes of recorded uses, in milliseconds. */
  every: number
  /** Minimum delay between a recorded use and its flush, in milliseconds. */
  firstAfter: number
}

export const usualLimits: FieldIndexLimits = {
  largeFrom: 1000,
  perPartition: 64,
  inTotal: 1000,
  every: 30_000,
  firstAfter: 1000,
}
