import { LRUCache } from 'lru-cache'
import { createGate } from '#server/lib/gate.ts'
import { Pace } from '#server/lib/pace.ts'
import { matches, stepsOf } from '#server/lib/patterns.ts'
import { busy, createWorkerPool, type WorkerPool, WorkTooLarge } from '#server/lib/worker-pool.ts'
import type { ConversionEnvironment } from '#shared/fields/convert.ts'
import type { RuleEnvironment } from '#shared/fields/field-type.ts'
import { textToHtml } from '#shared/fields/html-text.ts'
import { sanitizeEmbedCode } from './embed-code.ts'
import { renderMarkdown, sanitizeRichText } from './html.ts'
import { plainHtml } from './plain-html.ts'
import type { PatternCheck, TextTask, Works } from './text-worker.ts'

/*
 * Work on people's texts that takes as long as the texts are large: what is small is done at once, everything else by
 * threads, so that no request holds up the others (docs/decisions/0016).
 */

/** UTF-16 units up to which the worst of texts takes some 30 ms. */
const smallText = 8_192
/** The same of HTML that is plain, which needs no parser: some 3 ms. */
const smallPlainText = 65_536
/** Steps of patterns that take no longer. */
const smallSteps = 1_000_000
/** Steps that the patterns of one document may take, in the threads; what is beyond matches none. */
const maximumSteps = 20_000_000

/**
 * Saves and checks that may be with the threads at once: each keeps its connection to the database meanwhile, and some
 * of those (db/connection.ts) are to be left for everybody else.
 */
const maximumHolding = 5

/** The entry of the threads: beside this file, and in the bundle beside main.js. */
export const textWorker = new URL(
  import.meta.url.endsWith('.ts') ? './text-worker.ts' : './text-worker.js',
  import.meta.url,
)

/** The work on texts with the threads of a pool. */
export function createTextWork(pool: WorkerPool<TextTask, unknown>) {
  async function run<Kind extends keyof Works>(kind: Kind, input: Parameters<Works[Kind]>[0]) {
    return (await pool.run({ kind, input } as TextTask)) as ReturnType<Works[Kind]>
  }

  const holding = createGate({ active: maximumHolding, waiting: 0, refusal: busy })

  /** {@link run} for who holds a connection: 503 at once when many do. */
  const runHolding = <Kind extends keyof Works>(kind: Kind, input: Parameters<Works[Kind]>[0]) =>
    holding.run({ line: 0 }, () => run(kind, input))

  /** The last 16 MB of HTML, by their Markdown. */
  const rendered = new LRUCache<string, string>({
    maxSize: 16 * 1024 * 1024,
    sizeCalculation: (html, source) => (html.length + source.length) * 2 + 100,
  })
  /** What is being rendered: many readers of one content wait for the same work. */
  const rendering = new Map<string, Promise<string>>()

  async function renderApart(source: string): Promise<string> {
    const html = await run('markdown', source).catch((error: unknown) => {
      if (error instanceof WorkTooLarge) return textToHtml(source)
      throw error
    })
    rendered.set(source, html)
    return html
  }

  /** {@link sanitizeRichText}, a large one in a thread. Throws WorkTooLarge, and 503 when too much is waiting. */
  async function toRichText(html: string): Promise<string> {
    if (html.length <= smallText) return sanitizeRichText(html)
    const plain = html.length <= smallPlainText ? plainHtml(html) : undefined
    return plain ?? runHolding('richText', html)
  }

  /** {@link sanitizeEmbedCode}, a large one in a thread. Throws WorkTooLarge, and 503 when too much is waiting. */
  async function toEmbedCode(html: string): Promise<string | null> {
    return html.length <= smallText ? sanitizeEmbedCode(html) : runHolding('embedCode', html)
  }

  /**
   * Markdown as the HTML that sites receive; at once when it is small or was rendered lately. One that takes too long
   * is answered as its text, in paragraphs. Throws 503 when too much is waiting.
   */
  function toHtml(source: string): string | Promise<string> {
    const known = rendered.get(source) ?? rendering.get(source)
    if (known !== undefined) return known
    if (source.length > smallText) {
      const html = renderApart(source).finally(() => rendering.delete(source))
      rendering.set(source, html)
      return html
    }
    const html = renderMarkdown(source)
    rendered.set(source, html)
    return html
  }

  /**
   * Runs a conversion of values with the HTML of the Markdown that it asks for. `convert` must be pure: it runs a
   * second time, when all answers are there. Throws 503 when too much is waiting.
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
   * Runs a check of values by rules with what they ask of patterns: at once as far as it is small, the rest in a
   * thread. `check` must be pure: it may run a second time, when all answers are there. Throws 503 when too much is
   * waiting.
   */
  async function checkWithPatterns<Result>(check: (environment: RuleEnvironment) => Result): Promise<Result> {
    const answers = new Map<string, boolean>()
    const open: PatternCheck[] = []
    let steps = 0
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
    })
    if (open.length === 0) return first
    const found = await runHolding('patterns', open).catch((error: unknown) => {
      if (error instanceof WorkTooLarge) return []
      throw error
    })
    for (const [index, { pattern, value }] of open.entries())
      answers.set(keyOf(pattern, value), found[index] ?? false)
    return check({ matches: (pattern, value) => answers.get(keyOf(pattern, value)) ?? false })
  }

  return { toRichText, toEmbedCode, toHtml, convertWithMarkdown, checkWithPatterns }
}

export const { toRichText, toEmbedCode, toHtml, convertWithMarkdown, checkWithPatterns } = createTextWork(
  createWorkerPool({ entry: textWorker, sizeOf: ({ input }) => input.length }),
)
