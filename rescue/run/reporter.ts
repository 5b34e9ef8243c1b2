export type Phase = 'contents' | 'assets' | 'looking' | 'texts' | 'writing' | 'zipping' | 'verifying'

/** Receives the progress of a run. */
export interface Reporter {
  /** `bytes` is only passed for assets. */
  step(phase: Phase, done: number, total: number, bytes?: number): void
  note(line: string): void
  waiting(reason: string, ms: number): void
  /** Clears the progress line and prints no more lines, because the next question uses the screen. */
  end(): void
}
