import type { Gap, Manifest, Use } from './archive-format.ts'
import { formatBytes, type Messages, plain } from './messages.ts'

const mostListed = 100

/**
 * The Markdown report a person reads. Everything that came from the source stands in code spans with markup
 * taken out: file names and addresses are a stranger's.
 */
export function renderReport(
  manifest: Omit<Manifest, 'files'>,
  gaps: readonly Gap[],
  run: { gone: number; stopped?: string | undefined },
  text: Messages,
): string {
  const { source, models, counts, status } = manifest
  const t = text.report
  const head = t.contentsHead.map(cell)
  const lines = [
    `# ${t.title(source.app)}`,
    '',
    t.result[status],
    ...(run.stopped ? ['', t.stopped(plain(run.stopped))] : []),
    '',
    `- ${t.source(source.space, source.app)}${source.origin ? ` (${code(source.origin)})` : ''}`,
    `- ${t.time(manifest.startedAt, manifest.finishedAt)}`,
    '',
    `## ${t.contentsTitle}`,
    '',
    `| ${head.join(' | ')} |`,
    '|---|---:|---:|---|',
    ...models.map(({ uid, api, cdn, foundBy }) => {
      const note = foundBy ? t.foundBy(code(foundBy)) : ''
      return `| ${code(uid)} | ${api.count} | ${cdn ? cdn.count : '–'} | ${cell(note)} |`
    }),
    '',
    t.assets(counts.assets.urls, counts.assets.files, formatBytes(counts.assets.bytes)),
    ...(manifest.foreignImages.length > 0
      ? [
          '',
          t.foreignImages(
            manifest.foreignImages.map(({ host, images }) => `${code(host)} (${images})`).join(', '),
          ),
        ]
      : []),
    ...(manifest.asked.views.includes('cdn') ? [] : ['', t.noCdn]),
    ...(run.gone > 0 ? ['', t.gone(run.gone)] : []),
    '',
    `## ${t.gapsTitle}`,
    '',
    ...gapLines(gaps, text),
    `## ${t.checkTitle}`,
    '',
    t.check,
    '',
    '```',
    `npm run rescue -- verify ${t.checkPlace}`,
    '```',
    '',
    `## ${t.careTitle}`,
    '',
    t.care,
    '',
  ]
  return lines.join('\n')
}

function gapLines(gaps: readonly Gap[], text: Messages): string[] {
  const t = text.report
  if (gaps.length === 0) return [t.noGaps, '']
  const lines: string[] = []
  const assets = gaps.filter((gap) => gap.kind === 'asset')
  if (assets.length > 0) {
    lines.push(`### ${t.missingAssets} (${assets.length})`, '')
    for (const { url, reason, uses, usedBy } of assets.slice(0, mostListed)) {
      lines.push(`- ${code(url)}: ${t.reason(reason)}`, `  - ${t.usedBy(uses)}: ${users(usedBy, uses, text)}`)
    }
    lines.push(...rest(assets.length, text), '')
  }
  const differing = gaps.filter((gap) => gap.kind === 'differs')
  if (differing.length > 0) {
    lines.push(`### ${t.differingAssets} (${differing.length})`, '', t.differingNote, '')
    for (const { url, bytes, said, uses, usedBy } of differing.slice(0, mostListed)) {
      lines.push(`- ${code(url)}: ${t.differs(bytes, said)}`)
      lines.push(`  - ${t.usedBy(uses)}: ${users(usedBy, uses, text)}`)
    }
    lines.push(...rest(differing.length, text), '')
  }
  const references = gaps.filter((gap) => gap.kind === 'reference')
  if (references.length > 0) {
    lines.push(`### ${t.missingReferences} (${references.length})`, '')
    for (const [field, count] of countByField(references)) lines.push(t.addModels(code(field), count), '')
    for (const { id, uses, usedBy } of references.slice(0, mostListed)) {
      lines.push(`- ${code(id)}`, `  - ${t.usedBy(uses)}: ${users(usedBy, uses, text)}`)
    }
    lines.push(...rest(references.length, text), '')
  }
  for (const gap of gaps) {
    if (gap.kind !== 'unread') continue
    const place = code(`${gap.view}/${gap.model}`)
    lines.push(`- ${t.unread(place, gap.saved, t.unreadReason(gap.reason))}`, '')
  }
  const contents = gaps.filter((gap) => gap.kind === 'content')
  if (contents.length > 0) {
    lines.push(`### ${t.hugeContents} (${contents.length})`, '')
    for (const { view, model, id, saved, lacks } of contents.slice(0, mostListed)) {
      const without = lacks && t.savedWithout(lacks.map(code).join(', '))
      lines.push(`- ${code(`${view}/${model}/${id}`)}: ${saved ? (without ?? t.hugeSaved) : t.hugeLost}`)
    }
    lines.push(...rest(contents.length, text), '')
  }
  for (const gap of gaps) {
    if (gap.kind === 'count') lines.push(t.shortCount(code(`${gap.view}/${gap.model}`), gap.missing), '')
  }
  return lines
}

function users(usedBy: readonly Use[], uses: number, text: Messages): string {
  const shown = usedBy.slice(0, 5).map(({ view, model, content, field }) => {
    if (view === 'app') return text.report.appMeta
    return code(`${view}/${model}/${content}${field ? ` ${field}` : ''}`)
  })
  if (uses > shown.length) shown.push('…')
  return shown.join(', ')
}

function rest(count: number, text: Messages): string[] {
  return count > mostListed ? [`- ${text.report.more(count - mostListed)}`] : []
}

function countByField(references: readonly { usedBy: readonly Use[] }[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const { usedBy } of references) {
    const first = usedBy[0]
    if (!first) continue
    const field = `${first.model}.${first.field ?? ''}`
    counts.set(field, (counts.get(field) ?? 0) + 1)
  }
  return counts
}

function code(text: string): string {
  const safe = plain(text).replace(/`/g, '').replace(/[<>|]/g, '_').trim()
  return `\`${safe.slice(0, 500) || '?'}\``
}

function cell(text: string): string {
  return text.replace(/[|\r\n]/g, ' ')
}
