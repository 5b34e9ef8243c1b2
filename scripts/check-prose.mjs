import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { commentsOf, testTitlesOf } from './lib/comments.mjs'
import { lineRange, subjectFaults, wordsToAvoid } from './lib/prose.mjs'

/*
 * Checks the comments and test titles on lines that changed since `main`, and the subjects of the commits since then.
 * They must not contain the words that lib/prose.mjs lists, comments must not exceed 120 columns, and subjects must be
 * Conventional Commits. `node scripts/check-prose.mjs <commit>` starts at another commit. `--all` checks all lines, but
 * no commits. If there is no branch `main` and no argument, nothing is checked. An unknown commit is an error.
 */

const maxLineLength = 120

const git = (...args) => {
  try {
    return execFileSync('git', args, {
      encoding: 'utf8',
      maxBuffer: 1 << 28,
      stdio: ['ignore', 'pipe', 'ignore'],
    })
  } catch {
    return undefined
  }
}
const linesOf = (output) => (output ?? '').split('\n').filter(Boolean)

/**
 * Returns the last commit that the branch shares with `origin/main`, or else with `main`. `undefined`: neither exists.
 */
const findBase = () => (git('merge-base', 'HEAD', 'origin/main') ?? git('merge-base', 'HEAD', 'main'))?.trim()

/** Returns the numbers of changed lines by file; `null` stands for all lines of a new file. */
function changedLines(base) {
  const changed = new Map()
  for (const file of linesOf(git('ls-files', '--others', '--exclude-standard'))) changed.set(file, null)
  let numbers = new Set()
  for (const line of linesOf(git('diff', '--no-ext-diff', '--no-renames', '--unified=0', base))) {
    const [, file] = /^\+\+\+ b\/(.*)$/.exec(line) ?? []
    if (file) {
      numbers = new Set()
      changed.set(file, numbers)
    }
    const [, first, count = 1] = /^@@ -\S+ \+(\d+)(?:,(\d+))? @@/.exec(line) ?? []
    if (first) for (let at = 0; at < Number(count); at++) numbers.add(Number(first) + at)
  }
  return changed
}

const isSource = (file) => /\.(?:[cm]?[jt]s|tsx|css)$/.test(file)
const isTest = (file) => /\.(?:test|spec)\.tsx?$/.test(file)

/** Returns the faults of a file's comments and titles that are at least partly on one of the lines. */
function faultsOf(file, lines) {
  const text = readFileSync(file, 'utf8')
  const all = text.split('\n')
  const comments = commentsOf(file, text)
  const titles = isTest(file) ? testTitlesOf(file, text) : []
  return [...comments, ...titles].flatMap((part) => {
    const { first, last } = lineRange(text, part)
    const numbers = Array.from({ length: last - first + 1 }, (_, at) => first + at)
    if (lines && !numbers.some((number) => lines.has(number))) return []
    // Biome does not break strings, so the line of a title can be longer.
    const long = titles.includes(part)
      ? []
      : numbers.filter((number) => all[number - 1].length > maxLineLength)
    return [
      ...wordsToAvoid(part.text).map(({ word, index, advice }) => {
        const { first: line } = lineRange(text, { start: part.start + index, end: part.start + index + 1 })
        return `${file}:${line}: "${word.trim()}": ${advice}`
      }),
      ...long.map((number) => `${file}:${number}: a comment is longer than ${maxLineLength} columns`),
    ]
  })
}

const [option] = process.argv.slice(2)
const isAll = option === '--all'
const base = isAll ? undefined : (option ?? findBase())
if (base && git('rev-parse', '--verify', `${base}^{commit}`) === undefined) {
  console.error(`${base} is not a commit`)
  process.exit(2)
}

const allLines = () => new Map(linesOf(git('ls-files')).map((file) => [file, null]))
const files = isAll ? allLines() : base ? changedLines(base) : new Map()

const faults = [...files].flatMap(([file, lines]) =>
  isSource(file) && existsSync(file) ? faultsOf(file, lines) : [],
)
for (const subject of base ? linesOf(git('log', '--no-merges', '--format=%s', `${base}..HEAD`)) : [])
  for (const fault of subjectFaults(subject)) faults.push(`commit "${subject}": ${fault}`)

if (faults.length) console.error([...faults, '', 'CONTRIBUTING.md has the rules, under "Prose".'].join('\n'))
process.exitCode = faults.length ? 1 : 0
