export interface FieldIndexLimits {
  /** Models with more documents than this, of the stage that is asked for, get indexes. */
  largeFrom: number
  perPartition: number
  inTotal: number
  /** Milliseconds between two times that uses are told. */
  every: number
  /** The first time comes this many milliseconds after the first reason for one. */
  firstAfter: number
}

export const usualLimits: FieldIndexLimits = {
  largeFrom: 1000,
  perPartition: 64,
  inTotal: 1000,
  every: 30_000,
  firstAfter: 1000,
}
