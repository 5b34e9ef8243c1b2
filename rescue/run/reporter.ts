export type Phase = 'contents' | 'assets' | 'looking' | 'texts' | 'writing' | 'zipping' | 'verifying'

/** What a run tells while it works. */
export interface Reporter {
  /** `bytes` counts for assets only. */
  step(phase: Phase, done: number, total: number, bytes?: number): void
  note(line: string): void
  waiting(reason: string, ms: number): void
  /** Clears the progress line; nothing is shown after it: the screen belongs to the next question. */
  end(): void
}
