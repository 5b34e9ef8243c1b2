import type { Collector } from '../collected.ts'
import type { Publication } from '../publication/publication-of.ts'
import { isSecretKey } from '../secret-keys.ts'
import { defineSource } from '../source.ts'
import type { SourceFile, SourceFiles } from '../source-files.ts'
import { picturesIn, postHtml, shortcodesIn } from './html.ts'
import { signsOf, timesOf } from './states.ts'
import { channelNodes, textIn, type XmlNode } from './wxr-reader.ts'

/** Post types that belong to the theme or to WordPress itself. */
const ownTypes =
  /^(?:attachment|nav_menu_item|revision|custom_css|customize_changeset|oembed_cache|user_request|wp_.*|acf-.*|amp_validated_url)$/
const ownStatuses = /^(?:auto-draft|inherit)$/
/** Field names of taxonomies that differ from the taxonomy's name. */
const fieldOfTaxonomy: Record<string, string> = { category: 'categories', post_tag: 'tags' }
const modelOfTaxonomy: Record<string, string> = { post_tag: 'tag' }
const fieldFor = (taxonomy: string) => fieldOfTaxonomy[taxonomy] ?? taxonomy
const modelFor = (taxonomy: string) => modelOfTaxonomy[taxonomy] ?? taxonomy

interface Attachment {
  url: string
  title: string
  altText: string
  description: string
}

interface Term {
  taxonomy: string
  slug: string
  name: string
  description: string
  parent: string
}

/** Data that must be read before the posts. */
interface Site {
  name: string
  attachments: Map<string, Attachment>
  urls: Set<string>
  terms: Map<string, Term>
  /** Hierarchical taxonomies. */
  nested: Set<string>
  authors: Map<string, string>
  /** Terms as `<taxonomy> <slug>`, and authors as ` <login>`, of published posts. */
  shown: Set<string>
  /** Taxonomies and meta keys by post type. */
  taxonomies: Map<string, Set<string>>
  meta: Map<string, Set<string>>
}

/** Posts, pages and other contents of a WordPress export (WXR). */
export const wordpress = defineSource<SourceFile[]>({
  kind: 'wordpress',
  async recognise(files) {
    const found: SourceFile[] = []
    for (const file of files.files) {
      const beginning = await files.beginning(file)
      if (beginning?.startsWith('<') && /<rss\b[^>]*wordpress\.org\/export\//.test(beginning))
        found.push(file)
    }
    return found.length > 0 ? found : undefined
  },
  async convert(files, into, found) {
    const site = await readSite(files, found, into)
    into.appName = site.name
    await declare(into, site)
    for (const [slug, name] of site.authors)
      await into.add('author', {
        id: slug,
        publication: site.shown.has(` ${slug}`) ? usedByPost : into.publicationOf(),
        values: { name, slug },
      })
    for (const term of site.terms.values()) await addTerm(into, site, term)
    for (const file of found)
      for await (const node of channelNodes(files.text(file), file.path))
        if (node.name === 'item') await addPost(into, site, node)
  },
})

/** The visibility of authors and terms of published posts: WordPress shows public pages for them. */
const usedByPost: Publication = { state: 'published', statement: 'published post' }
/** WordPress has public pages for its own taxonomies. Taxonomies of plugins may be internal. */
const ownTaxonomies: ReadonlySet<string> = new Set(['category', 'post_tag'])

async function readSite(files: SourceFiles, found: readonly SourceFile[], into: Collector): Promise<Site> {
  const site: Site = {
    name: '',
    attachments: new Map(),
    urls: new Set(),
    terms: new Map(),
    nested: new Set(),
    authors: new Map(),
    shown: new Set(),
    taxonomies: new Map(),
    meta: new Map(),
  }
  for (const file of found)
    for await (const node of channelNodes(files.text(file), file.path)) readNode(site, node, into)
  for (const key of [...site.shown]) showParents(site, key)
  return site
}

/** Marks the parents of a term, because the page of a parent term shows the posts of its children. */
function showParents(site: Site, key: string): void {
  for (let term = site.terms.get(key); term?.parent; ) {
    const parent = `${term.taxonomy} ${term.parent}`
    if (site.shown.has(parent)) return
    site.shown.add(parent)
    term = site.terms.get(parent)
  }
}

function readNode(site: Site, node: XmlNode, into: Collector): void {
  const term = (taxonomy: string, slug: string, name: string, parent: string, description: string) => {
    if (slug === '') return
    if (parent !== '') site.nested.add(taxonomy)
    const key = `${taxonomy} ${slug}`
    const known = site.terms.get(key)
    site.terms.set(key, { taxonomy, slug, name: name || known?.name || slug, parent, description })
  }
  switch (node.name) {
    case 'title':
      site.name ||= node.text.trim()
      break
    case 'wp:author':
      into.leaveOut('account', 'wp:author_email', textIn(node, 'wp:author_email') === '' ? 0 : 1)
      site.authors.set(
        textIn(node, 'wp:author_login'),
        textIn(node, 'wp:author_display_name') || textIn(node, 'wp:author_login'),
      )
      break
    case 'wp:category':
      term(
        'category',
        textIn(node, 'wp:category_nicename'),
        textIn(node, 'wp:cat_name'),
        textIn(node, 'wp:category_parent'),
        textIn(node, 'wp:category_description'),
      )
      break
    case 'wp:tag':
      term(
        'post_tag',
        textIn(node, 'wp:tag_slug'),
        textIn(node, 'wp:tag_name'),
        '',
        textIn(node, 'wp:tag_description'),
      )
      break
    case 'wp:term':
      if (textIn(node, 'wp:term_taxonomy') !== 'nav_menu')
        term(
          textIn(node, 'wp:term_taxonomy'),
          textIn(node, 'wp:term_slug'),
          textIn(node, 'wp:term_name'),
          textIn(node, 'wp:term_parent'),
          textIn(node, 'wp:term_description'),
        )
      break
    case 'item':
      readItem(site, node, into)
  }
}

/** First pass over an item: collects the data that other items refer to, and reports data that is not imported. */
function readItem(site: Site, node: XmlNode, into: Collector): void {
  // Comments contain the e-mail addresses of their authors.
  const comments = node.children.filter(({ name }) => name === 'wp:comment').length
  if (comments > 0) into.leaveOut('account', 'wp:comment', comments)
  const type = textIn(node, 'wp:post_type')
  const url = textIn(node, 'wp:attachment_url')
  if (type === 'attachment' && URL.canParse(url)) {
    site.urls.add(url)
    site.attachments.set(textIn(node, 'wp:post_id'), {
      url,
      title: textIn(node, 'title'),
      altText: metaOf(node).get('_wp_attachment_image_alt') ?? '',
      description: textIn(node, 'content:encoded'),
    })
  }
  if (isOwn(node)) {
    if (type !== 'attachment') into.leaveOut('system', `wp:post_type: ${type}`)
    return
  }
  const isPublic = into.publicationOf(...signsOf(node, into.zone)).state === 'published'
  const author = textIn(node, 'dc:creator')
  if (isPublic && author !== '') site.shown.add(` ${author}`)
  if (author !== '' && !site.authors.has(author)) site.authors.set(author, author)
  const taxonomies = site.taxonomies.get(type) ?? new Set()
  site.taxonomies.set(type, taxonomies)
  for (const { taxonomy, slug, name } of termsOf(node)) {
    taxonomies.add(taxonomy)
    const key = `${taxonomy} ${slug}`
    if (isPublic) site.shown.add(key)
    // Partial exports declare terms only in the posts that use them.
    if (!site.terms.has(key)) site.terms.set(key, { taxonomy, slug, name, parent: '', description: '' })
  }
  const meta = site.meta.get(type) ?? new Set()
  site.meta.set(type, meta)
  for (const [key, value] of metaOf(node)) {
    if (key.startsWith('_') || value === '') continue
    if (isSecretKey(key)) into.leaveOut('secret', `${type}.${key}`)
    else meta.add(key)
  }
}

const isOwn = (node: XmlNode) =>
  ownTypes.test(textIn(node, 'wp:post_type') || 'attachment') || ownStatuses.test(textIn(node, 'wp:status'))

function termsOf(node: XmlNode): { taxonomy: string; slug: string; name: string }[] {
  return node.children.flatMap(({ name, attributes, text }) => {
    const { domain = '', nicename = '' } = attributes
    const isTerm = name === 'category' && domain !== '' && nicename !== '' && domain !== 'nav_menu'
    return isTerm ? [{ taxonomy: domain, slug: nicename, name: text.trim() }] : []
  })
}

function metaOf(node: XmlNode): Map<string, string> {
  const pairs = node.children.filter(({ name }) => name === 'wp:postmeta')
  return new Map(pairs.map((pair) => [textIn(pair, 'wp:meta_key'), textIn(pair, 'wp:meta_value')]))
}

async function declare(into: Collector, site: Site): Promise<void> {
  for (const type of site.taxonomies.keys())
    await into.model({
      uid: type,
      titleKey: 'title',
      fields: [
        { key: 'title', kinds: ['line'] },
        { key: 'slug', kinds: ['line'] },
        { key: 'content', kinds: ['html'] },
        { key: 'excerpt', kinds: ['lines'] },
        { key: 'thumbnail', kinds: ['image'] },
        { key: 'author', kinds: ['reference'] },
        { key: 'link', kinds: ['line'] },
        { key: 'sourceId', kinds: ['number'] },
      ],
    })
  for (const { taxonomy } of site.terms.values())
    await into.model({
      uid: modelFor(taxonomy),
      titleKey: 'name',
      fields: [{ key: 'name', kinds: ['line'] }],
    })
  if (site.authors.size > 0)
    await into.model({
      uid: 'author',
      titleKey: 'name',
      fields: [{ key: 'name', kinds: ['line'] }],
    })
  for (const url of site.urls) {
    const { host, pathname } = new URL(url)
    const folder = /^(.*\/wp-content\/uploads)\//.exec(pathname)?.[1]
    if (folder) into.places.add(`${host}${folder}`)
    else into.place(new URL(url))
  }
}

function addTerm(
  into: Collector,
  site: Site,
  { taxonomy, slug, name, description, parent }: Term,
): Promise<void> {
  const hasParent = site.nested.has(taxonomy)
  const isShown = ownTaxonomies.has(taxonomy)
  return into.add(modelFor(taxonomy), {
    id: slug,
    publication: isShown
      ? { state: 'published', statement: taxonomy }
      : site.shown.has(`${taxonomy} ${slug}`)
        ? usedByPost
        : into.publicationOf(),
    values: {
      name,
      slug: decoded(slug),
      description,
      ...(hasParent ? { parent: parent ? into.idOf(modelFor(taxonomy), parent) : null } : {}),
    },
  })
}

async function addPost(into: Collector, site: Site, node: XmlNode): Promise<void> {
  if (isOwn(node)) return
  const type = textIn(node, 'wp:post_type')
  const id = textIn(node, 'wp:post_id')
  const meta = metaOf(node)
  const own = await valuesOf(into, site, node, type, meta)
  const others = [...(site.meta.get(type) ?? [])].map((key): [string, unknown] => [
    key in own ? `meta_${key}` : key,
    meta.get(key) ?? '',
  ])
  const { isUndated, ...times } = timesOf(node, into.zone)
  await into.add(type, {
    id,
    ...times,
    publication: into.publicationOf(...signsOf(node, into.zone)),
    values: Object.fromEntries([...Object.entries(own), ...others]),
  })
  const title = textIn(node, 'title') || id
  if (isUndated) into.note('undated', type, title)
  for (const url of picturesIn(own.content))
    if (!into.isPlaced(url)) into.note('picturesElsewhere', type, `${title} (${url.host})`)
  for (const name of shortcodesIn(own.content)) into.note('shortcodes', type, `${title} [${name}]`)
}

async function valuesOf(into: Collector, site: Site, node: XmlNode, type: string, meta: Map<string, string>) {
  const attached = site.attachments.get(meta.get('_thumbnail_id') ?? '')
  const picture = attached && into.remote(attached.url, { title: attached.title, altText: attached.altText })
  const author = textIn(node, 'dc:creator')
  const parent = textIn(node, 'wp:post_parent')
  const terms = termsOf(node)
  const slug = decoded(textIn(node, 'wp:post_name'))
  const order = Number(textIn(node, 'wp:menu_order'))
  const taxonomies = [...(site.taxonomies.get(type) ?? [])].map((taxonomy): [string, unknown] => [
    fieldFor(taxonomy),
    terms.flatMap((term) => (term.taxonomy === taxonomy ? [into.idOf(modelFor(taxonomy), term.slug)] : [])),
  ])
  return {
    title: textIn(node, 'title'),
    slug,
    content: postHtml(textIn(node, 'content:encoded'), (url) => site.urls.has(url)),
    excerpt: textIn(node, 'excerpt:encoded'),
    thumbnail: picture ?? null,
    author: author === '' ? null : into.idOf('author', author),
    ...Object.fromEntries(taxonomies),
    ...(type === 'page' ? { parent: parent !== '' && parent !== '0' ? into.idOf(type, parent) : null } : {}),
    ...(type === 'page' ? { menuOrder: Number.isFinite(order) ? order : 0 } : {}),
    link: textIn(node, 'link'),
    sourceId: Number(textIn(node, 'wp:post_id')) || null,
  }
}

/** Slugs in Japanese are percent-encoded. */
function decoded(slug: string): string {
  try {
    return decodeURIComponent(slug)
  } catch {
    return slug
  }
}
