import type { JobError } from '#shared/contract/jobs.ts'

/** What becomes of a job that failed. `failure` is what tells whether the next failure is the same. */
export type Verdict =
  | { kind: 'outage'; delay: number }
  | { kind: 'retry' | 'failed' | 'stopped'; error: JobError; failure: string; repeats: number; delay: number }
