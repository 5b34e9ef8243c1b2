import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Gap, type Manifest, manifestSchema } from '#archive/format.ts'
import { type RescueFailure, toFailure } from '#rescue/failure.ts'
import { formatBytes, type Messages, plain, sentenceFor } from '#rescue/messages/messages.ts'
import type { RescueOptions } from '#rescue/run/options.ts'
import { countByField, wasRefused } from '#rescue/run/report.ts'
import { rescue } from '#rescue/run/rescue.ts'
import { quoted, shown } from './paths.ts'
import { createReporter } from './progress.ts'

/** The outputs for lines and for progress. */
export interface Screen {
  output: { write(text: string): unknown }
  progress: { write(text: string): unknown; isTTY?: boolean | undefined; columns?: number | undefined }
}

/** The result for one app. */
export interface Outcome {
  options: RescueOptions
  /** Undefined if no data of the app could be saved. */
  manifest: Manifest | undefined
  /** The failure that stopped the run; undefined if it was not stopped. */
  failure: RescueFailure | undefined
}

export const exitCodes = { complete: 0, gaps: 3, partial: 4, failed: 1 } as const
/** The results from best to worst. */
const order: readonly (keyof typeof exitCodes)[] = ['complete', 'gaps', 'partial', 'failed']

export function resultOf({ manifest }: Outcome): keyof typeof exitCodes {
  return manifest?.status ?? 'failed'
}

/** Returns the exit code of the worst outcome. */
export function exitCodeOf(outcomes: readonly Outcome[]): number {
  const worst = Math.max(...outcomes.map((outcome) => order.indexOf(resultOf(outcome))))
  return exitCodes[order[worst] ?? 'failed']
}

/** Returns whether the result is `partial` or `failed`: another run may save more. */
export function isUnfinished(outcome: Outcome): boolean {
  return ['partial', 'failed'].includes(resultOf(outcome))
}

/**
 * Saves the apps one after another and prints the result of each. A failure does not stop the other apps. Only throws
 * `interrupted`.
 */
export async function runAll(
  runs: readonly RescueOptions[],
  screen: Screen,
  text: Messages,
  signal: AbortSignal,
): Promise<Outcome[]> {
  const outcomes: Outcome[] = []
  const say = (line: string) => screen.output.write(`${line}\n`)
  for (const [index, options] of runs.entries()) {
    if (runs.length > 1) say(text.progress.oneOf(index + 1, runs.length, options.app))
    outcomes.push(await runOne(options, runs.length > 1, screen, text, signal))
  }
  return outcomes
}

async function runOne(
  options: RescueOptions,
  isOneOfMany: boolean,
  screen: Screen,
  text: Messages,
  signal: AbortSignal,
): Promise<Outcome> {
  const say = (line: string) => screen.output.write(`${line}\n`)
  const reporter = createReporter(screen.progress, text)
  if (options.proxy && !options.origin) reporter.note(text.progress.proxy(new URL(options.proxy).host))
  try {
    const { manifest, gaps, zipPath, failure } = await rescue(options, reporter, text, signal)
    if (failure) say(`${text.error}${sentenceFor(failure, text)}`)
    for (const line of resultLines(options, manifest, gaps, zipPath, text)) say(line)
    return { options, manifest, failure }
  } catch (error) {
    const failure = toFailure(error, { dir: options.out })
    if (failure.code === 'interrupted') throw failure
    // If the command is repeated, completed apps stay as they are.
    const saved = isOneOfMany && failure.code === 'folder_complete' ? await savedBefore(options) : undefined
    if (saved) {
      say(text.done.already(shown(options.out)))
      for (const line of modelLines(saved, text)) say(line)
      return { options, manifest: saved, failure: undefined }
    }
    say(`${text.error}${sentenceFor(failure, text)}`)
    return { options, manifest: undefined, failure }
  }
}

/** Returns the existing archive in an app's folder, if it contains all requested models. */
async function savedBefore({ space, app, models, out }: RescueOptions): Promise<Manifest | undefined> {
  try {
    const manifest = manifestSchema.parse(JSON.parse(await readFile(join(out, 'manifest.json'), 'utf8')))
    const isSame = manifest.source.space === space && manifest.source.app === app
    const has = new Set(manifest.models.map(({ uid }) => uid))
    return isSame && models.every((model) => has.has(model)) ? manifest : undefined
  } catch {
    return undefined
  }
}

/**
 * Returns lines with the models in the archive. Users compare the models with the list in Newt's admin UI, because the
 * API cannot list models.
 */
function modelLines({ models }: Manifest, text: Messages): string[] {
  const { done } = text
  const empty = models.filter(({ api, cdn }) => api.count === 0 && !cdn?.count).map(({ uid }) => plain(uid))
  return [
    done.models,
    ...models.map(({ uid, api }) => `  ${done.model(plain(uid), api.count)}`),
    done.onlyModels,
    ...(empty.length > 0 ? [done.emptyModels(empty)] : []),
  ]
}

function resultLines(
  options: RescueOptions,
  manifest: Manifest,
  gaps: readonly Gap[],
  zipPath: string | undefined,
  text: Messages,
): string[] {
  const { counts, status } = manifest
  const fields = [...countByField(gaps).keys()].map(plain)
  const dir = shown(options.out)
  const cdn = options.tokens.cdn ? ` + ${counts.contents.cdn} (CDN)` : ''
  return [
    text.done[status](manifest.asked.models.map(plain)),
    ...(wasRefused(gaps) ? [text.done.refused] : []),
    ...(fields.length > 0 ? [text.done.missingModels(fields)] : []),
    ...modelLines(manifest, text),
    `${text.report.contentsTitle}: ${counts.contents.api} (API)${cdn}`,
    text.report.assets(counts.assets.urls, counts.assets.files, formatBytes(counts.assets.bytes)),
    text.done.archive(dir),
    text.done.report(join(dir, 'report.md')),
    ...(zipPath ? [text.done.zip(shown(zipPath))] : []),
    text.done.verify(quoted(dir)),
  ]
}
