import { execFileSync } from 'node:child_process'
import { codeOf } from './lib/comments.mjs'

/*
 * `node scripts/compare-code.mjs <commit> [<commit>]` fails if the sources of two commits (the second is HEAD unless it
 * is named) differ in anything but comments, formatting and test titles. Translations may differ in their words, but
 * not in their keys, arguments or tags. Documents in Markdown are not compared.
 */

const [from, to = 'HEAD'] = process.argv.slice(2)
if (!from) {
  console.error('Usage: node scripts/compare-code.mjs <commit> [<commit>]')
  process.exit(2)
}

const git = (...args) => execFileSync('git', args, { encoding: 'utf8', maxBuffer: 1 << 28 })

const isTranslation = (file) => /\/i18n\/\w+\/[\w-]+\.json$/.test(file)

/** An argument of an ICU message, such as `{name}` or `{count, plural, …}`, or a tag. */
const placeholder =
  /(?<!\b(?:zero|one|two|few|many|other)\s*)\{\s*(\w+)\s*(?:\}|,\s*(?:plural|select|selectordinal|number|date|time)\b)|<\/?(\w+)>/g

/** Returns the keys of a translation, each with the distinct placeholders of its text, sorted. */
const placeholdersOf = (value) => {
  if (typeof value === 'string')
    return [...new Set([...value.matchAll(placeholder)].map(([, name, tag]) => name ?? `<${tag}>`))].sort()
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, placeholdersOf(inner)]))
}

const comparable = (file, commit) => {
  const text = git('show', `${commit}:${file}`)
  return isTranslation(file) ? JSON.stringify(placeholdersOf(JSON.parse(text))) : codeOf(file, text)
}

const different = []
let compared = 0
for (const line of git('diff', '--name-status', '--no-renames', from, to).split('\n').filter(Boolean)) {
  const [status, file] = line.split('\t')
  if (file.endsWith('.md')) continue
  compared++
  if (status !== 'M') different.push(`${file} (${status === 'A' ? 'added' : 'deleted'})`)
  else if (comparable(file, from) !== comparable(file, to)) different.push(file)
}

for (const file of different) console.error(`The code differs: ${file}`)
console.log(`${compared} changed files compared, ${different.length} differ in code.`)
process.exitCode = different.length ? 1 : 0
