import { type MoveProblem, type MoveProblemCode, moveProblems } from '#shared/contract/move-plans.ts'
import { storableTextOf } from '#shared/unicode.ts'

const mostExamples = 10
const longestExample = 200
/** Maximum number of entries with the same code. */
const mostPlaces = 200

/** Problems of a plan, grouped by code, path and parameters. */
export class MovePlanProblems {
  readonly #found = new Map<string, MoveProblem>()

  /** Adds `count` problems, and the example if the problem has fewer than `mostExamples`. */
  add(
    code: MoveProblemCode,
    path: string,
    count: number,
    example?: string,
    params?: MoveProblem['params'],
  ): void {
    const key = `${code} ${path} ${params ? JSON.stringify(params) : ''}`
    const known = this.#found.get(key)
    const problem: MoveProblem = known ?? {
      code,
      path: storableTextOf(path.slice(0, 300)),
      count: 0,
      examples: [],
    }
    if (params) problem.params = params
    problem.count += count
    const shown = storableTextOf(example?.slice(0, longestExample) ?? '')
    if (shown && problem.examples.length < mostExamples && !problem.examples.includes(shown))
      problem.examples.push(shown)
    if (!known) this.#found.set(key, problem)
  }

  /** Returns the problems, most severe first, with at most `mostPlaces` entries for each code. */
  list(): MoveProblem[] {
    const rank = { stops: 0, warning: 1, note: 2 }
    const places = new Map<MoveProblemCode, number>()
    return [...this.#found.values()]
      .sort((a, b) => rank[moveProblems[a.code]] - rank[moveProblems[b.code]])
      .filter(({ code }) => {
        const number = (places.get(code) ?? 0) + 1
        places.set(code, number)
        return number <= mostPlaces
      })
  }
}
