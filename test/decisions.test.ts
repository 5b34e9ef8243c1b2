import { readdir, readFile, stat } from 'node:fs/promises'
import { dirname, join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const root = fileURLToPath(new URL('../', import.meta.url))
const folder = join(root, 'docs/decisions')

const numberOf = (file: string) => Number(file.slice(0, 4))

const decisions = (await readdir(folder)).filter((file) => /^\d{4}-.*\.md$/.test(file)).sort()

/** The lines of the index that list a decision: `| [4](0004-permissions.md) | … | in force |`. */
const lines = [
  ...(await readFile(join(folder, 'README.md'), 'utf8')).matchAll(
    /^\| \[(\d+)\]\((\d{4}-[^)]*)\) \| (.+) \| (.+) \|$/gm,
  ),
].map(([, number = '', file = '', sentence = '', status = '']) => ({
  number: Number(number),
  file,
  sentence,
  status,
}))

const documents = (
  await Promise.all(
    ['.', 'docs', 'rescue'].map(async (place) =>
      (
        await readdir(join(root, place), { recursive: place === 'docs' })
      )
        .filter((file) => file.endsWith('.md'))
        .map((file) => join(root, place, file)),
    ),
  )
).flat()

const withoutCode = (text: string) => text.replace(/```.*?```/gs, '').replace(/`[^`\n]*`/g, '')

/** Returns the anchors that GitHub creates for the headings of a document. */
const anchorsOf = (text: string) =>
  [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .trim()
      .replaceAll(' ', '-'),
  )

it('the index of decisions lists every decision exactly once', async () => {
  expect(decisions.length).toBeGreaterThan(80)
  expect(lines.map(({ file }) => file).sort()).toEqual(decisions)
  expect(lines.filter(({ number, file }) => number !== numberOf(file))).toEqual([])
})

it('every decision has a unique number, with which its title begins', async () => {
  expect(new Set(decisions.map(numberOf)).size).toBe(decisions.length)
  const wrong: string[] = []
  for (const file of decisions) {
    const text = await readFile(join(folder, file), 'utf8')
    if (!text.startsWith(`# ${numberOf(file)}. `)) wrong.push(file)
  }
  expect(wrong).toEqual([])
})

it('the statuses of two decisions agree if one amends or supersedes the other', () => {
  const status =
    /^(in force|superseded by \d+)(; amended by \d+(, \d+)*)?(; amends \d+(, \d+)*)?(; supersedes \d+(, \d+)*)?$/
  expect(lines.filter((line) => !status.test(line.status))).toEqual([])
  const pairs = (words: string) =>
    lines.flatMap((line) => {
      const [, named] = new RegExp(`\\b${words} ([\\d, ]+)`).exec(line.status) ?? []
      return named ? named.split(', ').map((other) => [line.number, Number(other)] as const) : []
    })
  for (const [changed, changes] of [
    ['amended by', 'amends'],
    ['superseded by', 'supersedes'],
  ] as const) {
    const said = pairs(changed).map(([older, newer]) => `${newer} ${changes} ${older}`)
    expect(said.sort()).toEqual(
      pairs(changes)
        .map(([newer, older]) => `${newer} ${changes} ${older}`)
        .sort(),
    )
  }
})

it('relative links in Markdown documents have an existing target', async () => {
  const dead: string[] = []
  for (const document of documents) {
    const text = withoutCode(await readFile(document, 'utf8'))
    const say = (what: string) => dead.push(`${relative(root, document).replaceAll(sep, '/')}: ${what}`)
    for (const [link, words = '', path = '', anchor] of text.matchAll(
      /\[([^\]]*)\]\((?![a-z]+:)([^)#\s]*)(?:#([^)\s]*))?\)/g,
    )) {
      const target = path ? join(dirname(document), path) : document
      const there = await stat(target).catch(() => undefined)
      if (!there) say(link)
      else if (anchor && !anchorsOf(await readFile(target, 'utf8')).includes(anchor)) say(link)
      const [, named] = /^(?:decision )?(\d+)$/.exec(words) ?? []
      const [, number] = /(?:^|\/)(\d{4})-[^/]*\.md$/.exec(path) ?? []
      if (named && number && Number(named) !== Number(number)) say(`${link} names another decision`)
    }
  }
  expect(dead).toEqual([])
})

it('the decisions that code and documents name as `decisions/NNNN` exist', async () => {
  const numbers = new Set(decisions.map((file) => file.slice(0, 4)))
  const sources = (
    await Promise.all(
      ['src', 'rescue', 'test', 'e2e', 'scripts', 'bench'].map(async (place) =>
        (
          await readdir(join(root, place), { recursive: true })
        )
          .filter((file) => /\.(tsx?|mjs|sql)$/.test(file))
          .map((file) => join(root, place, file)),
      ),
    )
  ).flat()
  const wrong: string[] = []
  let named = 0
  for (const file of [...sources, ...documents]) {
    const text = await readFile(file, 'utf8')
    for (const [, number = ''] of text.matchAll(/\bdecisions\/(\d{4})\b/g)) {
      named += 1
      if (!numbers.has(number)) wrong.push(`${relative(root, file).replaceAll(sep, '/')}: ${number}`)
    }
  }
  expect(named).toBeGreaterThan(100)
  expect(wrong).toEqual([])
})
