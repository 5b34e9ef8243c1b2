import type { JobError } from '#shared/contract/jobs.ts'

/**
 * The decision about a job after a failed run. `delay`: time in ms until the next run. `failure`: hash that is equal
 * for equal failures. `repeats`: number of equal failures in a row.
 */
export type Verdict =
  | { kind: 'outage'; delay: number }
  | { kind: 'retry' | 'failed' | 'stopped'; error: JobError; failure: string; repeats: number; delay: number }
