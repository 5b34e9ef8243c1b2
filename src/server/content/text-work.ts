import { LRUCache } from 'lru-cache'
import { createGate } from '#server/lib/gate.ts'
import { Pace } from '#server/lib/pace.ts'
import { matches, stepsOf } from '#server/lib/patterns.ts'
import { WorkerEnded, WorkTooLarge } from '#server/lib/worker-errors.ts'
import { busy, createWorkerPool, type WorkerPool } from '#server/lib/worker-pool.ts'
import { countCharacters, countingCost } from '#shared/fields/characters.ts'
import type { ConversionEnvironment } from '#shared/fields/convert.ts'
import type { RuleEnvironment } from '#shared/fields/field-type.ts'
import { textToHtml } from '#shared/fields/html-text.ts'
import { removalsOf } from '#shared/html-removals.ts'
import { sanitizeEmbedCode } from './embed-code.ts'
import { renderMarkdown, sanitizeByParser } from './html.ts'
import { plainHtml } from './plain-html.ts'
import type { PatternCheck, TextTask, Works } from './text-worker.ts'

/*
 * Runs work on texts whose duration depends on their size. Small texts are processed synchronously. Large texts are
 * processed in worker processes or in pieces, so that they do not block the event loop (docs/decisions/0016).
 */

/**
 * Maximum length in UTF-16 units of a text that is processed synchronously. The slowest such text takes about 30 ms.
 */
const smallText = 8_192
/**
 * Maximum number of tags in a text that is processed synchronously. The time of the parser grows with the square of the
 * number of open tags.
 */
const smallTags = 500
/**
 * Markdown that contains `//` at least this often is rendered in a worker process. The renderer searches for the end of
 * each URL up to the next space.
 */
const smallUrls = 100
/**
 * Maximum length in UTF-16 units of plain HTML that is processed synchronously. Plain HTML needs no parser, so this
 * length takes about 3 ms.
 */
const smallPlainText = 65_536
/** Maximum number of pattern matching steps that run synchronously, in about 30 ms. */
const smallSteps = 1_000_000
/** Maximum {@link countingCost} of texts whose characters are counted synchronously, in about 30 ms. */
const smallCount = 30_000
/** Maximum number of pattern matching steps for one validation in total. Values beyond it count as not matching. */
const maximumSteps = 20_000_000

function isSmall(text: string): boolean {
  if (text.length > smallText) return false
  let tags = 0
  for (let at = text.indexOf('<'); at >= 0 && tags <= smallTags; at = text.indexOf('<', at + 1)) tags++
  return tags <= smallTags
}

const isSmallMarkdown = (source: string) => isSmall(source) && source.split('//').length <= smallUrls

/**
 * Maximum number of saves and checks that may use the worker processes at a time. Each one occupies its database
 * connection meanwhile, and some connections (db/connection.ts) must stay available for other requests.
 */
const maximumHolding = 5

/** The entry file of the worker processes: next to this file, and in the bundle next to main.js. */
export const textWorker = new URL(
  import.meta.url.endsWith('.ts') ? './text-worker.ts' : './text-worker.js',
  import.meta.url,
)

/** Creates the functions that process texts, with a pool of worker processes. */
export function createTextWork(pool: WorkerPool<TextTask, unknown>) {
  async function run<Kind extends keyof Works>(kind: Kind, input: Parameters<Works[Kind]>[0]) {
    const result = await pool.run({ kind, input } as TextTask).catch((error: unknown) => {
      // `WorkerEnded`: the pool has run the task twice. A text should not crash a process, so something else has
      // probably ended both processes.
      throw error instanceof WorkerEnded ? busy() : error
    })
    return result as ReturnType<Works[Kind]>
  }

  const holding = createGate({ active: maximumHolding, waiting: 0, refusal: busy })

  /**
   * Runs {@link run} for saves and checks, which occupy a database connection. Throws 503 immediately if
   * `maximumHolding` of them are running.
   */
  const runHolding = <Kind extends keyof Works>(kind: Kind, input: Parameters<Works[Kind]>[0]) =>
    holding.run({ line: 0 }, () => run(kind, input))

  /** A cache of rendered HTML by Markdown source, at most 16 MB with the sources. */
  const rendered = new LRUCache<string, string>({
    maxSize: 16 * 1024 * 1024,
    sizeCalculation: (html, source) => (html.length + source.length) * 2 + 100,
  })
  /** Renderings in progress. Concurrent readers of one content share the work. */
  const rendering = new Map<string, Promise<string>>()

  async function renderApart(source: string): Promise<string> {
    const html = await run('markdown', source).catch((error: unknown) => {
      if (error instanceof WorkTooLarge) return textToHtml(source)
      throw error
    })
    rendered.set(source, html)
    return html
  }

  /**
   * Runs `sanitizeRichText`, in a worker process if the HTML is not small. Throws `WorkTooLarge`, and 503 if the
   * processes are overloaded.
   */
  async function toRichText(html: string): Promise<string> {
    const plain = html.length <= smallPlainText ? plainHtml(html) : undefined
    if (plain !== undefined) return plain
    return isSmall(html) ? sanitizeByParser(html) : runHolding('richText', html)
  }

  /**
   * Runs {@link sanitizeEmbedCode}, in a worker process if the code is not small. Throws `WorkTooLarge`, and 503 if the
   * processes are overloaded.
   */
  async function toEmbedCode(html: string): Promise<string | null> {
    return isSmall(html) ? sanitizeEmbedCode(html) : runHolding('embedCode', html)
  }

  /**
   * Counts the markup that the policy removes from HTML, like {@link removalsOf}, in a worker process if the HTML is
   * not small. Returns an empty map for HTML that takes too long. Throws 503 if the processes are overloaded.
   */
  async function findRemovals(html: string): Promise<ReadonlyMap<string, number>> {
    if (isSmall(html)) return removalsOf(html)
    return run('removals', html).catch((error: unknown) => {
      if (error instanceof WorkTooLarge) return new Map()
      throw error
    })
  }

  /**
   * Renders Markdown to the HTML that sites receive, synchronously if it is small or cached. A text that takes too long
   * is returned as plain text in paragraphs. Throws 503 if the processes are overloaded.
   */
  function toHtml(source: string): string | Promise<string> {
    const known = rendered.get(source) ?? rendering.get(source)
    if (known !== undefined) return known
    if (!isSmallMarkdown(source)) {
      const html = renderApart(source).finally(() => rendering.delete(source))
      rendering.set(source, html)
      return html
    }
    const html = renderMarkdown(source)
    rendered.set(source, html)
    return html
  }

  /**
   * Runs a conversion of values with rendered Markdown. `convert` must be pure: it runs once to collect the sources
   * and, if there are any, again after they are rendered. Throws 503 if the processes are overloaded.
   */
  async function convertWithMarkdown<Result>(
    convert: (environment: ConversionEnvironment) => Result,
  ): Promise<Result> {
    const sources = new Set<string>()
    const first = convert({
      renderMarkdown(source) {
        sources.add(source)
        return ''
      },
    })
    if (sources.size === 0) return first
    const html = new Map<string, string>()
    const pace = new Pace()
    for (const source of sources) {
      html.set(source, await toHtml(source))
      await pace.giveWay()
    }
    return convert({ renderMarkdown: (source) => html.get(source) ?? '' })
  }

  /**
   * Returns for each check whether its text matches, computed in a worker process. Returns an empty list if that takes
   * too long. Throws 503 if the processes are overloaded.
   */
  const findMatches = (checks: PatternCheck[]): Promise<boolean[]> =>
    runHolding('patterns', checks).catch((error: unknown) => {
      if (error instanceof WorkTooLarge) return []
      throw error
    })

  /**
   * Runs a validation of values that matches patterns and counts characters. Small work runs synchronously, further
   * patterns in a worker process, and further texts are counted one by one. `check` must be pure: it may run again
   * after all results are known. Throws 503 if the processes are overloaded.
   */
  async function checkWithPatterns<Result>(check: (environment: RuleEnvironment) => Result): Promise<Result> {
    const answers = new Map<string, boolean>()
    const open: PatternCheck[] = []
    let steps = 0
    const counts = new Map<string, number>()
    const uncounted: string[] = []
    let counted = 0
    const keyOf = (pattern: string, value: string) => `${pattern.length} ${pattern}${value}`
    const first = check({
      matches(pattern, value) {
        const key = keyOf(pattern, value)
        const known = answers.get(key)
        if (known !== undefined) return known
        steps += stepsOf(pattern, value)
        const answer = steps <= smallSteps && matches(pattern, value)
        if (steps > smallSteps && steps <= maximumSteps) open.push({ pattern, value })
        answers.set(key, answer)
        return answer
      },
      countCharacters(text) {
        const known = counts.get(text)
        if (known !== undefined) return known
        counted += countingCost(text)
        if (counted > smallCount) uncounted.push(text)
        const count = counted > smallCount ? 0 : countCharacters(text)
        counts.set(text, count)
        return count
      },
    })
    if (open.length + uncounted.length === 0) return first
    const pace = new Pace()
    for (const text of uncounted) {
      await pace.giveWay()
      counts.set(text, countCharacters(text))
    }
    const found = open.length === 0 ? [] : await findMatches(open)
    for (const [index, { pattern, value }] of open.entries())
      answers.set(keyOf(pattern, value), found[index] ?? false)
    await pace.giveWay()
    return check({
      matches: (pattern, value) => answers.get(keyOf(pattern, value)) ?? false,
      countCharacters: (text) => counts.get(text) ?? 0,
    })
  }

  return { toRichText, toEmbedCode, findRemovals, toHtml, convertWithMarkdown, checkWithPatterns }
}

export const { toRichText, toEmbedCode, findRemovals, toHtml, convertWithMarkdown, checkWithPatterns } =
  createTextWork(
    createWorkerPool({
      entry: textWorker,
      memory: 768,
      // The limit is short because callers occupy a database connection.
      startLimit: 15_000,
      idleLimit: 10 * 60_000,
      sizeOf: ({ input }) => input.length,
    }),
  )
