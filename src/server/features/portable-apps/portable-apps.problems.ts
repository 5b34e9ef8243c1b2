import type { MoveReport } from '#shared/contract/moves.ts'

/** A value or file that could not be imported unchanged. */
export type CarryProblem = MoveReport['problems'][number]
type Problem = CarryProblem

const mostExamples = 10

/** Collects values and files that an import could not keep unchanged: counts and some examples. */
export class Problems {
  readonly #found = new Map<string, Problem>()

  constructor(known: readonly Problem[] = []) {
    this.addAll(known)
  }

  add(code: Problem['code'], path: string, example: string, params?: Record<string, string>): void {
    this.addAll([{ code, path, count: 1, examples: [example], ...(params ? { params } : {}) }])
  }

  addAll(problems: readonly Problem[]): void {
    for (const problem of problems) {
      const key = JSON.stringify([problem.code, problem.path, problem.params ?? {}])
      const before = this.#found.get(key)
      this.#found.set(key, {
        ...problem,
        count: problem.count + (before?.count ?? 0),
        examples: [...(before?.examples ?? []), ...problem.examples].slice(0, mostExamples),
      })
    }
  }

  list(): Problem[] {
    return [...this.#found.values()]
  }
}
