/** Keywords that begin a new line outside of parentheses. */
const clause =
  /^(?:with(?! ordinality)|select|from|(?:left |inner )?join|where|group by|order by|limit|offset|for (?:no key )?(?:update|share)|insert into|values|on conflict|do update|set|using|returning|union all|delete from|update)\b/i

/**
 * Formats a statement for reviews, so that only real changes change the text: a line per clause, names without quotes,
 * `?` for values, `?, …` for lists of values.
 */
export function readableStatement(statement: string): string {
  const text = statement
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/"([a-z_][a-z_0-9]*)"/g, '$1')
    .replace(/\$\d+/g, '?')
    .replace(/\bmodel_id = \d+/g, 'model_id = <id>')
    .replace(/\b[0-9a-f]{24}\b/g, '<id>')
    .replace(/\bin \(\?(?:, \?)*\)/gi, 'in (?, …)')
    .replace(/\bvalues (\([^()]*\))(?:, \1)+/gi, 'values $1, …')
  return breakLines(text)
    .flatMap((line) => wrap(line))
    .join('\n')
}

function breakLines(text: string): string[] {
  const lines: string[] = []
  let depth = 0
  let start = 0
  for (let at = 0; at < text.length; at++) {
    if (text[at] === '(') depth++
    else if (text[at] === ')') depth--
    else if (text[at] === ' ' && depth === 0 && clause.test(text.slice(at + 1))) {
      // "left join", "for update" and "do update set" are one clause each.
      if (/\b(?:for|for no key|left|inner|do|do update|delete)$/i.test(text.slice(start, at))) continue
      lines.push(text.slice(start, at))
      start = at + 1
    }
  }
  return [...lines, text.slice(start)]
}

/** Wraps a long clause at 110 characters, with continuation lines indented. */
function wrap(line: string, width = 110): string[] {
  const lines: string[] = []
  let current = ''
  for (const word of line.split(' ')) {
    if (current && `${current} ${word}`.length > width) {
      lines.push(current)
      current = `  ${word}`
    } else current = current ? `${current} ${word}` : word
  }
  return [...lines, current]
}
