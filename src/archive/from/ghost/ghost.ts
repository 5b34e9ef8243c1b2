import type { FieldHint } from '../../hints.ts'
import { InvalidJson, JsonTooLarge } from '../../json.ts'
import type { Collector } from '../collected.ts'
import { dateIn } from '../date-paths.ts'
import type { Publication } from '../publication/publication-of.ts'
import { booleanOf } from '../publication/words.ts'
import { defineSource } from '../source.ts'
import type { SourceFile } from '../source-files.ts'
import { textOf } from '../values.ts'
import {
  type GhostSite,
  idIn,
  imageColumns,
  isGhostExport,
  modelOfPost,
  publicationOfPost,
  readSite,
  rowsOf,
  seoColumns,
  timeIn,
  visibilitySigns,
} from './export.ts'
import { GhostFiles } from './files.ts'
import { type GhostTextOptions, lexicalHtml, mobiledocHtml, publicHtml } from './html.ts'

/** The JSON export of a Ghost site, alone or with the folder `content` that contains its files. */
export const ghost = defineSource<SourceFile[]>({
  kind: 'ghost',
  async recognise(files) {
    const found: SourceFile[] = []
    for (const file of files.files) if (await isGhostExport(files, file)) found.push(file)
    return found.length > 0 ? found : undefined
  },
  async convert(files, into, found) {
    const sites: [SourceFile, GhostSite][] = []
    for (const file of found) sites.push([file, await readSite(files, file, into)])
    await declare(
      into,
      sites.map(([, site]) => site),
    )
    for (const [file, site] of sites) {
      const reading = { into, site, files: new GhostFiles(files, into) }
      const published = usedByPublished(site)
      for (const [id, tag] of site.tags) await addTag(reading, id, tag, published.tags.has(id))
      for (const id of authorsIn(site)) await addAuthor(reading, id, published.authors.has(id))
      const silent = { lost: () => {} }
      for await (const { row } of rowsOf(files, file, silent, (table) => table === 'posts'))
        await addPost(reading, row)
    }
  },
})

interface Reading {
  into: Collector
  site: GhostSite
  files: GhostFiles
}

type Row = Record<string, unknown>

const kindsOfColumns: Record<string, string[]> = {
  meta_description: ['lines'],
  og_description: ['lines'],
  twitter_description: ['lines'],
  feature_image_caption: ['html'],
  accent_color: ['color', 'line'],
}

/** Returns hints for the columns with a value, in the order of `seoColumns`. */
const hintsFor = (columns: ReadonlySet<string>): FieldHint[] =>
  seoColumns
    .filter((column) => columns.has(column))
    .map((key) => ({ key, kinds: imageColumns.has(key) ? ['image'] : (kindsOfColumns[key] ?? ['line']) }))

const line = (key: string): FieldHint => ({ key, kinds: ['line'] })
const image = (key: string): FieldHint => ({ key, kinds: ['image'] })

async function declare(into: Collector, sites: readonly GhostSite[]): Promise<void> {
  const models = new Set(sites.flatMap(({ posts }) => [...posts.values()].map(({ model }) => model)))
  const columnsOf = (model: string) =>
    new Set(sites.flatMap(({ columns }) => [...(columns.get(model) ?? [])]))
  // An export without posts is still an export of Ghost, and its plan names the data that is not imported.
  for (const uid of models.size > 0 ? models : ['post'])
    await into.model({
      uid,
      titleKey: 'title',
      fields: [
        line('title'),
        line('slug'),
        { key: 'content', kinds: ['html'] },
        { key: 'excerpt', kinds: ['lines'] },
        image('feature_image'),
        { key: 'featured', kinds: ['boolean'] },
        { key: 'tags', kinds: ['reference'] },
        { key: 'authors', kinds: ['reference'] },
        { key: 'published_at', kinds: ['moment'] },
        ...hintsFor(columnsOf(uid)),
        line('sourceId'),
      ],
    })
  if (sites.some(({ tags }) => tags.size > 0))
    await into.model({
      uid: 'tag',
      titleKey: 'name',
      fields: [
        line('name'),
        line('slug'),
        { key: 'description', kinds: ['lines'] },
        image('feature_image'),
        ...hintsFor(columnsOf('tag')),
        line('sourceId'),
      ],
    })
  if (sites.some((site) => authorsIn(site).size > 0))
    await into.model({
      uid: 'author',
      titleKey: 'name',
      fields: [
        ...[line('name'), line('slug'), { key: 'bio', kinds: ['lines'] }, line('location'), line('website')],
        ...[image('profile_image'), image('cover_image'), line('sourceId')],
      ],
    })
}

/** Returns the tags and authors of published posts and pages. Ghost shows these to visitors. */
function usedByPublished({ posts, tagsOf, authorsOf }: GhostSite) {
  const published = [...posts].flatMap(([id, { isPublished }]) => (isPublished ? [id] : []))
  return {
    tags: new Set(published.flatMap((id) => tagsOf.get(id) ?? [])),
    authors: new Set(published.flatMap((id) => authorsOf.get(id) ?? [])),
  }
}

/**
 * Returns the ids of the users who wrote an imported post. Users that the export lacks are not included; the report
 * names references to them.
 */
const authorsIn = ({ posts, authorsOf, users }: GhostSite): Set<string> =>
  new Set([...posts.keys()].flatMap((post) => (authorsOf.get(post) ?? []).filter((id) => users.has(id))))

const usage = (isUsed: boolean): Publication =>
  isUsed
    ? { state: 'published', statement: 'published post' }
    : { state: 'draft', statement: 'no published post' }

/** Returns the values of the SEO columns that have a value in at least one row of the model. */
function seoValues({ site, files }: Reading, model: string, row: Row): [string, unknown][] {
  const columns = site.columns.get(model) ?? new Set()
  return seoColumns.flatMap((column): [string, unknown][] => {
    if (!columns.has(column)) return []
    const text = textOf(row[column])
    if (imageColumns.has(column)) return [[column, files.value(text)]]
    const isHtml = column === 'feature_image_caption' || column === 'canonical_url'
    return [[column, isHtml ? files.html(text) : text]]
  })
}

async function addTag(reading: Reading, id: string, tag: Row, isUsed: boolean): Promise<void> {
  const { into, files } = reading
  const isInternal = textOf(tag.name).startsWith('#')
  await into.add('tag', {
    id,
    createdAt: timeIn(tag, 'created_at'),
    changedAt: timeIn(tag, 'updated_at'),
    publication: into.publicationOf(
      ...visibilitySigns(tag),
      ...(isInternal ? [{ state: 'hidden' as const, statement: 'name: #' }] : []),
      usage(isUsed),
    ),
    values: {
      name: textOf(tag.name),
      slug: textOf(tag.slug),
      description: textOf(tag.description),
      feature_image: files.value(textOf(tag.feature_image) || textOf(tag.image)),
      ...Object.fromEntries(seoValues(reading, 'tag', tag)),
      sourceId: id,
    },
  })
}

async function addAuthor({ into, site, files }: Reading, id: string, isUsed: boolean): Promise<void> {
  const user = site.users.get(id) ?? {}
  await into.add('author', {
    id,
    publication: into.publicationOf(...visibilitySigns(user), usage(isUsed)),
    values: {
      ...Object.fromEntries(
        ['name', 'slug', 'bio', 'location', 'website'].map((column) => [column, textOf(user[column])]),
      ),
      profile_image: files.value(textOf(user.profile_image)),
      cover_image: files.value(textOf(user.cover_image)),
      sourceId: id,
    },
  })
}

async function addPost(reading: Reading, post: Row): Promise<void> {
  const { into, site, files } = reading
  const model = modelOfPost(post)
  const id = idIn(post, 'id')
  const meta = site.metaOf.get(id) ?? {}
  const publication = publicationOfPost(into, post, meta)
  const title = textOf(post.title)
  const label = title || textOf(post.slug) || id
  const published = timeIn(post, 'published_at')
  // For hidden posts, this is the time since which members could read them.
  const wasPublished = publication.state === 'published' || publication.state === 'hidden'
  await into.add(model, {
    id,
    createdAt: timeIn(post, 'created_at'),
    changedAt: timeIn(post, 'updated_at'),
    firstPublishedAt: wasPublished ? published : null,
    publication,
    label,
    values: {
      title,
      slug: textOf(post.slug),
      content: files.html(await textHtml(into, post, model, label)),
      excerpt: textOf(post.custom_excerpt),
      feature_image: files.value(textOf(post.feature_image) || textOf(post.image), {
        altText: textOf(meta.feature_image_alt),
      }),
      featured: booleanOf(post.featured) ?? false,
      tags: (site.tagsOf.get(id) ?? []).map((tag) => into.idOf('tag', tag)),
      authors: (site.authorsOf.get(id) ?? []).map((author) => into.idOf('author', author)),
      published_at:
        published ?? (dateIn(into, textOf(post.published_at), model, `${label} (published_at)`) || null),
      ...Object.fromEntries(seoValues(reading, model, { ...post, ...meta })),
      sourceId: id,
    },
  })
}

/** Returns the public HTML of a post: as Ghost rendered it, otherwise rendered from the source of its editor. */
async function textHtml(into: Collector, post: Row, model: string, label: string): Promise<string> {
  const options: GhostTextOptions = {
    renderMarkdown: (source) => into.renderMarkdown(source),
    leaveOut: (kind, name) => into.leaveOut(kind, name),
  }
  const html = textOf(post.html)
  if (html.trim() !== '') return publicHtml(html, options)
  const renderers = [
    ['lexical', lexicalHtml],
    ['mobiledoc', mobiledocHtml],
    ['markdown', async (source: string) => into.renderMarkdown(source)],
  ] as const
  for (const [column, render] of renderers) {
    const source = textOf(post[column])
    if (source.trim() === '') continue
    const rendered = await orReason(render(source, options))
    if ('html' in rendered) return publicHtml(rendered.html, options)
    into.lost(model, `${label} (${column})`, rendered.why)
  }
  // The column `plaintext` is not used, because it also contains the words of parts for members.
  return ''
}

async function orReason(rendering: Promise<string | null>): Promise<{ html: string } | { why: string }> {
  try {
    const html = await rendering
    return html === null ? { why: 'json' } : { html }
  } catch (error) {
    if (!(error instanceof InvalidJson)) throw error
    return { why: error instanceof JsonTooLarge ? error.why : 'json' }
  }
}
