/** A message about headers. */
export interface HeaderIssue {
  /** The row's `key` and its wrong input. null: the message is about all headers. */
  at: { key: number; input: 'name' | 'value' } | null
  text: string
}

/*
 * A form has one message per value, and all headers are one value. Therefore the message contains the place of the
 * wrong input, which is removed before the message is shown.
 */

/** Returns the message for a form's `headers`. {@link readHeaderIssue} is the inverse. */
export const writeHeaderIssue = ({ at, text }: HeaderIssue): string =>
  at ? `${headerInputName(at.key, at.input)}\n${text}` : text

export function readHeaderIssue(message: string): HeaderIssue {
  const found = /^headers\.(\d+)\.(name|value)\n/.exec(message)
  if (!found) return { at: null, text: message }
  const [start, key, input] = found
  return { at: { key: Number(key), input: input as 'name' | 'value' }, text: message.slice(start.length) }
}

/** Returns the `name` attribute of an input of a header. */
export const headerInputName = (key: number, input: 'name' | 'value') => `headers.${key}.${input}`
