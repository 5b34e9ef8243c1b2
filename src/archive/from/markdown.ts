import { posix } from 'node:path'
import { type Collector, requireFields } from './collected.ts'
import { DatePaths } from './date-paths.ts'
import { beginsWithFrontMatter, readFrontMatter } from './front-matter.ts'

import type { Publication, Sign } from './publication/publication-of.ts'
import { signsIn } from './publication/signs.ts'
import { withoutSecrets } from './secret-keys.ts'
import { defineSource } from './source.ts'
import { type SourceFile, type SourceFiles, stemOf } from './source-files.ts'
import { fileAddress, isGeneralName, isRecord, momentOf, objectOf, textOf, typeOfName } from './values.ts'
import { InvalidYaml } from './yaml.ts'

/** Maximum length of a text in characters. */
const longestText = 10_000_000

/** A folder of Markdown files with front matter, and their pictures. */
export const markdown = defineSource<SourceFile[]>({
  kind: 'markdown',
  async recognise(files) {
    const found: SourceFile[] = []
    for (const file of files.files) {
      if (typeOfName(file.path) !== '') continue
      const beginning = await files.beginning(file)
      if (beginning === undefined) continue
      const isNamed = /\.(?:md|mdx|markdown)$/i.test(file.path)
      const isText = !/^[<{[]/.test(beginning) || (isNamed && beginsWithFrontMatter(beginning))
      if (isText && (isNamed || /^(?:---|\+\+\+)[ \t]*\r?\n/.test(beginning))) found.push(file)
    }
    return found.length > 0 ? found : undefined
  },
  async convert(files, into, found) {
    const root = commonFolder(found)
    into.folderName = root.split('/').findLast((folder) => !isGeneralName(folder)) ?? ''
    const site: Site = {
      files: byPath(files),
      tops: topsOf(files, root),
      cascades: new Map(),
    }
    // First pass: analyses the front matter of each model. Texts are not kept, because their number is unlimited.
    const models = new Map<string, Front>()
    const readable: SourceFile[] = []
    for (const file of found) {
      const text = await readText(files, file, into)
      if (!text) continue
      readable.push(file)
      const cascade = cascadeOf(text.front)
      const folder = posix.dirname(file.path)
      if (cascade.length > 0) site.cascades.set(folder === '.' ? '' : folder, cascade)
      const model = modelOf(file.path, root)
      const known = models.get(model) ?? { keys: new Set(), dates: new DatePaths(into.zone) }
      models.set(model, known)
      for (const [key, value] of Object.entries(text.front)) {
        known.keys.add(key)
        known.dates.add(value, key)
      }
      requireFields(known.keys, file.path)
    }
    for (const [uid, { keys }] of models)
      await into.model({ uid, titleKey: 'title', fields: [{ key: bodyKey(keys), kinds: ['markdown'] }] })
    for (const file of readable) {
      const text = await readText(files, file, into)
      const model = modelOf(file.path, root)
      const known = models.get(model)
      if (text && known) await addText(into, site, { file, model, ...known, ...text })
    }
  },
})

/** Keys and dates in the front matter of all texts of a model. */
interface Front {
  keys: Set<string>
  dates: DatePaths
}

interface Read extends Front {
  file: SourceFile
  model: string
  front: Record<string, unknown>
  body: string
}

interface Site {
  files: ReadonlyMap<string, SourceFile>
  /** Folders that may be the root of paths in texts that begin with a slash. */
  tops: ReadonlySet<string>
  /** Statements about the visibility of all texts of a folder, by folder. */
  cascades: Map<string, Sign[]>
}

/**
 * Returns the files by path. macOS decomposes characters in file names (か and ゛) but references do not, so a file is
 * also found by its normalised path, unless another file has that path.
 */
function byPath({ files }: SourceFiles): Map<string, SourceFile> {
  const found = new Map(files.map((file) => [file.path.normalize(), file]))
  for (const file of files) found.set(file.path, file)
  return found
}

function topsOf(files: SourceFiles, root: string): Set<string> {
  const folders = new Set(files.files.map(({ path }) => path.split('/')[0] ?? ''))
  const tops = new Set(['', 'public', 'static', 'source', root, posix.dirname(root)])
  for (const folder of [...folders].slice(0, 100))
    for (const inner of ['', 'public', 'static', 'source']) tops.add(posix.join(folder, inner))
  return tops
}

async function readText(files: SourceFiles, file: SourceFile, into: Collector) {
  try {
    return readFrontMatter(await files.whole(file, longestText))
  } catch (error) {
    if (error instanceof InvalidYaml) {
      into.lost(stemOf(file.path), file.path, error.why)
      return undefined
    }
    throw error
  }
}

const bodyKey = (keys: ReadonlySet<string>) => (keys.has('body') ? 'content' : 'body')

/** Returns the deepest folder that contains all texts. */
function commonFolder(files: readonly SourceFile[]): string {
  const [first = '', ...others] = files.map(({ path }) => posix.dirname(path))
  let common = first === '.' ? '' : first
  for (const folder of others)
    while (common !== '' && folder !== common && !folder.startsWith(`${common}/`))
      common = common.includes('/') ? posix.dirname(common) : ''
  return common
}

/**
 * Returns the model of a text: the first folder below `root`, otherwise the last folder of `root` or `posts`.
 * `blog/2024/a.md` and `blog/a/index.md` belong to `blog`.
 */
function modelOf(path: string, root: string): string {
  const inside = root === '' ? path : path.slice(root.length + 1)
  const folders = inside.split('/').slice(0, -1)
  // Drafts in Jekyll and Hexo are posts.
  const first = folders[0] === '_drafts' ? '_posts' : (folders[0] ?? '')
  if (first !== '' && !/^\d+$/.test(first))
    return folders.length === 1 && /^index\./.test(posix.basename(path))
      ? root.split('/').at(-1) || 'posts'
      : first
  return root.split('/').at(-1) || 'posts'
}

async function addText(into: Collector, site: Site, text: Read): Promise<void> {
  const { file, model, keys, dates, front, body } = text
  const folder = posix.dirname(file.path)
  const local = (address: string): SourceFile | undefined => fileAt(site, folder, address)
  const value = (item: unknown, path: string): unknown => {
    if (Array.isArray(item)) return item.map((inner) => value(inner, path))
    if (isRecord(item))
      return objectOf(Object.entries(item).map(([key, inner]) => [key, value(inner, `${path}.${key}`)]))
    if (typeof item !== 'string') return item
    const found = typeOfName(item) === '' ? undefined : local(item)
    if (found) return into.file(found)
    const url = fileAddress(item)
    if (url) return into.remote(url.href)
    const read = dates.read(item, path)
    if (read === null) into.note('undated', model, `${file.path} (${path})`)
    return read
  }
  const source = body.replace(pictureInText, (found, before: string, address: string) => {
    const picture = local(address)
    return picture ? `${before}${into.addressOf(picture)}` : found
  })
  into.embedded(source)
  const named = dateInName(file.path)
  const date = momentOf(
    front.date ?? front.publishedAt ?? front.pubDate ?? front.published_at ?? front.createdAt ?? named,
    into.zone,
  )
  const updated = momentOf(
    front.updated ?? front.lastmod ?? front.updatedAt ?? front.updated_at ?? front.modified,
    into.zone,
  )
  const key = bodyKey(keys)
  const slug = textOf(front.slug) || slugOf(file.path)
  const { title = headingOf(source) ?? stemOf(file.path), slug: _, ...others } = front
  await into.add(model, {
    id: file.path,
    file: file.path,
    createdAt: date ?? updated,
    updatedAt: updated,
    publication: into.publicationOf(
      ...factsOfPath(file.path, Object.keys(front).length > 0),
      ...cascadingTo(into, site, file.path),
      ...signsIn(front, ownSigns),
      ...rendering(front),
      ...(front.date === undefined ? [{ kind: 'publishAt' as const, key: 'file', value: named }] : []),
    ),
    values: objectOf([
      ['title', typeof title === 'string' ? title : String(title)],
      ['slug', slug],
      ...Object.entries(withoutSecrets(into, others, model)).map(([name, item]): [string, unknown] => [
        name,
        value(item, name),
      ]),
      [key, source],
    ]),
    markdown: { [key]: source },
  })
}

/** Further keys in the front matter of Hugo, Jekyll and Zola that determine visibility. */
const ownSigns = new Map<string, Sign['kind']>([
  ['date', 'publishAt'],
  ['headless', 'hidden'],
])

/** Folders of Jekyll and Hexo whose name states the visibility of their texts, and the trash of Obsidian. */
const stateOfFolder: Record<string, Publication['state']> = {
  _drafts: 'draft',
  _posts: 'published',
  '.trash': 'trashed',
}

const factsOfPath = (path: string, hasFront: boolean): Publication[] =>
  path.split('/').flatMap((folder) => {
    const state = Object.hasOwn(stateOfFolder, folder) ? stateOfFolder[folder] : undefined
    // Jekyll does not publish texts without front matter.
    return state && (hasFront || state !== 'published') ? [{ state, statement: `${folder}/` }] : []
  })

/** Returns the restricting statements of the Hugo sections around a text. */
function cascadingTo(into: Collector, { cascades }: Site, path: string): Publication[] {
  if (cascades.size === 0) return []
  const folders = path.split('/').slice(0, -1)
  return ['', ...folders.map((_, index) => folders.slice(0, index + 1).join('/'))].flatMap((folder) =>
    (cascades.get(folder) ?? [])
      .map((sign) => into.publicationOf(sign))
      .filter(({ state }) => state !== 'published' && state !== 'unknown'),
  )
}

/** Returns the statements of a Hugo section about all its texts. */
const cascadeOf = ({ cascade }: Record<string, unknown>): Sign[] =>
  (Array.isArray(cascade) ? cascade : [cascade])
    .filter(isRecord)
    .flatMap((part) => signsIn(part, ownSigns, 'cascade.'))

/** Returns a hidden state for pages that Hugo does not render. */
function rendering(front: Record<string, unknown>): Publication[] {
  const build = front.build ?? front._build
  const render = isRecord(build) ? build.render : undefined
  return render === false || render === 'never'
    ? [{ state: 'hidden', statement: `build.render: ${render}` }]
    : []
}

/** Pictures in Markdown and in embedded HTML, up to the end of their URL or path. */
const pictureInText =
  /(!\[(?:(?!!\[)[^\]\n]){0,300}\]\(<?|<img\b(?:(?!<img\b)[^>]){0,500}?\bsrc\s*=\s*["'])([^\s)"'<>]{1,1000})/gi

/**
 * Returns the file that a path in a text refers to. The path is relative to the text or, if it begins with a slash, to
 * the root of the site, which may be a folder such as `public` or `static`. undefined: a URL, or an unknown file.
 */
function fileAt({ files, tops }: Site, folder: string, address: string): SourceFile | undefined {
  if (/^[a-z][a-z0-9+.-]*:|^\/\//i.test(address)) return undefined
  const path = plainPath(address)
  const at = (place: string) => files.get(place) ?? files.get(place.normalize())
  if (!path.startsWith('/')) return at(posix.normalize(posix.join(folder, path)))
  for (const top of tops) {
    const found = at(posix.join(top, path).replace(/^\/+/, ''))
    if (found) return found
  }
  return undefined
}

function plainPath(address: string): string {
  const plain = address.replace(/[?#].*$/, '')
  try {
    return decodeURIComponent(plain)
  } catch {
    return plain
  }
}

/** Returns the date in the file name of a Jekyll text: `2024-01-05-first-post.md`. */
const dateInName = (path: string): string | undefined =>
  /^(\d{4}-\d\d-\d\d)-./.exec(path.split('/').at(-1) ?? '')?.[1]

/** Returns the slug of a text: `first-post` for `2024-01-05-first-post.md` and for `first-post/index.md`. */
function slugOf(path: string): string {
  const stem = stemOf(path)
  const name = stem === 'index' ? (path.split('/').at(-2) ?? stem) : stem
  return name.replace(/^\d{4}-\d\d-\d\d-(?=.)/, '')
}

const headingOf = (text: string): string | undefined => /^#\s+(.+?)\s*#*$/m.exec(text.slice(0, 5_000))?.[1]
