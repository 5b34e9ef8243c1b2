import { readableStatement } from './readable-statement.ts'

export interface Sent {
  text: string
  values: readonly unknown[]
}

interface Common {
  name: string
  starts: string
  holds?: string
  /** Returns the values that are shown with the name. */
  of?: (values: Sent['values']) => unknown[]
}

/** Shared statements of most features. They are recorded completely once, and by name everywhere else. */
const common: Common[] = [
  { name: 'session', starts: 'select session.id_hash' },
  { name: 'enters space', starts: 'select space.id, space_policy.version as policy' },
  {
    name: 'enters space, with rights in an app',
    starts: 'select space.id, space.uid',
    holds: 'app.uid as "appUid"',
  },
  {
    name: 'enters space, with rights in any app',
    starts: 'select space.id, space.uid',
    holds: 'as "anyAppRights"',
  },
  { name: 'rights of member', starts: 'select space_member.id as "memberId", space_member.role' },
  { name: 'locks space', starts: 'select id from space where', holds: 'for no key update' },
  { name: 'locks app', starts: 'select id from app where', holds: 'for no key update' },
  { name: 'attempt', starts: 'insert into attempt' },
  { name: 'account', starts: 'select id, email, name, is_admin', holds: 'where id = ?' },
  {
    name: 'member',
    starts: 'select space_member.id, space_member.account_id',
    holds: 'where space_member.space_id = ? and space_member.id = ?',
  },
  {
    name: 'member of app',
    starts: 'select space_member.id, space_member.account_id',
    holds: '? and app_member.app_id = ? and space_member.id = ?',
  },
  { name: 'joins app', starts: 'insert into app_member', holds: 'returning member_id' },
  { name: 'role', starts: 'select space_id, uid, name, description, target', holds: 'and uid = ?' },
  { name: 'models of app', starts: 'select model.* from model', holds: 'order by model.position' },
  { name: 'custom types of app', starts: 'select * from custom_type', holds: 'order by name, id' },
  { name: 'counts documents', starts: 'update model_stat set documents = documents + ?' },
  {
    name: 'audit',
    starts: 'INSERT INTO audit_entry',
    holds: 'FROM (SELECT ?::int AS space_id)',
    of: ([act]) => [act],
  },
  {
    name: 'audit in each space of an account',
    starts: 'INSERT INTO audit_entry',
    holds: 'FROM (SELECT space_id FROM space_member',
    of: ([act]) => [act],
  },
  // The values are nine for each row, and the channel.
  {
    name: 'event',
    starts: 'insert into event',
    of: (values) => values.filter((_, at) => at % 9 === 1 && at + 8 < values.length),
  },
  { name: 'job', starts: 'insert into job', of: (values) => [values[2]] },
]

/**
 * Returns the shared statements among the recorded ones, by name. If several statements match one name, the most
 * frequent is used, and the others are recorded completely.
 */
export function commonOf(sent: Sent[], wanted = common.map(({ name }) => name)): Map<string, string> {
  const times = timesOf(sent)
  const found = new Map<string, string>()
  for (const { name, starts, holds = '' } of common.filter((one) => wanted.includes(one.name))) {
    const [text] = [...times.keys()]
      .filter((one) => inOneLine(one).startsWith(starts) && inOneLine(one).includes(holds))
      .sort((a, b) => (times.get(b) ?? 0) - (times.get(a) ?? 0))
    if (text === undefined) throw new Error(`No statement matches "${name}"`)
    found.set(name, text)
  }
  return found
}

/**
 * Returns the text of a file of statements: for each scenario a title and its statements. A known statement is one line
 * with its name.
 */
export function tellStatements(
  scenarios: { title: string; sent: Sent[] }[],
  known: Map<string, string>,
): string {
  const kinds = new Map(common.map((kind) => [kind.name, kind]))
  const names = new Map([...known].map(([name, text]) => [text, name]))
  const own = namesOfRepeated(
    scenarios.flatMap(({ sent }) => sent),
    names,
  )
  const lineOf = ({ text, values }: Sent) => {
    const statement = readableStatement(text)
    const name = names.get(statement)
    if (name === undefined) return own.has(statement) ? `-- ${own.get(statement)}` : `${statement};`
    const details = kinds.get(name)?.of?.(values)
    return `-- ${name}${details ? `: ${details.join(', ')}` : ''}`
  }
  return [
    ...[...own].map(([text, name]) => section(`Several times: ${name}`, [`${text};`])),
    ...scenarios.map(({ title, sent }) => section(title, sent.map(lineOf))),
  ].join('\n\n')
}

export const section = (title: string, lines: string[]) => [`-- ${title}`, ...lines].join('\n')

/** Returns names for statements that occur often enough in a file that a definition at its head saves lines. */
function namesOfRepeated(sent: Sent[], known: Map<string, string>): Map<string, string> {
  const names = new Map<string, string>()
  const taken = new Set<string>()
  for (const [text, times] of timesOf(sent)) {
    const lines = text.split('\n').length
    if (known.has(text) || lines + 2 + times >= lines * times) continue
    let name = nameOf(inOneLine(text))
    for (let more = 2; taken.has(name); more++) name = `${name.replace(/ \(\d+\)$/, '')} (${more})`
    taken.add(name)
    names.set(text, name)
  }
  return names
}

/** Returns a name such as "select model by id for update". */
function nameOf(statement: string): string {
  const verb = statement.split(' ')[0]?.toLowerCase() ?? ''
  // Parentheses contain only columns, conditions or derived tables.
  let outer = statement
  while (/\([^()]*\)/.test(outer)) outer = outer.replace(/\([^()]*\)/g, '…')
  const isNamedFirst = verb === 'update' || verb === 'with'
  const subject = isNamedFirst ? /^\w+ (\w+)/i : /\b(?:from|into) (\w+)/i
  const table = (subject.exec(outer) ?? subject.exec(statement))?.[1] ?? ''
  const conditions = / where .*/i.exec(outer)?.[0] ?? ''
  const columns = [...conditions.matchAll(/(\w+) (?:= \?|= ANY…|in …)/gi)].map(([, column]) => column)
  const own = [...new Set(columns)].filter((column) => column !== 'space_id')
  const lock = / for (?:no key )?update$/i.exec(outer)?.[0] ?? ''
  return `${verb} ${table}${own.length > 0 ? ` by ${own.join(', ')}` : ''}${lock}`
}

function timesOf(sent: Sent[]): Map<string, number> {
  const times = new Map<string, number>()
  for (const { text } of sent) {
    const statement = readableStatement(text)
    times.set(statement, (times.get(statement) ?? 0) + 1)
  }
  return times
}

const inOneLine = (statement: string) => statement.replace(/\s+/g, ' ')
