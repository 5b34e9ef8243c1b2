import { parseSync } from 'oxc-parser'

const script = /\.(?:[cm]?[jt]s|tsx)$/
/** Patterns that match a string or a comment. Strings are matched first because they may contain comment delimiters. */
const inCss = /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|(?<comment>\/\*[\s\S]*?\*\/)/g
const inSql = /'(?:[^']|'')*'|"[^"]*"|(?<tag>\$\w*\$)[\s\S]*?\k<tag>|(?<comment>--[^\n]*|\/\*[\s\S]*?\*\/)/g
const inConfiguration = /^(?<comment>[ \t]*#.*\n?)/gm

const patternOf = (file) => {
  if (file.endsWith('.css')) return inCss
  if (file.endsWith('.sql')) return inSql
  return /(?:\.ya?ml|Dockerfile|Caddyfile|\.service|\.npmrc)$/.test(file) ? inConfiguration : undefined
}

/** Instructions to tools in comments, without the reason that follows. */
export const directive =
  /^[*\s]*(?:biome-ignore[^:]*:|@ts-expect-error\b|@vite-ignore|@vitest-environment \S+|@module-tag \S+|@__PURE__)/

function parse(file, text) {
  const { program, comments, errors } = parseSync(file, text)
  if (errors.length) throw new Error(`${file} cannot be parsed: ${errors[0].message}`)
  return { program, comments }
}

/**
 * Returns the comments of a source file in order, each with its text, including delimiters, and its offsets.
 * A file of an unknown kind has none. Throws if a script cannot be parsed.
 */
export function commentsOf(file, text) {
  if (script.test(file))
    return parse(file, text).comments.map(({ start, end }) => ({ text: text.slice(start, end), start, end }))
  const pattern = patternOf(file)
  if (!pattern) return []
  return [...text.matchAll(pattern)]
    .filter(({ groups }) => groups.comment)
    .map(({ 0: found, index }) => ({ text: found, start: index, end: index + found.length }))
}

/** Functions of the test runners whose first argument is a title, and their modifiers. */
const runners = new Set(['it', 'test', 'describe'])
const modifiers = new Set([
  'concurrent',
  'describe',
  'each',
  'fail',
  'fails',
  'fixme',
  'for',
  'only',
  'parallel',
  'runIf',
  'sequential',
  'serial',
  'skip',
  'skipIf',
  'slow',
  'step',
  'todo',
])

/** Checks whether a callee is a function of a test runner, such as `it` or `it.skip.each(rows)`. */
function isRunner(callee) {
  if (callee.type === 'Identifier') return runners.has(callee.name)
  if (callee.type === 'MemberExpression')
    return modifiers.has(callee.property.name) && isRunner(callee.object)
  if (callee.type === 'CallExpression') return isRunner(callee.callee)
  return callee.type === 'TaggedTemplateExpression' && isRunner(callee.tag)
}

/** Returns the node of the title if a node calls a test runner with a literal title. */
function titleOf(node) {
  if (node.type !== 'CallExpression' || !isRunner(node.callee)) return undefined
  const [first] = node.arguments
  const isText =
    (first?.type === 'Literal' && typeof first.value === 'string') || first?.type === 'TemplateLiteral'
  return isText ? first : undefined
}

function visit(node, seen) {
  if (Array.isArray(node)) for (const each of node) visit(each, seen)
  else if (node && typeof node === 'object') {
    if (typeof node.type === 'string') seen(node)
    for (const value of Object.values(node)) visit(value, seen)
  }
}

/** Returns the literal titles of the tests in a script, each with its text, without quotes, and its offsets. */
export function testTitlesOf(file, text) {
  const titles = []
  visit(parse(file, text).program, (node) => {
    const title = titleOf(node)
    if (title)
      titles.push({
        text: text.slice(title.start + 1, title.end - 1),
        start: title.start + 1,
        end: title.end - 1,
      })
  })
  return titles.sort((one, other) => one.start - other.start)
}

/**
 * Returns the code of a source file in a form for comparison. The forms of two scripts are equal exactly if the scripts
 * differ in nothing but comments and formatting. In CSS, SQL and configuration files each comment counts as a space,
 * and each run of white space as one. Files of other kinds are returned unchanged. Directives of tools count as code.
 * In a test file, literal titles do not.
 */
export function codeOf(file, text) {
  const directives = commentsOf(file, text).flatMap((comment) => {
    const [found] = directive.exec(comment.text.replace(/^(?:\/\/|\/\*)/, '')) ?? []
    return found ? [found.replace(/^[*\s]*/, '')] : []
  })
  if (!script.test(file)) {
    const pattern = patternOf(file)
    if (!pattern) return text
    const code = text.replace(pattern, (found, ...rest) => (rest.at(-1).comment ? ' ' : found))
    return JSON.stringify([directives, code.replace(/\s+/g, ' ')])
  }
  const { program } = parse(file, text)
  if (/\.(?:test|spec)\.tsx?$/.test(file))
    visit(program, (node) => {
      const title = titleOf(node)
      if (title?.type === 'Literal') Object.assign(title, { value: '', raw: '' })
      else if (title) title.quasis = []
    })
  return JSON.stringify([directives, program], (key, value) => {
    if (key === 'start' || key === 'end') return undefined
    return typeof value === 'bigint' ? String(value) : value
  })
}
