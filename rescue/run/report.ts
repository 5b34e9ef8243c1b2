import type { Gap, Manifest, Use } from '#archive/format.ts'
import { formatBytes, type Messages, plain } from '#rescue/messages/messages.ts'

const mostListed = 100

/**
 * Renders the Markdown report for the user. Names, titles and URLs from the server are in code spans with markup
 * removed, because they are untrusted.
 */
export function renderReport(
  manifest: Omit<Manifest, 'files'>,
  gaps: readonly Gap[],
  run: { gone: number; stopped?: string | undefined },
  text: Messages,
): string {
  const { source, models, counts, status } = manifest
  const t = text.report
  const isEmpty = ({ api, cdn }: Manifest['models'][number]) => api.count === 0 && !cdn?.count
  const head = t.contentsHead.map(cell)
  const lines = [
    `# ${t.title(source.app)}`,
    '',
    t.result[status],
    ...(wasRefused(gaps) ? ['', text.done.refused] : []),
    ...(run.stopped ? ['', t.stopped(plain(run.stopped))] : []),
    '',
    `- ${t.source(source.space, source.app)}${source.origin ? ` (${code(source.origin)})` : ''}`,
    `- ${t.time(manifest.startedAt, manifest.finishedAt)}`,
    '',
    `## ${t.contentsTitle}`,
    '',
    `| ${head.join(' | ')} |`,
    '|---|---:|---:|---|',
    ...models.map((model) => {
      const { uid, api, cdn, foundBy } = model
      const notes = [
        ...(foundBy ? [t.foundBy(code(foundBy))] : []),
        ...(isEmpty(model) ? [t.emptyModel] : []),
      ]
      return `| ${code(uid)} | ${api.count} | ${cdn ? cdn.count : '–'} | ${cell(notes.join(' / '))} |`
    }),
    '',
    `**${text.done.onlyModels}**`,
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
    ...gapLines(gaps, source, text),
    ...notInApi(text),
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

/** Returns a section about data that archives do not contain. */
export function notInApi(text: Messages): string[] {
  const { title, lines } = text.notInApi
  return [`## ${title}`, '', ...lines.map((line) => `- ${line}`), '']
}

/**
 * Returns whether a host of Newt, or Google's storage, refused an asset with 401 or 403. The refusal may be temporary.
 */
export function wasRefused(gaps: readonly Gap[]): boolean {
  return gaps.some((gap) => {
    if (gap.kind !== 'asset' || !/^40[13]$/.test(gap.reason)) return false
    const { host } = new URL(gap.url)
    return host.endsWith('.newt.so') || host === 'storage.googleapis.com'
  })
}

function gapLines(gaps: readonly Gap[], source: Manifest['source'], text: Messages): string[] {
  const t = text.report
  if (gaps.length === 0) return [t.noGaps, '']
  const lines: string[] = []
  const assets = gaps.filter((gap) => gap.kind === 'asset')
  if (assets.length > 0) {
    lines.push(`### ${t.missingAssets} (${assets.length})`, '')
    for (const { url, reason, uses, usedBy } of assets.slice(0, mostListed)) {
      lines.push(
        `- ${code(url)}: ${t.reason(reason)}`,
        `  - ${t.usedBy(uses)}: ${users(usedBy, uses, source, text)}`,
      )
    }
    lines.push(...rest(assets.length, text), '')
  }
  const differing = gaps.filter((gap) => gap.kind === 'differs')
  if (differing.length > 0) {
    lines.push(`### ${t.differingAssets} (${differing.length})`, '', t.differingNote, '')
    for (const { url, bytes, said, uses, usedBy } of differing.slice(0, mostListed)) {
      lines.push(`- ${code(url)}: ${t.differs(bytes, said)}`)
      lines.push(`  - ${t.usedBy(uses)}: ${users(usedBy, uses, source, text)}`)
    }
    lines.push(...rest(differing.length, text), '')
  }
  const references = gaps.filter((gap) => gap.kind === 'reference')
  if (references.length > 0) {
    lines.push(`### ${t.missingReferences} (${references.length})`, '')
    for (const [field, count] of countByField(gaps)) lines.push(t.addModels(code(field), count), '')
    for (const { id, uses, usedBy } of references.slice(0, mostListed)) {
      lines.push(`- ${code(id)}`, `  - ${t.usedBy(uses)}: ${users(usedBy, uses, source, text)}`)
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
    for (const { view, model, id, title, saved, lacks } of contents.slice(0, mostListed)) {
      const place = contentLink({ view, model, content: id, title }, source, text)
      const without = lacks && t.savedWithout(lacks.map(code).join(', '))
      lines.push(`- ${place}: ${saved ? (without ?? t.hugeSaved) : t.hugeLost}`)
    }
    lines.push(...rest(contents.length, text), '')
  }
  for (const gap of gaps) {
    if (gap.kind === 'count') lines.push(t.shortCount(code(`${gap.view}/${gap.model}`), gap.missing), '')
  }
  return lines
}

function users(usedBy: readonly Use[], uses: number, source: Manifest['source'], text: Messages): string {
  const shown = usedBy
    .slice(0, 5)
    .map((use) => (use.view === 'app' ? text.report.appMeta : contentLink(use, source, text)))
  if (uses > shown.length) shown.push('…')
  return shown.join(', ')
}

/** Returns a content's title, with a link to its page in Newt's admin. */
function contentLink(use: Use, source: Manifest['source'], text: Messages): string {
  const { view, model, content, title, field } = use
  const place = code(`${view}/${model}/${content}${field ? ` ${field}` : ''}`)
  const name = title ? code(title) : text.report.untitled
  // For another server, the URL of its admin is unknown.
  if (source.origin) return `${name} (${place})`
  const path = [source.space, 'apps', source.app, 'models', model, 'contents', content]
  return `[${name}](https://app.newt.so/${path.map(segment).join('/')}) (${place})`
}

function segment(text: string): string {
  // Parentheses are encoded, because they would end a Markdown link.
  return encodeURIComponent(text.toWellFormed()).replace(/\(/g, '%28').replace(/\)/g, '%29')
}

function rest(count: number, text: Messages): string[] {
  return count > mostListed ? [`- ${text.report.more(count - mostListed)}`] : []
}

/**
 * Returns reference fields (`article.author`) with the number of contents that were not found. The model of these
 * contents may be missing in the archive.
 */
export function countByField(gaps: readonly Gap[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const gap of gaps) {
    const first = gap.kind === 'reference' ? gap.usedBy[0] : undefined
    if (!first) continue
    const field = `${first.model}.${first.field ?? ''}`
    counts.set(field, (counts.get(field) ?? 0) + 1)
  }
  return counts
}

/** Returns untrusted text as a code span. */
export function code(text: string): string {
  const safe = plain(text).replace(/`/g, '').replace(/[<>|]/g, '_').trim()
  return `\`${safe.slice(0, 500) || '?'}\``
}

/** Returns text that is safe in a table cell. */
export function cell(text: string): string {
  return text.replace(/[|\r\n]/g, ' ')
}
