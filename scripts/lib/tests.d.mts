export interface Failure {
  /** Path relative to the root; undefined for an error outside of test files. */
  file?: string
  text: string
}

export interface Result {
  passed: number
  failures: Failure[]
  times: Map<string, number>
  attachments: string[]
}

export function repeatFailed(
  result: Result,
  runAlone: (file: string) => Promise<Result>,
): Promise<Result & { flaky: Failure[] }>
