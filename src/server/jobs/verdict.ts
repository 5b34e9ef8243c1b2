import type { JobError } from '#shared/contract/jobs.ts'

/** The decision about a job after a failed run. `failure` identifies equal failures. */
export type Verdict =
  | { kind: 'outage'; delay: number }
  | { kind: 'retry' | 'failed' | 'stopped'; error: JobError; failure: string; repeats: number; delay: number }
