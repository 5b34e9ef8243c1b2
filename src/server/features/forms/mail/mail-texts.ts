import { safeName } from '#server/mail/safe-name.ts'
import type { FormField, SubmittedValue } from '#shared/forms/fields.ts'
import { textIn } from '#shared/forms/localized.ts'
import { type FormReply, fillPlaceholders } from '#shared/forms/mail.ts'
import { isAgreement } from '#shared/forms/rules.ts'
import type { Language } from '#shared/languages.ts'
import { shorten } from '#shared/unicode.ts'

/** Maximum number of values in a notification, and of UTF-16 units of one value. The inbox shows all of them. */
const maxValues = 50
const maxValueLength = 2_000

/** Maximum number of UTF-16 units of a text that becomes a name in a mail. Names are much shorter. */
const maxNameSource = 500

/** Returns a text of any length as a name in mails. A job must not process hundreds of kilobytes for 80 characters. */
const nameOf = (text: string) => safeName(text.slice(0, maxNameSource))

const asText = (value: string | string[]) => (Array.isArray(value) ? value.join('\n') : value)

const agreed = { ja: '同意する', en: 'Agreed' }

/** Returns a value as people read it: labels of options instead of their values. */
function readable(value: string | string[], field: FormField | undefined, language: Language): string {
  if (field?.type === 'consent' && isAgreement(value)) return agreed[language]
  if (!field || !('options' in field)) return asText(value)
  const labelOf = (text: string) => {
    const option = field.options.find((candidate) => candidate.value === text)
    return option ? textIn(option.label, language) : text
  }
  return asText([value].flat().map(labelOf))
}

/** Returns the values of a submission for a notification, with the labels of their fields. Empty values are omitted. */
export function notificationValues(
  values: readonly SubmittedValue[],
  fields: readonly FormField[],
  language: Language,
): { label: string; value: string }[] {
  return values
    .filter(({ value }) => asText(value).trim() !== '')
    .slice(0, maxValues)
    .map(({ name, value }) => {
      const field = fields.find((candidate) => candidate.name === name)
      const text = readable(value, field, language)
      return {
        label: nameOf(field ? textIn(field.label, language) : name),
        value: text.length > maxValueLength ? `${shorten(text, maxValueLength - 1)}…` : text,
      }
    })
}

/**
 * Returns the subject and the body of an automatic reply. Values of the visitor are on one line, shortened, and without
 * working links, because the visitor may have entered the address of another person.
 */
export function replyText(
  { subject, body }: Pick<FormReply, 'subject' | 'body'>,
  values: readonly SubmittedValue[],
  fields: readonly FormField[],
  language: Language,
): { subject: string; body: string } {
  const names = new Map<string, string>()
  const textOf = (name: string) => {
    const known = names.get(name)
    if (known !== undefined) return known
    const found = values.find((value) => value.name === name)
    const field = fields.find((candidate) => candidate.name === name)
    const text = found ? nameOf(readable(found.value, field, language)) : ''
    names.set(name, text)
    return text
  }
  return {
    subject: fillPlaceholders(textIn(subject, language), textOf).slice(0, 150),
    body: fillPlaceholders(textIn(body, language), textOf),
  }
}
