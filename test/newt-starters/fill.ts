import { renderMarkdown } from '#server/content/html.ts'
import {
  addAsset,
  addContent,
  assetsSrc,
  emptySpace,
  idOf,
  type Stored,
  type StoredSpace,
  storageSrc,
} from '../newt-stand-in/space.ts'
import type { Starter } from './starters.ts'

/** A parsed field line of a starter. */
export interface StarterField {
  uid: string
  kind: string
  /** The part after the colon, split at `|`. */
  of: string[]
  multiple: boolean
  optional: boolean
}

export function readField(line: string): StarterField {
  const [, uid = '', kind = '', of = '', marks = ''] =
    /^(\S+) ([a-z]+)(?::([^*?]+))?([*?]*)$/.exec(line) ?? []
  return {
    uid,
    kind,
    of: of === '' ? [] : of.split('|'),
    multiple: marks.includes('*'),
    optional: marks.includes('?'),
  }
}

const topics = '新機能 季節 会社 春 写真 料理 道具 街 旅 仕事 学校 音楽 手紙 庭 海 山 本 朝 夜 猫'.split(' ')
const verbs = [
  'を始めました',
  'のお知らせ',
  'を振り返る',
  'をもっと知る',
  'の作り方',
  'を選ぶ',
  'と暮らす',
  'の歩き方',
]
const people = '佐藤 鈴木 高橋 田中 伊藤 渡辺 山本 中村 小林 加藤'.split(' ')
const given = '葵 蓮 陽菜 湊 凛 樹 結衣 大和 紬 悠真'.split(' ')

/** Returns a space as Newt would serve it, with deterministic random contents. `firstId`: the first `_id`. */
export function fillStarter({ app, models, customTypes = {} }: Starter, firstId = 0x100000): StoredSpace {
  const space = emptySpace()
  space.app = { uid: app, name: app }
  const random = chance(app)
  const below = (limit: number) => Math.floor(random() * limit)
  const pick = <T>(list: readonly T[]): T => list[below(list.length)] as T
  let lastId = firstId
  const nextId = () => idOf(lastId++)
  const ids = new Map(
    Object.entries(models).map(([uid, { contents }]) => [uid, Array.from({ length: contents }, nextId)]),
  )
  let counter = 0

  const sentence = () =>
    `${pick(topics)}${pick(verbs)}。${pick(topics)}と${pick(topics)}の話を、${pick(people)}がまとめました。`
  const date = () => new Date(Date.UTC(2021 + below(4), below(12), 1 + below(28)))
  const asset = (isImage: boolean) => {
    const id = nextId()
    const fileName = isImage ? `写真 ${++counter}.jpg` : `資料 ${++counter}.pdf`
    return addAsset(space, {
      id,
      fileName,
      fileType: isImage ? 'image/jpeg' : 'application/pdf',
      bytes: Buffer.from(`${counter}`),
      src: below(3) === 0 ? storageSrc(id, encodeURIComponent(fileName)) : assetsSrc(space.uid, id, fileName),
      width: isImage ? 1200 : null,
      height: isImage ? 800 : null,
    })
  }
  const html = () =>
    `<h2>${pick(topics)}</h2><p>${sentence()}<strong>${pick(topics)}</strong></p><ul><li>${pick(topics)}</li><li>${pick(topics)}</li></ul>` +
    (below(2) ? `<p><a href="https://example.com/${below(99)}">${pick(topics)}</a></p>` : '')
  const markdown = (): Stored => {
    const source =
      `## ${pick(topics)}\n\n${sentence()}\n**${pick(topics)}**\n\n- ${pick(topics)}\n- ${pick(topics)}` +
      (below(2) ? `\n\n[${pick(topics)}](https://example.com/${below(99)})` : '')
    return { $html: renderMarkdown(source), source }
  }
  const text = (uid: string): string => {
    const name = uid.toLowerCase()
    if (/url|twitter/.test(name)) return `https://example.com/${uid}/${below(500)}`
    if (/name|writer|client$/.test(name))
      return below(2) ? `${pick(people)} ${pick(given)}` : `${pick(topics)}${pick(topics)}`
    if (/^time$/.test(name)) return `${9 + below(9)}:${pick(['00', '30'])}`
    if (/^sku$/.test(name)) return `SKU-${below(9000)}`
    if (
      /position|role|jobtitle|company|department|service|workplace|venue|kind|benefits|keywords|choices/.test(
        name,
      )
    )
      return `${pick(topics)}${pick(['担当', '部', '室', '係'])}${below(3) ? '' : below(20)}`
    if (/salary/.test(name)) return `月給${20 + below(30)}万円から`
    if (/notifyto/.test(name)) return `mail${below(99)}@example.com`
    return `${pick(topics)}${pick(verbs)} ${below(400)}`
  }
  const embed = () =>
    `<iframe src="https://www.youtube.com/embed/${idOf(below(1e6)).slice(-11)}" width="560" height="315" allowfullscreen></iframe>`

  const one = (field: StarterField): Stored => {
    const { uid, kind, of } = field
    switch (kind) {
      case 'text':
        return text(uid)
      case 'area':
        return `${sentence()}\n${sentence()}`
      case 'slug':
        return `${pick(['spring', 'summer', 'autumn', 'winter'])}-${++counter}`
      case 'richtext':
        return html()
      case 'markdown':
        return markdown()
      case 'number':
        return below(3) ? below(100) * 100 : below(1000) / 10
      case 'checkbox':
        return below(2) === 0
      case 'date':
        return date().toISOString()
      case 'datetime':
        return new Date(date().getTime() + (1 + below(90)) * 900_000).toISOString()
      case 'image':
        return asset(true)
      case 'file':
        return asset(false)
      case 'select':
        return pick(of)
      case 'color':
        return `#${below(0xffffff).toString(16).padStart(6, '0')}`
      case 'emoji':
        return { type: 'emoji', value: pick(['🎾', '🦎', '🌸', '👍🏽', '📚']) }
      case 'map':
        return { lat: 35 + below(10_000) / 10_000, lng: 139 + below(10_000) / 10_000 }
      case 'embed':
        return embed()
      case 'ref':
        return { $ref: pick(ids.get(of[0] ?? '') ?? []) }
      case 'custom':
        return object(of[0] ?? '')
      case 'multi': {
        const type = pick(of)
        const built = new Map<string, () => Stored>([
          ['RICH_TEXT', html],
          ['MARKDOWN', markdown],
          ['IMAGE', () => asset(true)],
          ['EMBED', embed],
        ])
        return { _id: nextId(), type, data: built.get(type)?.() ?? object(type) }
      }
      default:
        throw new Error(kind)
    }
  }
  const nothing: Record<string, Stored> = {
    text: '',
    area: '',
    richtext: '',
    markdown: '',
    select: '',
    embed: '',
  }
  const value = (field: StarterField): Stored | undefined => {
    if (field.multiple) {
      const items = Array.from({ length: below(5) && 1 + below(3) }, () => one(field))
      return field.kind === 'custom' ? items.map((item) => ({ ...(item as object), _id: nextId() })) : items
    }
    if (field.optional && below(3) === 0)
      return field.kind === 'map' ? undefined : (nothing[field.kind] ?? null)
    return one(field)
  }
  const object = (uid: string): Record<string, Stored> => valuesOf(customTypes[uid] ?? [])
  const valuesOf = (lines: string[]): Record<string, Stored> =>
    Object.fromEntries(
      lines.map(readField).flatMap((field) => {
        const found = value(field)
        return found === undefined ? [] : [[field.uid, found]]
      }),
    )

  for (const [uid, { fields }] of Object.entries(models))
    for (const [index, id] of (ids.get(uid) ?? []).entries()) {
      const createdAt = new Date(Date.UTC(2024, 0, 1) + index * 60_000).toISOString()
      const isDraft = index % 5 === 4
      addContent(space, uid, {
        id,
        createdAt,
        draft: valuesOf(fields),
        ...(isDraft ? { published: undefined } : {}),
      })
    }
  return space
}

/** Returns a generator of pseudo-random numbers from 0 to 1, seeded by a word (mulberry32). */
function chance(word: string): () => number {
  let state = [...word].reduce(
    (sum, letter) => Math.imul(sum ^ (letter.codePointAt(0) ?? 0), 0x01000193),
    0x811c9dc5,
  )
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
