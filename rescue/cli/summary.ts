import { writeFile } from 'node:fs/promises'
import { dirname, join, relative, resolve } from 'node:path'
import { formatBytes, type Messages, plain, sentenceFor } from '#rescue/messages/messages.ts'
import { cell, code, notInApi } from '#rescue/run/report.ts'
import { shown } from './paths.ts'
import { isUnfinished, type Outcome, resultOf } from './run-all.ts'

/**
 * Returns lines for the screen: for several apps the result of each, and always the data that no run can save. For
 * several apps it also writes a Markdown report next to the folder of the first app.
 */
export async function summarise(outcomes: readonly Outcome[], text: Messages): Promise<string[]> {
  const { title, lines } = text.notInApi
  const last = ['', title, ...lines.map((line) => `- ${line}`)]
  const [first] = outcomes
  if (!first || outcomes.length === 1) return last
  const { summary } = text
  const { space, out } = first.options
  const saved = outcomes.filter((outcome) => !isUnfinished(outcome)).length
  const path = join(dirname(resolve(out)), `newt-${space}-report.md`)
  const written = await writeFile(path, renderSummary(space, dirname(path), outcomes, text)).then(
    () => summary.written(shown(path)),
    (error: unknown) => sentenceFor(error, text),
  )
  return [
    '',
    summary.all(saved, outcomes.length),
    ...outcomes.map((outcome) => `- ${outcome.options.app}: ${summary.result[resultOf(outcome)]}`),
    summary.onlyApps,
    written,
    ...(saved > 1 ? [summary.together] : []),
    ...last,
  ]
}

function renderSummary(space: string, place: string, outcomes: readonly Outcome[], text: Messages): string {
  const { summary, report, done } = text
  const saved = outcomes.filter((outcome) => !isUnfinished(outcome)).length
  const rows = outcomes.map((outcome) => {
    const { options, manifest } = outcome
    const result = summary.result[resultOf(outcome)]
    if (!manifest) return [code(options.app), result, '–', '–', '–', '–']
    const { contents, assets, gaps } = manifest.counts
    const folder = relative(place, resolve(options.out)).split('\\').map(encodeURIComponent).join('/')
    return [
      code(options.app),
      result,
      String(contents.api),
      `${assets.files} (${formatBytes(assets.bytes)})`,
      String(gaps.assets + gaps.references + gaps.contents),
      `[report.md](${folder}/report.md)`,
    ]
  })
  return [
    `# ${summary.title(space)}`,
    '',
    summary.all(saved, outcomes.length),
    '',
    `| ${summary.head.join(' | ')} |`,
    '|---|---|---:|---:|---:|---|',
    ...rows.map((row) => `| ${row.map(cell).join(' | ')} |`),
    '',
    `**${summary.onlyApps}**`,
    '',
    ...outcomes.flatMap(({ options, manifest, failure }) => [
      `## ${cell(plain(options.app))}`,
      '',
      ...(failure ? [cell(plain(sentenceFor(failure, text))), ''] : []),
      ...(manifest?.models ?? []).map(
        ({ uid, api }) => `- ${code(uid)}: ${api.count === 0 ? report.emptyModel : api.count}`,
      ),
      ...(manifest ? ['', done.onlyModels, ''] : []),
    ]),
    ...notInApi(text),
  ].join('\n')
}
